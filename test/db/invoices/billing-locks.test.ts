// Locks during billing: a partner can still be changed, and a large invoice has enough time.

import { expect, test } from '@jest/globals'
import type { Db } from '../../../db/database'
import { issueInvoice } from '../../../db/invoices/issue'
import { voidInvoice } from '../../../db/invoices/moves'
import { findPartnerById, type PartnerRow, updatePartner } from '../../../db/partners/partners'
import { aSeller } from '../../support/api/fixtures'
import { aPricedPartner, billed, charge } from '../../support/db/billing'
import { useDatabase } from '../../support/db/database'
import { tapped } from '../../support/db/tapped'

const db = useDatabase()

const at = new Date('2026-11-15T12:00:00Z')

async function aChargedPartner(): Promise<PartnerRow> {
  const partner = await aPricedPartner(db)
  await charge(db, partner, { kind: 'payout_fee', amountMicropounds: 1_000_000n, at: '2026-10-15T12:00:00Z' })
  return partner
}

const rename = ({ id }: PartnerRow, name: string) => db.transaction((tx) => updatePartner(tx, id, { name }, at))

test('a partner can be renamed while its charges are invoiced, and the invoice shows the new name', async () => {
  const partner = await aChargedPartner()
  const renaming = after('INSERT INTO invoice_charges', () => rename(partner, 'New Ltd'))

  const order = { partnerId: partner.id, period: '2026-10', at, seller: aSeller }
  const { invoiceId } = await issueInvoice(renaming, order)

  const [invoice] = await db.dataSource.query(
    `SELECT document -> 'buyer' ->> 'name' AS name FROM invoices WHERE id = $1`,
    [invoiceId],
  )
  expect(invoice).toEqual({ name: 'New Ltd' })
  expect(await findPartnerById(db, partner.id)).toMatchObject({ name: 'New Ltd', billedUntil: '2026-10-01' })
})

test('a partner can be renamed while its invoice is voided', async () => {
  const partner = await aChargedPartner()
  const { number } = await billed(db, partner, '2026-10')
  const renaming = after(`UPDATE invoices SET status = 'void'`, () => rename(partner, 'New Ltd'))

  const voided = await renaming.transaction((tx) => voidInvoice(tx, { number, reason: 'x', at }))

  expect(voided.outcome).toBe('moved')
  expect(await findPartnerById(db, partner.id)).toMatchObject({ name: 'New Ltd' })
})

test('voiding an invoice can take longer than the usual statement timeout', async () => {
  const partner = await aChargedPartner()
  const { number } = await billed(db, partner, '2026-10')
  // Simulates many charges: the statement takes longer than the usual server and client timeouts.
  await db.dataSource.query(`
    CREATE FUNCTION be_slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(12.5); RETURN NULL; END';
    CREATE TRIGGER planted AFTER UPDATE ON invoice_charges FOR EACH STATEMENT EXECUTE FUNCTION be_slow()`)

  const voided = await db.transaction((tx) => voidInvoice(tx, { number, reason: 'x', at }))
  const [{ limit }] = await db.dataSource.query(`SELECT current_setting('statement_timeout') AS limit`)

  expect(voided.outcome).toBe('moved')
  expect(limit).toBe('10s')
})

/** The same database, but an action runs right after the given statement, before its transaction continues. */
function after(statement: string, act: () => Promise<unknown>): Db {
  return tapped(db, async ({ text }, next) => {
    const answer = await next()
    if (text.includes(statement)) await act()
    return answer
  })
}
