// Invoice changes that the database itself refuses. Our code never attempts them.
import { beforeAll, describe, expect, test } from '@jest/globals'
import { markInvoicePaid, voidInvoice } from '../../../db/invoices/moves'
import type { PartnerRow } from '../../../db/partners/partners'
import { aPricedPartner, type Billed, billed, charge } from '../../support/db/billing'
import { useDatabase } from '../../support/db/database'

const db = useDatabase()
let partner: PartnerRow
let invoice: Billed

beforeAll(async () => {
  partner = await aPricedPartner(db, { liveOpenedAt: new Date('2026-09-01T00:00:00Z') })
  await charge(db, partner, { kind: 'payout_fee', amountMicropounds: 1_090_000n, at: '2026-10-15T12:00:00Z' })
  invoice = await billed(db, partner, '2026-10')
})

const at = new Date('2026-11-15T12:00:00Z')
const refused = { code: '23001' }
const direct = (text: string, ...values: unknown[]) => db.dataSource.query(text, values)

describe('an issued invoice', () => {
  test.each([
    ['number', "'INV-2026-000999'"],
    ['partner_id', 'gen_random_uuid()'],
    ['id', 'gen_random_uuid()'],
    ['period', "'2026-09-01'"],
    ['total_pence', 'total_pence - 1'],
    ['carried_pence', '1'],
    ['carried_in_pence', '1'],
    ['issued_at', "issued_at + interval '1 ms'"],
    ['due_at', "due_at + interval '1 day'"],
    ['document', `'{}'`],
    ['created_at', 'now()'],
    ['status', "'draft'"],
  ])('cannot change its %s', async (column, value) => {
    const change = direct(`UPDATE invoices SET ${column} = ${value} WHERE id = $1`, invoice.invoiceId)

    await expect(change).rejects.toMatchObject(refused)
  })

  test('can be marked as emailed', async () => {
    const mark = direct('UPDATE invoices SET mailed_at = now() WHERE id = $1', invoice.invoiceId)

    await expect(mark).resolves.toBeDefined()
  })

  test('cannot be deleted or truncated', async () => {
    await expect(direct('DELETE FROM invoices WHERE id = $1', invoice.invoiceId)).rejects.toMatchObject(refused)
    await expect(direct('TRUNCATE invoices CASCADE')).rejects.toMatchObject(refused)
  })

  test('must begin as a draft', async () => {
    const insert = `INSERT INTO invoices
      (id, partner_id, period, number, status, total_pence, issued_at, due_at, document, created_at)
      VALUES (gen_random_uuid(), $1, '2020-01-01', 'INV-X', 'open', 0, now(), now(), '{}', now())`

    await expect(direct(insert, partner.id)).rejects.toMatchObject(refused)
  })

  test.each(['paid_at = now()', 'voided_at = now()', "void_reason = 'x'"])(
    'refuses %s while it is open',
    async (change) => {
      await expect(direct(`UPDATE invoices SET ${change} WHERE id = $1`, invoice.invoiceId)).rejects.toMatchObject(
        refused,
      )
    },
  )

  test('accepts no more lines, and its lines cannot change', async () => {
    const insert = `INSERT INTO invoice_lines
      (id, invoice_id, position, kind, description, quantity, unit_amount_micropounds, amount_pence)
      VALUES (gen_random_uuid(), $1, 99, 'credit', 'x', 1, 10000, 1)`

    await expect(direct(insert, invoice.invoiceId)).rejects.toMatchObject(refused)
    await expect(direct('UPDATE invoice_lines SET amount_pence = 0')).rejects.toMatchObject(refused)
    await expect(direct('DELETE FROM invoice_lines')).rejects.toMatchObject(refused)
    await expect(direct('TRUNCATE invoice_lines')).rejects.toMatchObject(refused)
  })

  test('accepts no more charges, and keeps its own', async () => {
    await charge(db, partner, { kind: 'exception', amountMicropounds: 1n, at: '2026-10-20T00:00:00Z' })
    const add = `INSERT INTO invoice_charges (invoice_id, charge_id)
      SELECT $1, id FROM charges WHERE kind = 'exception'`
    const swap = `UPDATE invoice_charges SET charge_id = (SELECT id FROM charges WHERE kind = 'exception')
      WHERE invoice_id = $1 AND charge_id = (SELECT id FROM charges WHERE kind = 'payout_fee')`

    await expect(direct(add, invoice.invoiceId)).rejects.toMatchObject(refused)
    await expect(direct(swap, invoice.invoiceId)).rejects.toMatchObject(refused)
    await expect(direct('DELETE FROM invoice_charges')).rejects.toMatchObject(refused)
    await expect(direct('TRUNCATE invoice_charges')).rejects.toMatchObject(refused)
  })
})

describe('a draft', () => {
  const draft = `INSERT INTO invoices (id, partner_id, period, status, total_pence, created_at)
    VALUES (gen_random_uuid(), $1, $2, 'draft', 0, now()) RETURNING id`
  const issue = (change: string) => `UPDATE invoices SET status = 'open', number = gen_random_uuid()::text,
    issued_at = now(), due_at = now(), document = '{}', ${change} WHERE id = $1`
  const aDraft = async (period: string): Promise<string> => (await direct(draft, partner.id, period))[0].id
  const addLine = (id: string, kind: string, quantity: number, unit: number, amount: number) =>
    direct(
      `INSERT INTO invoice_lines (id, invoice_id, position, kind, description, quantity, unit_amount_micropounds, amount_pence)
        VALUES (gen_random_uuid(), $1, (SELECT count(*) FROM invoice_lines WHERE invoice_id = $1), $2, 'x', $3, $4, $5)`,
      id,
      kind,
      quantity,
      unit,
      amount,
    )

  test('can be issued only if its total is the sum of its lines', async () => {
    const id = await aDraft('2020-02-01')
    await addLine(id, 'payout_fees', 1, 1_000_000, 100)
    await addLine(id, 'credit', 1, 300_000, 30)

    await expect(direct(issue('total_pence = 100'), id)).rejects.toMatchObject(refused)
    await expect(direct(issue('total_pence = 70, carried_pence = 1'), id)).rejects.toMatchObject(refused)
    await direct(issue('total_pence = 70'), id)
  })

  test('accepts only lines whose amount is quantity times unit amount, rounded half up', async () => {
    const id = await aDraft('2020-03-01')
    const wrong = { constraint: 'invoice_lines_rounding_check' }

    await expect(addLine(id, 'network_fees', 100, 19_800, 200)).rejects.toMatchObject(wrong)
    await expect(addLine(id, 'network_fees', 1, 5_000, 0)).rejects.toMatchObject(wrong)
    await addLine(id, 'network_fees', 1, 5_000, 1)
    await addLine(id, 'network_fees', 1, 4_999, 0)
  })

  test('cannot become paid, and cannot be issued without a number, dates and a document', async () => {
    const id = await aDraft('2020-04-01')

    await expect(
      direct(`UPDATE invoices SET status = 'paid', paid_at = now() WHERE id = $1`, id),
    ).rejects.toMatchObject(refused)
    const charged = await aDraft('2020-06-01')
    await addLine(charged, 'payout_fees', 1, 1_000_000, 100)
    const asPaid = issue(`total_pence = 100, paid_at = now()`).replace(`'open'`, `'paid'`)
    await expect(direct(asPaid, charged)).rejects.toMatchObject(refused)
    for (const missing of ['number', 'issued_at', 'due_at', 'document']) {
      const incomplete = issue('total_pence = 0').replace(new RegExp(`${missing} = [^,]+`), `${missing} = NULL`)
      await expect(direct(incomplete, id)).rejects.toMatchObject({ constraint: 'invoices_issued_check' })
    }
  })

  test('cannot use credit that was not carried over', async () => {
    const id = await aDraft('2020-05-01')

    await expect(direct(issue('carried_in_pence = 1'), id)).rejects.toThrow('used the credit')
  })
})

describe('the status of an issued invoice', () => {
  test('changes from open to paid or void and from paid to open, but never from void', async () => {
    const other = await aPricedPartner(db)
    await charge(db, other, { kind: 'payout_fee', amountMicropounds: 1_000_000n, at: '2026-10-15T12:00:00Z' })
    const { invoiceId, number } = await billed(db, other, '2026-10')
    const set = (change: string) => direct(`UPDATE invoices SET ${change} WHERE id = $1`, invoiceId)
    const asVoid = `status = 'void', voided_at = now(), void_reason = 'x', paid_at = NULL`

    await db.transaction((tx) => markInvoicePaid(tx, { number, at }))
    await expect(set(asVoid)).rejects.toMatchObject(refused)
    await expect(set('paid_at = now()')).rejects.toMatchObject(refused)
    await set(`status = 'open', paid_at = NULL`)
    await expect(set(`status = 'void', voided_at = now()`)).rejects.toMatchObject({ constraint: 'invoices_void_check' })

    await db.transaction((tx) => voidInvoice(tx, { number, reason: 'a mistake', at }))
    await expect(set(`status = 'open', voided_at = NULL, void_reason = NULL`)).rejects.toMatchObject(refused)
    await expect(set(`void_reason = 'another'`)).rejects.toMatchObject(refused)
  })

  test('can change from paid to void, but not to open, if the total is 0.00', async () => {
    const other = await aPricedPartner(db)
    await charge(db, other, { kind: 'payout_fee', amountMicropounds: 0n, at: '2026-10-15T12:00:00Z' })
    const { invoiceId } = await billed(db, other, '2026-10')
    const set = (change: string) => direct(`UPDATE invoices SET ${change} WHERE id = $1`, invoiceId)

    await expect(set(`status = 'open', paid_at = NULL`)).rejects.toMatchObject(refused)
    await set(`status = 'void', voided_at = now(), void_reason = 'x', paid_at = NULL`)
  })

  test('cannot become void when a later invoice has used its credit', async () => {
    const other = await aPricedPartner(db)
    await charge(db, other, { kind: 'payout_fee', amountMicropounds: 1_000_000n, at: '2026-10-15T12:00:00Z' })
    await charge(db, other, { kind: 'credit', amountMicropounds: 6_000_000n, at: '2026-10-15T12:00:00Z' })
    await charge(db, other, { kind: 'payout_fee', amountMicropounds: 1_000_000n, at: '2026-11-15T12:00:00Z' })
    const october = await billed(db, other, '2026-10')
    await billed(db, other, '2026-11')

    const byHand = direct(
      `UPDATE invoices SET status = 'void', paid_at = NULL, voided_at = now(), void_reason = 'x' WHERE id = $1`,
      october.invoiceId,
    )
    await expect(byHand).rejects.toThrow('used the credit')
  })
})

describe('the list of charges without an invoice', () => {
  test.each([
    `INSERT INTO uninvoiced_charges SELECT id, partner_id, month, kind, 1 FROM charges WHERE kind = 'payout_fee'`,
    `UPDATE uninvoiced_charges SET month = '2030-01-01'`,
    'DELETE FROM uninvoiced_charges',
    'TRUNCATE uninvoiced_charges',
  ])('is maintained by the database, so %s is refused', async (text) => {
    await expect(direct(text)).rejects.toMatchObject(refused)
  })

  test('always contains exactly the charges that are on no valid invoice', async () => {
    const listed = 'SELECT charge_id AS id FROM uninvoiced_charges ORDER BY 1'
    const free = `SELECT id FROM charges WHERE NOT EXISTS
      (SELECT FROM invoice_charges WHERE charge_id = charges.id AND NOT voided) ORDER BY 1`

    expect(await direct(listed)).toEqual(await direct(free))
    expect(await direct(listed)).not.toEqual([])
  })
})

describe('the invoice number counter', () => {
  test.each([
    'UPDATE invoice_numbers SET last_number = last_number + 2',
    'UPDATE invoice_numbers SET last_number = last_number - 1',
    'UPDATE invoice_numbers SET year = 1999, last_number = last_number + 1',
    'INSERT INTO invoice_numbers VALUES (1999, 7)',
    'DELETE FROM invoice_numbers',
    'TRUNCATE invoice_numbers',
  ])('refuses %s', async (text) => {
    await expect(direct(text)).rejects.toMatchObject(refused)
  })
})

test('a partner’s last billed month must be stored as its first day', async () => {
  await expect(direct(`UPDATE partners SET billed_until = '2026-10-02'`)).rejects.toMatchObject({
    constraint: 'partners_billed_check',
  })
})
