// I8: a charge is on exactly one invoice once its month has been billed, and an invoice is the sum of its charges.
import type { Records } from './records'

export async function billingRules(records: Records): Promise<string[]> {
  const found: string[] = []
  for (const { rule, sql } of rules) {
    const rows: { what: string }[] = await records.query(sql)
    found.push(...rows.map(({ what }) => `I8 ${rule}: ${what}`))
  }
  return found
}

const counts = `status IN ('open', 'paid')`

/** An invoice's lines as computed from its charges, and as stored. */
const lines = `
  SELECT invoice_id, kind, sum(should_be) AS should_be, sum(stored) AS stored FROM (
    SELECT ic.invoice_id, k.line AS kind, round(sum(c.amount_micropounds) / 10000) AS should_be, 0 AS stored
    FROM invoice_charges ic JOIN charges c ON c.id = ic.charge_id JOIN (VALUES
      ('payout_fee', 'payout_fees'), ('network_fee', 'network_fees'), ('exception', 'bank_exceptions'),
      ('monthly_account', 'monthly_account'), ('verification', 'business_verification'), ('credit', 'credit')
    ) AS k (charge, line) ON k.charge = c.kind GROUP BY 1, 2
    UNION ALL SELECT id, 'credit', carried_in_pence, 0 FROM invoices WHERE carried_in_pence > 0
    UNION ALL SELECT invoice_id, kind, 0, amount_pence FROM invoice_lines
  ) AS parts GROUP BY 1, 2`

const rules = [
  {
    rule: 'a charge is on at most one valid invoice',
    sql: `SELECT ic.charge_id || ' is on ' || count(*) AS what FROM invoice_charges ic
      JOIN invoices i ON i.id = ic.invoice_id AND i.${counts} GROUP BY ic.charge_id HAVING count(*) > 1`,
  },
  {
    // Ignores charges created less than a minute before the invoice, because billing might not have seen their
    // transaction. No transaction takes longer than a minute.
    rule: 'a charge stored before its month was billed is on an invoice',
    sql: `SELECT c.kind || ' ' || c.cause_ref AS what FROM charges c
      WHERE EXISTS (SELECT FROM invoices i WHERE i.partner_id = c.partner_id AND i.${counts} AND i.period >= c.month
          AND i.issued_at > c.created_at + interval '1 minute')
        AND NOT EXISTS (SELECT FROM invoice_charges ic JOIN invoices i ON i.id = ic.invoice_id AND i.${counts}
          WHERE ic.charge_id = c.id)`,
  },
  {
    rule: 'the list of charges without an invoice is correct',
    sql: `SELECT coalesce(u.charge_id, c.id)::text AS what FROM uninvoiced_charges u
      FULL JOIN (SELECT id, partner_id, month, kind, amount_micropounds FROM charges WHERE NOT EXISTS (SELECT FROM invoice_charges ic
        JOIN invoices i ON i.id = ic.invoice_id AND i.status <> 'void' WHERE ic.charge_id = charges.id)) c
      ON (c.id, c.partner_id, c.month, c.kind, c.amount_micropounds)
        = (u.charge_id, u.partner_id, u.month, u.kind, u.amount_micropounds)
      WHERE u.charge_id IS NULL OR c.id IS NULL`,
  },
  {
    rule: 'an invoice has charges of its own partner only, and of no later month',
    sql: `SELECT i.number || ' has ' || c.id AS what FROM invoice_charges ic
      JOIN invoices i ON i.id = ic.invoice_id JOIN charges c ON c.id = ic.charge_id
      WHERE c.partner_id <> i.partner_id OR c.month > i.period`,
  },
  {
    rule: 'a line is the sum of its charges, rounded once',
    sql: `SELECT i.number || ' ' || l.kind || ' says ' || stored || ', is ' || should_be AS what
      FROM (${lines}) l JOIN invoices i ON i.id = l.invoice_id WHERE stored <> should_be`,
  },
  {
    rule: 'a total is the sum of its lines, and excess credit is carried',
    sql: `SELECT i.number || ' says ' || i.total_pence || ' and ' || i.carried_pence AS what FROM invoices i
      LEFT JOIN LATERAL (SELECT coalesce(sum(CASE kind WHEN 'credit' THEN -amount_pence ELSE amount_pence END), 0) AS due
        FROM invoice_lines WHERE invoice_id = i.id) l ON true
      WHERE i.status <> 'draft' AND (i.total_pence, i.carried_pence) <> (greatest(due, 0), greatest(-due, 0))`,
  },
  {
    rule: 'no more credit is used than was carried',
    sql: `SELECT partner_id::text AS what FROM invoices WHERE ${counts}
      GROUP BY partner_id HAVING sum(carried_pence - carried_in_pence) < 0`,
  },
  {
    rule: 'a partner has one valid invoice per month',
    sql: `SELECT partner_id || ' ' || period AS what FROM invoices WHERE ${counts}
      GROUP BY partner_id, period HAVING count(*) > 1`,
  },
  {
    rule: 'numbers have no gaps',
    sql: `SELECT n.year || ' is at ' || n.last_number || ' with ' || count(i.id) AS what FROM invoice_numbers n
      LEFT JOIN invoices i ON i.number LIKE 'INV-' || n.year || '-%'
      GROUP BY n.year HAVING count(i.id) <> n.last_number
        OR right(max(i.number), 6)::integer <> n.last_number OR right(min(i.number), 6)::integer <> 1`,
  },
  {
    rule: 'a draft is never left behind',
    sql: `SELECT id::text AS what FROM invoices WHERE status = 'draft'`,
  },
] as const
