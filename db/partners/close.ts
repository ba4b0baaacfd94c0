// Closes a partner for good: nothing of it may be under way, its keys and sessions end, and its last month is the one it was closed in.

import { formatUsdcExactly } from '../../domain/money'
import type { Clock } from '../../runtime/clock'
import { recordActivity } from '../controls/activity'
import type { Db } from '../database'
import { endSessionsOfPartner } from '../sign-in/sessions'
import { revokeApiKeysOf } from './api-keys'
import { closePartner, lockPartnerToStop, type PartnerRow } from './partners'
import { findUnfinished, type Unfinished } from './unfinished'

export interface PartnerToClose {
  readonly slug: string
  /** What the live wallet may still hold; it stays there, and is owed to the partner. */
  readonly remainingMicroUsdc: bigint
  readonly reason: string
  readonly by: string
  readonly readDays: number
}

export type ClosedPartner =
  | { readonly outcome: 'closed'; readonly partner: PartnerRow; readonly keys: number; readonly sessions: number }
  | { readonly outcome: 'already_closed'; readonly partner: PartnerRow }
  /** Each obstacle is a part of a sentence. */
  | { readonly outcome: 'refused'; readonly obstacles: readonly string[] }
  | { readonly outcome: 'not_found' }

export async function closePartnerForGood(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  { slug, remainingMicroUsdc, reason, by, readDays }: PartnerToClose,
): Promise<ClosedPartner> {
  return db.transaction(async (tx) => {
    const partner = await lockPartnerToStop(tx, slug)
    if (partner === null) return { outcome: 'not_found' }
    if (partner.status === 'closed') return { outcome: 'already_closed', partner }
    const obstacles = obstaclesIn(await findUnfinished(tx, partner.id), remainingMicroUsdc)
    if (obstacles.length > 0) return { outcome: 'refused', obstacles }

    const at = clock.now()
    const { id: partnerId } = partner
    const readableUntil = new Date(at.getTime() + readDays * 86_400_000)
    const closed = await closePartner(tx, { id: partnerId, at, readableUntil })
    const keys = await revokeApiKeysOf(tx, { partnerId, revokedBy: by, at })
    const sessions = await endSessionsOfPartner(tx, partnerId, at)
    const left = remainingMicroUsdc === 0n ? '' : `, ${formatUsdcExactly(remainingMicroUsdc)} USDC left`
    const detail = `${reason} (keys revoked: ${keys}, sessions ended: ${sessions}${left})`
    const entry = { partnerId, at, environment: null, action: 'partner.close', status: null, madeBy: by, detail }
    await recordActivity(tx, [{ ...entry, changes: 'something', requestId: null }])
    return { outcome: 'closed', partner: closed, keys, sessions }
  })
}

function obstaclesIn(unfinished: Unfinished, remainingMicroUsdc: bigint): string[] {
  const { openPayouts, attention, openCases, heldDeposits, liveMicroUsdc } = unfinished
  return [
    ...counted(
      openPayouts,
      'payout is not over (refunds and returns count)',
      'payouts are not over (refunds and returns count)',
    ),
    ...counted(attention, 'payout waits for an operator', 'payouts wait for an operator'),
    ...counted(openCases, 'case is open', 'cases are open'),
    ...counted(heldDeposits, 'deposit is held', 'deposits are held'),
    ...(liveMicroUsdc === remainingMicroUsdc ? [] : [`its live wallet holds ${formatUsdcExactly(liveMicroUsdc)} USDC`]),
  ]
}

function counted(count: number, one: string, many: string): string[] {
  if (count === 0) return []
  return [`${count} ${count === 1 ? one : many}`]
}
