// Rewrites payout data under the current secret key after a rotation (docs/operations/keys.md).
import type { Db } from '../database'
import type { Keyring } from '../keyring'
import { type CanonicalFields, differingFields, type Fingerprint, fingerprintOf } from '../payouts/fingerprint'
import { accountHash, accountHashes, type BankDetails } from '../payouts/recipients/sealed'
import { openText, type Sealed, sealText } from '../seal'

interface SealedPayout {
  readonly id: string
  readonly seal: Sealed
  readonly amountPence: bigint
  readonly reference: string | null
  readonly fingerprint: Fingerprint
  readonly accountHash: Buffer | null
  readonly accountHashKeyId: string | null
}

/** Rebuilds a payout request's fields from the stored data. The API's request parser provides this function. */
type FieldsOf = (payout: SealedPayout, details: BankDetails) => CanonicalFields

interface ResealedBatch {
  /** The payout after which the next batch starts. Null after the last batch. */
  readonly next: string | null
  readonly written: number
  /** The number of payouts left under an older key, because their seal did not open or a hash did not match. */
  readonly left: number
}

export const firstPayout = '00000000-0000-0000-0000-000000000000'

/**
 * Processes up to `limit` payouts after `after`. Safe to repeat, and to run while payouts are created, paid and erased.
 */
export async function resealBatch(
  db: Db,
  keyring: Keyring,
  { after, limit, fieldsOf }: { after: string; limit: number; fieldsOf: FieldsOf },
): Promise<ResealedBatch> {
  const payouts = (
    await db.sql<Stored>`SELECT p.id, s.key_id AS seal_key_id, s.sealed, p.amount_pence, p.reference,
      p.fingerprint_key_id, p.fingerprint AS whole, p.field_fingerprints AS fields,
      p.account_hash, p.account_hash_key_id
    FROM sealed_recipients s JOIN payouts p ON p.id = s.payout_id
    WHERE s.payout_id > ${after} ORDER BY s.payout_id LIMIT ${limit}`
  ).map(payoutFrom)
  const old = payouts.filter((payout) => isOld(payout, keyring.current('seal').id))
  const renewed = old.flatMap((payout) => renew(keyring, payout, fieldsOf) ?? [])
  if (renewed.length > 0) await write(db, renewed)
  return {
    next: payouts.length === limit ? (payouts.at(-1)?.id ?? null) : null,
    written: renewed.length,
    left: old.length - renewed.filter(({ isWhole }) => isWhole).length,
  }
}

function isOld({ seal, fingerprint, accountHashKeyId }: SealedPayout, current: string): boolean {
  return [seal.keyId, fingerprint.keyId, accountHashKeyId ?? current].some((keyId) => keyId !== current)
}

interface Renewed {
  readonly before: SealedPayout
  readonly seal: Sealed
  readonly fingerprint: Fingerprint
  readonly account: { readonly keyId: string | null; readonly hash: Buffer | null }
  readonly isWhole: boolean
}

/** Returns null if the seal cannot be opened. Rewrites a hash only if one of the keys reproduces the stored hash. */
function renew(keyring: Keyring, before: SealedPayout, fieldsOf: FieldsOf): Renewed | null {
  const details = openOrNull(keyring, before)
  if (details === null) return null
  const fields = fieldsOf(before, details)
  const isSameRequest = differingFields(keyring, before.fingerprint, fields)?.length === 0
  const { sortCode, accountNumber } = details
  const known = accountHashes(keyring, sortCode, accountNumber)
  const isSameAccount = before.accountHash !== null && known.some((hash) => before.accountHash?.equals(hash))
  return {
    before,
    seal: resealed(keyring, before, details),
    fingerprint: isSameRequest ? fingerprintOf(keyring, fields) : before.fingerprint,
    account: isSameAccount
      ? accountHash(keyring, sortCode, accountNumber)
      : { keyId: before.accountHashKeyId, hash: before.accountHash },
    isWhole: isSameRequest && (isSameAccount || before.accountHash === null),
  }
}

function resealed(keyring: Keyring, { id, seal }: SealedPayout, details: BankDetails): Sealed {
  const isCurrent = seal.keyId === keyring.current('seal').id
  return isCurrent ? seal : sealText(keyring, 'seal', id, JSON.stringify(details))
}

function openOrNull(keyring: Keyring, { id, seal }: SealedPayout): BankDetails | null {
  try {
    return JSON.parse(openText(keyring, 'seal', id, seal))
  } catch {
    return null
  }
}

/** Skips rows that have changed: a payout claimed again has new values, and an erased payout must remain erased. */
async function write(db: Db, renewed: readonly Renewed[]): Promise<void> {
  const ids = renewed.map(({ before }) => before.id)
  await db.transaction(async (tx) => {
    // Locks rows in a fixed order, so that two processes cannot deadlock.
    await tx.sql`WITH renewed AS (
      SELECT * FROM unnest(${ids}::uuid[], ${renewed.map(({ before }) => before.fingerprint.whole)}::bytea[], ${renewed.map(({ fingerprint }) => fingerprint.whole)}::bytea[], ${renewed.map(({ fingerprint }) => fingerprint.keyId)}::text[], ${renewed.map(({ fingerprint }) => JSON.stringify(fingerprint.fields))}::jsonb[], ${renewed.map(({ account }) => account.hash)}::bytea[], ${renewed.map(({ account }) => account.keyId)}::text[], ${renewed.map(({ before }) => before.accountHash)}::bytea[],
        ${renewed.map(({ before }) => JSON.stringify(before.fingerprint.fields))}::jsonb[]) AS each (id, was, whole, whole_key_id, fields, account, account_key_id, account_was, fields_were)
    ), locked AS (
      SELECT renewed.* FROM payouts p JOIN renewed ON renewed.id = p.id
      WHERE p.fingerprint = renewed.was AND p.account_hash IS NOT DISTINCT FROM renewed.account_was
        AND p.field_fingerprints = renewed.fields_were
      ORDER BY p.id FOR NO KEY UPDATE OF p
    )
    UPDATE payouts p SET fingerprint = locked.whole, fingerprint_key_id = locked.whole_key_id,
      field_fingerprints = locked.fields, account_hash = locked.account, account_hash_key_id = locked.account_key_id
    FROM locked WHERE p.id = locked.id`
    await tx.sql`WITH renewed AS (
      SELECT * FROM unnest(${ids}::uuid[], ${renewed.map(({ before }) => before.seal.sealed)}::bytea[], ${renewed.map(({ seal }) => seal.sealed)}::bytea[], ${renewed.map(({ seal }) => seal.keyId)}::text[]) AS each (id, was, sealed, key_id)
    ), locked AS (
      SELECT renewed.* FROM sealed_recipients s JOIN renewed ON renewed.id = s.payout_id AND renewed.was = s.sealed
      ORDER BY s.payout_id FOR UPDATE OF s
    )
    UPDATE sealed_recipients s SET sealed = locked.sealed, key_id = locked.key_id
    FROM locked WHERE s.payout_id = locked.id`
  })
}

interface Stored extends Omit<SealedPayout, 'seal' | 'fingerprint'> {
  readonly sealKeyId: string
  readonly sealed: Buffer
  readonly fingerprintKeyId: string
  readonly whole: Buffer
  readonly fields: Fingerprint['fields']
}

function payoutFrom({ sealKeyId, sealed, fingerprintKeyId, whole, fields, ...payout }: Stored): SealedPayout {
  return {
    ...payout,
    seal: { keyId: sealKeyId, sealed },
    fingerprint: { keyId: fingerprintKeyId, whole, fields },
  }
}
