// Invoice faults: the statements that plant each one with all triggers disabled, and the I8 rule that must find it.

const theFee = `(SELECT id FROM charges WHERE kind = 'payout_fee')`

const copyInvoice = `INSERT INTO invoices SELECT (jsonb_populate_record(invoices,
  jsonb_build_object('id', gen_random_uuid(), 'number', 'INV-X'))).* FROM invoices`

export const billingFaults: readonly (readonly [what: string, statements: readonly string[], says: string])[] = [
  [
    'a charge on two invoices',
    [
      'DROP INDEX invoice_charges_charge_unique',
      'DROP INDEX invoices_month_unique',
      copyInvoice,
      'INSERT INTO invoice_charges SELECT gen_random_uuid(), charge_id, false FROM invoice_charges',
      `UPDATE invoice_charges SET invoice_id = (SELECT id FROM invoices WHERE number = 'INV-X')
        WHERE invoice_id NOT IN (SELECT id FROM invoices)`,
    ],
    'a charge is on at most one valid invoice',
  ],
  [
    'a completed payout that is missing from its month’s invoice',
    [`DELETE FROM invoice_charges WHERE charge_id = ${theFee}`],
    'a charge stored before its month was billed',
  ],
  [
    'a charge that is neither on an invoice nor listed as uninvoiced',
    [`DELETE FROM invoice_charges WHERE charge_id = ${theFee}`],
    'the list of charges without an invoice',
  ],
  [
    'a charge of another partner',
    [`UPDATE charges SET partner_id = gen_random_uuid() WHERE id = ${theFee}`],
    'an invoice has charges of its own partner',
  ],
  [
    'a line that differs from the sum of its charges',
    [`UPDATE charges SET amount_micropounds = amount_micropounds + 10000 WHERE id = ${theFee}`],
    'a line is the sum',
  ],
  [
    'an invoice total that is not the sum of its lines',
    ['UPDATE invoices SET total_pence = total_pence + 1'],
    'a total is the sum',
  ],
  ['used credit that was never carried over', ['UPDATE invoices SET carried_in_pence = 5'], 'no more credit is used'],
  [
    'a second invoice for a month',
    ['DROP INDEX invoices_month_unique', copyInvoice],
    'a partner has one valid invoice',
  ],
  ['a gap in the numbers', ['UPDATE invoice_numbers SET last_number = last_number + 1'], 'numbers have no gaps'],
  ['a skipped number', [`UPDATE invoices SET number = left(number, -1) || '7'`], 'numbers have no gaps'],
  ['a leftover draft', [`UPDATE invoices SET status = 'draft'`], 'a draft'],
]
