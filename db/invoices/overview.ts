// The data for a partner's home page, read from one snapshot so that all numbers agree.
import { assert } from '../../domain/assert'
import type { MadeInvoice } from '../../domain/invoices/invoice'
import type { Month } from '../../domain/month'
import type { Db, Queryable } from '../database'
import { listPayouts, type PayoutRow, type Scope } from '../payouts/payouts'
import { findWallet, type WalletRow } from '../wallets/wallets'
import { loadInvoiceSoFar, loadUsage, loadUsageHistory, type MonthUsage, type UsageRow } from './usage'

export interface Overview {
  readonly wallet: WalletRow
  readonly usage: UsageRow
  readonly soFar: MadeInvoice
  readonly history: readonly MonthUsage[]
  readonly latest: readonly PayoutRow[]
  readonly attention: readonly Attention[]
  readonly members: number
  readonly activeKeys: number
}

export const attentionStatuses = ['pending', 'processing', 'failed', 'returned'] as const
type AttentionStatus = (typeof attentionStatuses)[number]

/** The payouts with one status that need the partner's attention. */
export interface Attention {
  readonly status: AttentionStatus
  readonly payouts: readonly PayoutRow[]
  readonly hasMore: boolean
}

export interface Wanted {
  readonly now: Date
  readonly months: readonly Month[]
}

const latestCount = 6
/** More than the page shows at once, because users dismiss some. */
const attentionCount = 10
const minuteMs = 60_000
/** A payout in progress for longer than this needs attention. */
const lateMs = 15 * minuteMs
/** A payout that ended without payment needs attention for this long. */
const recentMs = 7 * 24 * 60 * minuteMs

export function loadOverview(db: Db, scope: Scope, { now, months }: Wanted): Promise<Overview> {
  return db.transaction(async (tx) => {
    await tx.sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`
    const wallet = await findWallet(tx, scope.partnerId, scope.environment)
    assert(wallet !== null, 'a partner must have a wallet in each environment')
    return {
      wallet,
      usage: await loadUsage(tx, scope, now),
      soFar: await loadInvoiceSoFar(tx, scope, now),
      history: await loadUsageHistory(tx, scope, months),
      latest: await listPayouts(tx, scope, {}, { take: latestCount, startingAfter: null }),
      attention: await listAttention(tx, scope, now),
      ...(await countSetup(tx, scope)),
    }
  })
}

/** Lists late payouts, oldest first, then payouts that recently failed or were returned, newest first. */
async function listAttention(db: Queryable, scope: Scope, now: Date): Promise<Attention[]> {
  const late = { createdBefore: new Date(now.getTime() - lateMs).toISOString() }
  const recent = { updatedAfter: new Date(now.getTime() - recentMs).toISOString() }
  const attention: Attention[] = []
  // Each status has its own limit, so that many failed payouts do not hide a late one.
  for (const status of attentionStatuses) {
    const isLate = status === 'pending' || status === 'processing'
    const filters = { statuses: [status], ...(isLate ? late : recent) }
    const order = isLate ? 'oldest' : 'newest'
    const found = await listPayouts(db, scope, filters, { take: attentionCount + 1, startingAfter: null, order })
    attention.push({ status, payouts: found.slice(0, attentionCount), hasMore: found.length > attentionCount })
  }
  return attention
}

async function countSetup(db: Queryable, { partnerId, environment }: Scope) {
  const [counted] = await db.sql<Pick<Overview, 'members' | 'activeKeys'>>`SELECT
      (SELECT count(*)::integer FROM members WHERE partner_id = ${partnerId}) AS members,
      (SELECT count(*)::integer FROM api_keys
        WHERE partner_id = ${partnerId} AND environment = ${environment} AND revoked_at IS NULL) AS active_keys`
  assert(counted !== undefined, 'a count must have a row')
  return counted
}
