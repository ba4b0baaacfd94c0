// The emailed code that a person's live payout needs: bound to its key, its amount and its recipient, used with the claim (design §6).
import { codeBinding, giveCodeBack, tryCode } from '../../db/codes'
import type { Keyring } from '../../db/keyring'
import { type Claim, claimPayout, type IdempotencyKey } from '../../db/payout-claims'
import type { ApiDeps } from '../deps'
import { ApiError } from '../errors'
import type { ApiRequest } from '../route'
import type { PayoutRequest } from './payout-order'

export interface Confirmation {
  readonly memberId: string
  readonly boundTo: Buffer
  /** Null when the request has none. */
  readonly code: string | null
}

/** Null for who needs none: keys, and everybody in the sandbox. */
export function confirmationFor(
  { key, wanted, request }: { key: IdempotencyKey; wanted: PayoutRequest; request: Pick<ApiRequest, 'caller'> },
  { keyring }: Pick<ApiDeps, 'keyring'>,
): Confirmation | null {
  const { caller } = request
  if (caller.by === 'key' || caller.environment === 'sandbox') return null
  return { memberId: caller.memberId, boundTo: boundToPayout(keyring, key, wanted), code: wanted.confirmCode }
}

/** All that the payout is: whatever is changed after the code was sent, be it a letter of the name, makes it another one. */
export function boundToPayout(keyring: Keyring, key: IdempotencyKey, { fields }: PayoutRequest): Buffer {
  const { partnerId: partner_id, environment, idempotencyKey: idempotency_key } = key
  return codeBinding(keyring, { ...fields, partner_id, environment, idempotency_key })
}

/** Looks at the code without using it, because other reasons may still refuse the payout; a wrong one counts as a try. */
export async function requireRightCode(
  confirmation: Confirmation | null,
  { db, keyring, clock }: Pick<ApiDeps, 'db' | 'keyring' | 'clock'>,
): Promise<void> {
  if (confirmation === null) return
  const tried = triedCode(confirmation, clock.now())
  const isRight =
    tried !== null &&
    (await db.transaction(async (tx) => {
      const used = await tryCode(tx, keyring, tried)
      if (used !== null) await giveCodeBack(tx, used)
      return used !== null
    }))
  if (!isRight) throw new ApiError('invalid_confirm_code')
}

/**
 * The claim and the use of its code, both or neither. Null as claimPayout's is: the key is taken, or the code was used
 * meanwhile, which only a request for the same key can have done. Whoever hears it looks again.
 */
export async function claimConfirmed(
  claim: Claim,
  confirmation: Confirmation | null,
  { db, keyring }: Pick<ApiDeps, 'db' | 'keyring'>,
): ReturnType<typeof claimPayout> {
  if (confirmation === null) return claimPayout(db, claim)
  const tried = triedCode(confirmation, claim.at)
  if (tried === null) return null
  return db.transaction(async (tx) => {
    const used = await tryCode(tx, keyring, { ...tried, usedFor: claim.payoutId })
    if (used === null) return null
    const claimed = await claimPayout(tx, claim)
    if (claimed === null || claimed === 'partner_not_active') await giveCodeBack(tx, used)
    return claimed
  })
}

function triedCode({ memberId, boundTo, code }: Confirmation, at: Date) {
  return code === null ? null : { purpose: 'confirm' as const, subject: memberId, boundTo, code, at }
}
