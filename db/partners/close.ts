// Closes a partner irreversibly. The partner must have no open work. Closing revokes its keys and ends its sessions,
// and the current month is the last one that is billed.
import { assert } from '../../domain/assert'
import { formatUsdcExactly } from '../../domain/money'
import type { Clock } from '../../runtime/clock'
import { recordActivity } from '../controls/activity'
import type { Db, Queryable } from '../database'
import { endSessionsOfPartner } from '../sign-in/sessions'
import { sql } from '../sql'
import { revokeApiKeysOf } from './api-keys'
import { closePartner, lockPartnerToStop, type PartnerRow } from './partners'

interface PartnerToClose {
  readonly slug: string
  /**
   * The amount that is still in the live wallet, as confirmed by the operator. It remains in the wallet, and we owe it
   * to the partner.
   */
  readonly remainingMicroUsdc: bigint
  readonly reason: string
  readonly by: string
  readonly readDays: number
}

type ClosedPartner =
  | { readonly outcome: 'closed'; readonly partner: PartnerRow; readonly keys: number; readonly sessions: number }
  | { readonly outcome: 'already_closed'; readonly partner: PartnerRow }
  /** Each obstacle is a clause that a message can include. */
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
      'payout is still open (refunds and returns count)',
      'payouts are still open (refunds and returns count)',
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

interface Unfinished {
  /**
   * Payouts that are neither released nor closed, in both environments. Includes refunds and returns that are not
   * booked yet.
   */
  readonly openPayouts: number
  /** Other payouts that need an operator, such as a released payout that the bank may have sent. */
  readonly attention: number
  readonly openCases: number
  readonly heldDeposits: number
  /** The balance of the live wallet. The sandbox holds test money, which does not count. */
  readonly liveMicroUsdc: bigint
}

async function findUnfinished(db: Queryable, partnerId: string): Promise<Unfinished> {
  const [found] = await db.sql<Unfinished>`SELECT
      (SELECT count(*)::integer FROM payouts WHERE partner_id = ${partnerId} AND ${isOpen}) AS open_payouts,
      (SELECT count(*)::integer FROM payouts WHERE partner_id = ${partnerId} AND attention IS NOT NULL AND NOT (${isOpen})) AS attention,
      (SELECT count(*)::integer FROM cases c JOIN payouts p ON p.id = c.payout_id
        WHERE p.partner_id = ${partnerId} AND c.resolved_at IS NULL) AS open_cases,
      (SELECT count(*)::integer FROM held_deposits h JOIN wallets w ON w.id = h.wallet_id
        WHERE w.partner_id = ${partnerId} AND h.resolved_at IS NULL) AS held_deposits,
      (SELECT coalesce(sum(balance_micro_usdc), 0)::bigint FROM wallets
        WHERE partner_id = ${partnerId} AND environment = 'live') AS live_micro_usdc`
  assert(found !== undefined, 'an aggregate must return a row')
  return found
}

const isOpen = sql`released_at IS NULL AND closed_at IS NULL`
