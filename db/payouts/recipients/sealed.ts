// Recipients' bank details. They are sealed before they are stored, and opened only to register them at the bank, to
// erase them or to reseal them.
import { createHmac } from 'node:crypto'
import type { RecipientType } from '../../../domain/payouts/payout'
import { bytes, entity, idOf, primary, text } from '../../columns'
import type { Queryable, Tx } from '../../database'
import type { Keyring, PurposeKey } from '../../keyring'
import { openText, type Sealed, sealText } from '../../seal'
import { sql } from '../../sql'
import { recipientPaths } from '../fingerprint'

interface SealedRecipientRow extends Sealed {
  readonly payoutId: string
}

export const sealedRecipient = entity<SealedRecipientRow>('SealedRecipient', 'sealed_recipients', {
  payoutId: primary(idOf('Payout')),
  keyId: text,
  sealed: bytes,
})

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

interface BankDetailsAddress {
  readonly line1: string
  readonly line2: string | null
  readonly city: string
  readonly postalCode: string
  readonly region: string | null
}

/** Replaces the recipient that an earlier attempt of this payout stored. */
export async function sealRecipient(tx: Tx, keyring: Keyring, payoutId: string, details: BankDetails): Promise<void> {
  const { keyId, sealed } = sealDetails(keyring, payoutId, details)
  await tx.sql`INSERT INTO sealed_recipients (payout_id, key_id, sealed) VALUES (${payoutId}, ${keyId}, ${sealed})
    ON CONFLICT (payout_id) DO UPDATE SET key_id = excluded.key_id, sealed = excluded.sealed`
}

/** For callers that store the result with their own statement. The details can be opened only for this payout. */
export function sealDetails(keyring: Keyring, payoutId: string, details: BankDetails): Sealed {
  return sealText(keyring, 'seal', payoutId, JSON.stringify(details))
}

/**
 * Returns null if the recipient was erased. Throws if the sealed text was changed, its key is missing, or it belongs to
 * another payout.
 */
export async function openRecipient(db: Queryable, keyring: Keyring, payoutId: string): Promise<BankDetails | null> {
  const [row] = await db.sql<Sealed>`SELECT key_id, sealed FROM sealed_recipients WHERE payout_id = ${payoutId}`
  if (row === undefined) return null
  const details: BankDetails = JSON.parse(openText(keyring, 'seal', payoutId, row))
  return details
}

export async function hasRecipient(db: Queryable, payoutId: string): Promise<boolean> {
  return db.repo(sealedRecipient).existsBy({ payoutId })
}

/** Locks the payout's row before its recipient, as every transaction does to avoid deadlocks. */
export async function wipeRecipient(tx: Tx, payoutId: string): Promise<void> {
  await tx.sql`WITH forgotten AS (UPDATE payouts SET ${withoutRecipient} WHERE id = ${payoutId} RETURNING id)
    DELETE FROM sealed_recipients WHERE payout_id = (SELECT id FROM forgotten)`
}

/**
 * Payouts to the same account have the same hash. The hash is keyed, because an account number could be guessed from a
 * plain hash.
 */
export function accountHash(
  keyring: Keyring,
  sortCode: string,
  accountNumber: string,
): { keyId: string; hash: Buffer } {
  const key = keyring.current('account')
  return { keyId: key.id, hash: hashUnder(key, sortCode, accountNumber) }
}

/** Returns the hash under every key, to find payouts that were hashed under an older one. */
export function accountHashes(keyring: Keyring, sortCode: string, accountNumber: string): Buffer[] {
  return keyring.all('account').map((key) => hashUnder(key, sortCode, accountNumber))
}

function hashUnder({ bytes }: PurposeKey, sortCode: string, accountNumber: string): Buffer {
  return createHmac('sha256', bytes).update(`${sortCode}:${accountNumber}`).digest()
}

/**
 * Erases the recipient's data in the payout's row when the sealed recipient is erased. There are so few sort codes and
 * account numbers that anyone with the keys could reverse a hash by trying them all. `fingerprint` remains, because it
 * also covers the address and the rest of the request, so it cannot be reversed in that way.
 */
export const withoutRecipient = sql`account_hash = NULL, account_hash_key_id = NULL, bank_body = NULL,
      field_fingerprints = (SELECT coalesce(jsonb_object_agg(path, hash), '{}')
        FROM jsonb_each(field_fingerprints) AS field (path, hash) WHERE NOT starts_with(path, ${recipientPaths}))`
