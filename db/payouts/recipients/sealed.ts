// Bank details, sealed before they touch the database and opened only to be sent to the bank.
import { createHmac } from 'node:crypto'
import type { RecipientType } from '../../../domain/payouts/payout'
import type { Queryable, Statement, Tx } from '../../database'
import type { Keyring, PurposeKey } from '../../keyring'
import { openText, type Sealed, sealText } from '../../seal'
import { recipientPaths } from '../fingerprint'

export interface BankDetails {
  readonly type: RecipientType
  readonly firstName: string
  readonly lastName: string
  readonly email: string | null
  readonly address: BankDetailsAddress
  readonly bankName: string
  readonly sortCode: string
  readonly accountNumber: string
}

export interface BankDetailsAddress {
  readonly line1: string
  readonly line2: string | null
  readonly city: string
  readonly postalCode: string
  readonly region: string | null
}

/** A payout that is claimed again gets its recipient anew. */
export async function sealRecipient(tx: Tx, keyring: Keyring, payoutId: string, details: BankDetails): Promise<void> {
  const { keyId, sealed } = sealDetails(keyring, payoutId, details)
  await tx.sql`INSERT INTO sealed_recipients (payout_id, key_id, sealed) VALUES (${payoutId}, ${keyId}, ${sealed})
    ON CONFLICT (payout_id) DO UPDATE SET key_id = excluded.key_id, sealed = excluded.sealed`
}

/** For who stores them in a statement of their own; they open for this payout only. */
export function sealDetails(keyring: Keyring, payoutId: string, details: BankDetails): Sealed {
  return sealText(keyring, 'seal', payoutId, JSON.stringify(details))
}

/** Null once it was wiped; throws when the seal is broken, its key is gone, or it was made for another payout. */
export async function openRecipient(db: Queryable, keyring: Keyring, payoutId: string): Promise<BankDetails | null> {
  const [row] = await db.query<Sealed>(selectSealed, [payoutId])
  if (row === undefined) return null
  const details: BankDetails = JSON.parse(openText(keyring, 'seal', payoutId, row))
  return details
}

export async function hasRecipient(db: Queryable, payoutId: string): Promise<boolean> {
  return (await db.query(selectSealed, [payoutId])).length > 0
}

/** The payout's row is held by the caller, or taken first: everybody locks it before its recipient. */
export async function wipeRecipient(tx: Tx, payoutId: string): Promise<void> {
  await tx.query(wipe, [payoutId])
}

/** Groups the payouts to one account; keyed, because a bare hash of an account number can be guessed. */
export function accountHash(
  keyring: Keyring,
  sortCode: string,
  accountNumber: string,
): { keyId: string; hash: Buffer } {
  const key = keyring.current('account')
  return { keyId: key.id, hash: hashUnder(key, sortCode, accountNumber) }
}

/** Under every key, to find payouts of before the current one. */
export function accountHashes(keyring: Keyring, sortCode: string, accountNumber: string): Buffer[] {
  return keyring.all('account').map((key) => hashUnder(key, sortCode, accountNumber))
}

function hashUnder({ bytes }: PurposeKey, sortCode: string, accountNumber: string): Buffer {
  return createHmac('sha256', bytes).update(`${sortCode}:${accountNumber}`).digest()
}

const selectSealed: Statement = {
  name: 'sealed-recipient-by-payout',
  text: 'SELECT key_id AS "keyId", sealed FROM sealed_recipients WHERE payout_id = $1',
}

/**
 * What a payout's row loses with its recipient. Sort codes and account numbers are so few that whoever has the keys finds them again
 * by hashing them all; `fingerprint` stays, because it is of the whole request, the address with it, and so can only be compared.
 */
export const withoutRecipient = `account_hash = NULL, account_hash_key_id = NULL, bank_body = NULL,
      field_fingerprints = (SELECT coalesce(jsonb_object_agg(path, hash), '{}') FROM jsonb_each(field_fingerprints) AS field (path, hash)
        WHERE NOT starts_with(path, '${recipientPaths}'))`

const wipe: Statement = {
  name: 'sealed-recipient-wipe',
  text: `WITH forgotten AS (UPDATE payouts SET ${withoutRecipient} WHERE id = $1 RETURNING id)
    DELETE FROM sealed_recipients WHERE payout_id = (SELECT id FROM forgotten)`,
}
