// The database's uniqueness rules: one payout for each transfer on a rail, one valid invoice for each charge, and one
// owner for each bank customer, verification and wallet.
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { newId } from '../../db/id'
import { aPartner, at, aWallet } from '../support/db/a-partner'
import { aPayout } from '../support/db/a-payout'
import { useDatabase } from '../support/db/database'

const db = useDatabase(4)

function direct(text: string, values: readonly unknown[]) {
  return db.dataSource.query(text, [...values])
}

async function aCharge(partnerId: string): Promise<string> {
  const id = newId(at)
  await direct(
    `INSERT INTO charges (id, partner_id, kind, cause_ref, amount_micropounds, month, created_at)
      VALUES ($1, $2, 'payout_fee', $3, 1, '2026-11-01', now())`,
    [id, partnerId, randomUUID()],
  )
  return id
}

async function anInvoice(partnerId: string, period: string): Promise<string> {
  const id = newId(at)
  await direct(
    `INSERT INTO invoices (id, partner_id, period, status, total_pence, created_at) VALUES ($1, $2, $3, 'draft', 0, now())`,
    [id, partnerId, period],
  )
  return id
}

function gather(invoice: string, charge: string) {
  return direct('INSERT INTO invoice_charges (invoice_id, charge_id) VALUES ($1, $2)', [invoice, charge])
}

function issue(invoice: string) {
  const text = `UPDATE invoices SET status = 'open', number = $2, issued_at = now(), due_at = now(), document = '{}' WHERE id = $1`
  return direct(text, [invoice, randomUUID()])
}

function makeVoid(invoice: string) {
  const text = `UPDATE invoices SET status = 'void', voided_at = now(), void_reason = 'a mistake' WHERE id = $1`
  return direct(text, [invoice])
}

test('a transfer reference belongs to one payout on its rail, and another rail may use the same reference', async () => {
  const transferRef = randomUUID()
  await aPayout(db, { transferRef, rail: 'simulated' })
  await aPayout(db, { transferRef, rail: 'provider_sandbox' })

  const second = aPayout(db, { transferRef, rail: 'simulated' })

  await expect(second).rejects.toMatchObject({ code: '23505', constraint: 'payouts_transfer_unique' })
})

test.each([
  ['customer_ref', 'wallets_customer_unique'],
  ['verification_ref', 'wallets_verification_unique'],
  ['wallet_ref', 'wallets_ref_unique'],
])('two partners can have the same %s only in different environments', async (column, constraint) => {
  const ref = randomUUID()
  const [one, other, third] = [await aWallet(db), await aWallet(db), await aWallet(db)]
  const set = (id: string) => direct(`UPDATE wallets SET ${column} = $2 WHERE id = $1`, [id, ref])
  await direct(`UPDATE wallets SET environment = 'live', rail = 'provider_production' WHERE id = $1`, [third.id])
  await set(one.id)
  await set(third.id)

  await expect(set(other.id)).rejects.toMatchObject({ driverError: { code: '23505', constraint } })
})

test('a charge can be added to another invoice only after its first invoice is void', async () => {
  const { id: partnerId } = await aPartner(db)
  const charge = await aCharge(partnerId)
  const [october, november] = [await anInvoice(partnerId, '2026-10-01'), await anInvoice(partnerId, '2026-11-01')]
  await gather(october, charge)

  const refused = { code: '23505', constraint: 'invoice_charges_charge_unique' }
  await expect(gather(november, charge)).rejects.toMatchObject(refused)

  await issue(october)
  await expect(gather(november, charge)).rejects.toMatchObject(refused)

  await makeVoid(october)
  await gather(november, charge)
})

test('a charge cannot be marked as voided while its invoice is not void', async () => {
  const { id: partnerId } = await aPartner(db)
  const charge = await aCharge(partnerId)
  const [october, november] = [await anInvoice(partnerId, '2026-10-01'), await anInvoice(partnerId, '2026-11-01')]

  const asVoided = 'INSERT INTO invoice_charges (invoice_id, charge_id, voided) VALUES ($1, $2, true)'
  await expect(direct(asVoided, [october, charge])).rejects.toMatchObject({ code: '23001' })
  await gather(october, charge)
  const makeVoided = direct('UPDATE invoice_charges SET voided = true WHERE invoice_id = $1', [october])
  await expect(makeVoided).rejects.toMatchObject({ code: '23001' })

  await expect(gather(november, charge)).rejects.toMatchObject({ constraint: 'invoice_charges_charge_unique' })
})
