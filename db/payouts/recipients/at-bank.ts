// Recipient accounts that are already registered at the bank. Paying one again needs one call instead of two.
import { createHmac } from 'node:crypto'
import { bytes, entity, id, text, time } from '../../columns'
import type { Queryable } from '../../database'
import { newId } from '../../id'
import type { Keyring, PurposeKey } from '../../keyring'
import type { BankDetails } from './sealed'

interface StoredBankRecipient {
  readonly id: string
  readonly customerRef: string
  readonly detailsHash: Buffer
  readonly recipientRef: string
  readonly createdAt: Date
}

export const bankRecipient = entity<StoredBankRecipient>('BankRecipient', 'bank_recipients', {
  id,
  customerRef: text,
  detailsHash: bytes,
  recipientRef: text,
  createdAt: time,
})

/** Uses a keyed hash, because an account number could be guessed from a plain hash. */
export function detailsHash(keyring: Keyring, details: BankDetails): Buffer {
  return hashUnder(keyring.current('account'), details)
}

export async function findBankRecipient(db: Queryable, customerRef: string, hash: Buffer): Promise<string | null> {
  const [row] = await db.sql<Pick<StoredBankRecipient, 'recipientRef'>>`SELECT recipient_ref FROM bank_recipients
    WHERE customer_ref = ${customerRef} AND details_hash = ${hash}`
  return row?.recipientRef ?? null
}

export async function rememberBankRecipient(
  db: Queryable,
  recipient: { customerRef: string; hash: Buffer; recipientRef: string; at: Date },
): Promise<void> {
  const { customerRef, hash, recipientRef, at } = recipient
  await db.sql`INSERT INTO bank_recipients (id, customer_ref, details_hash, recipient_ref, created_at)
    VALUES (${newId(at)}, ${customerRef}, ${hash}, ${recipientRef}, ${at})
    ON CONFLICT (customer_ref, details_hash) DO UPDATE SET recipient_ref = excluded.recipient_ref`
}

/** Called after the bank has refused a payment to the recipient. The next payout registers the account again. */
export async function deleteBankRecipient(db: Queryable, customerRef: string, recipientRef: string): Promise<void> {
  await db.sql`DELETE FROM bank_recipients WHERE customer_ref = ${customerRef} AND recipient_ref = ${recipientRef}`
}

/**
 * Deletes the stored registrations of the account, for all customers and secret keys. The next payout registers it
 * again.
 */
export async function deleteBankRecipients(db: Queryable, keyring: Keyring, details: BankDetails): Promise<void> {
  const hashes = keyring.all('account').map((key) => hashUnder(key, details))
  await db.sql`DELETE FROM bank_recipients WHERE details_hash = ANY (${hashes}::bytea[])`
}

function hashUnder({ bytes }: PurposeKey, details: BankDetails): Buffer {
  const { type, firstName, lastName, bankName, sortCode, accountNumber } = details
  const text = JSON.stringify([type, firstName, lastName, bankName, sortCode, accountNumber])
  return createHmac('sha256', bytes).update(text).digest()
}
