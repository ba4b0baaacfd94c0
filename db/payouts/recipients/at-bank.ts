// Which accounts the bank knows already, so that paying one again is one call and not two.
import { createHmac } from 'node:crypto'
import type { Queryable, Statement } from '../../database'
import { newId } from '../../id'
import type { Keyring, PurposeKey } from '../../keyring'
import type { BankDetails } from './sealed'

/** Keyed, because a bare hash of an account number can be guessed. */
export function detailsHash(keyring: Keyring, details: BankDetails): Buffer {
  return hashUnder(keyring.current('account'), details)
}

export async function findBankRecipient(db: Queryable, customerRef: string, hash: Buffer): Promise<string | null> {
  const [row] = await db.query<{ ref: string }>(selectRecipient, [customerRef, hash])
  return row?.ref ?? null
}

export async function rememberBankRecipient(
  db: Queryable,
  recipient: { customerRef: string; hash: Buffer; recipientRef: string; at: Date },
): Promise<void> {
  const { customerRef, hash, recipientRef, at } = recipient
  await db.query(insertRecipient, [newId(at), customerRef, hash, recipientRef, at])
}

/** The bank has refused a payment to it, so it is registered afresh next time. */
export async function forgetBankRecipient(db: Queryable, customerRef: string, recipientRef: string): Promise<void> {
  await db.query(deleteRecipient, [customerRef, recipientRef])
}

/** At every customer and under every key: whoever pays the account again registers it afresh. */
export async function forgetDetails(db: Queryable, keyring: Keyring, details: BankDetails): Promise<void> {
  await db.query(deleteDetails, [keyring.all('account').map((key) => hashUnder(key, details))])
}

function hashUnder({ bytes }: PurposeKey, details: BankDetails): Buffer {
  const { type, firstName, lastName, bankName, sortCode, accountNumber } = details
  const text = JSON.stringify([type, firstName, lastName, bankName, sortCode, accountNumber])
  return createHmac('sha256', bytes).update(text).digest()
}

const selectRecipient: Statement = {
  name: 'bank-recipient',
  text: 'SELECT recipient_ref AS ref FROM bank_recipients WHERE customer_ref = $1 AND details_hash = $2',
}

const insertRecipient: Statement = {
  name: 'bank-recipient-insert',
  text: `INSERT INTO bank_recipients (id, customer_ref, details_hash, recipient_ref, created_at) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (customer_ref, details_hash) DO UPDATE SET recipient_ref = excluded.recipient_ref`,
}

const deleteRecipient: Statement = {
  name: 'bank-recipient-delete',
  text: 'DELETE FROM bank_recipients WHERE customer_ref = $1 AND recipient_ref = $2',
}

const deleteDetails: Statement = {
  name: 'bank-recipient-forget-details',
  text: 'DELETE FROM bank_recipients WHERE details_hash = ANY ($1::bytea[])',
}
