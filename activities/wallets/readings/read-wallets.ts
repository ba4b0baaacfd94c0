// Reads wallet histories at the bank and books new movements, for one wallet or a page of wallets.

import { findWalletsReadTo, type ReadingFailure, saveWalletsReadTo } from '../../../db/bank/readings'
import { reportUnexplainedRefund } from '../../../db/payouts/by-transfer'
import { bookDeposits } from '../../../db/wallets/book-deposits'
import {
  clearFailedReading,
  deleteUndecided,
  findWalletToRead,
  listUndecided,
  listWalletsToRead,
  moveHistoryReadTo,
  recordFailedReading,
  rememberUndecided,
  type WalletToRead,
} from '../../../db/wallets/readings'
import type { RailName } from '../../../domain/environment'
import { ListTooLong, newestOf, type Rail, RailRefused, RailUnavailable, type WalletMovement } from '../../../rail/rail'
import type { ReturnStart } from '../../../workflows/starts'
import type { WalletPage, WalletRead, WalletsRead } from '../../../workflows/wallets/readings'
import type { ActivityDeps } from '../../bind'
import { isUndecided, type Judged, judgeHistory } from './judge-history'

const atOnce = 5

/**
 * Reads a page, a few wallets at a time. A wallet that cannot be read does not stop the others. The next run resumes
 * where an interrupted one stopped.
 */
export async function readWallets(deps: WalletReadingDeps, page: WalletPage): Promise<WalletsRead> {
  const { environment, limit } = page
  const after = page.after ?? (await findWalletsReadTo(deps.db, environment))
  const wallets = await listWalletsToRead(deps.db, { environment, after, limit, at: deps.clock.now() })
  const isLastPage = wallets.length < limit
  const done: WalletRead[] = []
  for (let from = 0; from < wallets.length; from += atOnce) {
    const some = wallets.slice(from, from + atOnce)
    const outcomes = await Promise.all(some.map((wallet) => readOne(deps, wallet)))
    done.push(...outcomes.filter((outcome) => typeof outcome === 'object'))
    // Continues after wallets that could not be read, so that they do not block the rest.
    const isLast = isLastPage && from + atOnce >= wallets.length
    await saveWalletsReadTo(deps.db, environment, isLast ? null : (some.at(-1)?.id ?? null))
    // If the bank answered for none of these wallets, it is unavailable. Trying all the others would take until the
    // next reading.
    if (outcomes.every((outcome) => outcome === 'no answer')) return sumOf(done, wallets.length, null)
  }
  if (wallets.length === 0) await saveWalletsReadTo(deps.db, environment, null)
  return sumOf(done, wallets.length, isLastPage ? null : (wallets.at(-1)?.id ?? null))
}

async function readOne(deps: WalletReadingDeps, wallet: WalletToRead): Promise<WalletRead | 'no answer' | 'failed'> {
  try {
    return await readFound(deps, wallet)
  } catch (error) {
    const isAway = error instanceof RailUnavailable && !(error instanceof RailRefused)
    deps.log[isAway ? 'warn' : 'error']({ err: error, wallet_id: wallet.id }, 'cannot read wallet history')
    return isAway ? 'no answer' : 'failed'
  }
}

function sumOf(done: readonly WalletRead[], wallets: number, next: string | null): WalletsRead {
  const sum = (name: keyof WalletRead) => done.reduce((total, each) => total + each[name], 0)
  return {
    booked: sum('booked'),
    held: sum('held'),
    returns: sum('returns'),
    unresolved: sum('unresolved'),
    read: done.length,
    failed: wallets - done.length,
    next,
  }
}

export interface WalletReadingDeps extends Pick<ActivityDeps, 'db' | 'clock' | 'log'> {
  readonly rails: Readonly<Record<RailName, Pick<Rail, 'walletHistory' | 'payoutOf'>>>
  /** Age at which an unexplained refund needs attention. */
  readonly listLagMs: number
  /** Does not start a workflow if one has polled the bank recently and after `refundedAt`. */
  startReturn(payout: ReturnStart, refundedAt: Date): Promise<void>
}

/** Safe to repeat, to run concurrently and to interrupt. */
export async function readWallet(
  deps: WalletReadingDeps,
  { walletId }: { readonly walletId: string },
): Promise<WalletRead> {
  const wallet = await findWalletToRead(deps.db, walletId)
  return wallet === null ? nothing : readFound(deps, wallet)
}

const nothing: WalletRead = { booked: 0, held: 0, returns: 0, unresolved: 0 }

/** Records a failure, so that operators see a wallet whose deposits are not booked. */
async function readFound(deps: WalletReadingDeps, wallet: WalletToRead): Promise<WalletRead> {
  try {
    const read = await readHistory(deps, wallet)
    await clearFailedReading(deps.db, wallet.id)
    return read
  } catch (error) {
    await recordFailure(deps, wallet.id, error)
    throw error
  }
}

async function readHistory(deps: WalletReadingDeps, wallet: WalletToRead): Promise<WalletRead> {
  const { db, clock, log, rails } = deps
  const { id: walletId, customerRef, walletRef, historyReadTo } = wallet
  const rail = rails[wallet.rail]
  const history = await rail.walletHistory({ customerRef, walletRef, after: historyReadTo })
  const inHistory = new Set(history.map(({ id }) => id))
  const remembered = (await listUndecided(db, walletId)).filter(({ id }) => !inHistory.has(id))
  const earlier = await judgeHistory({ db, rail }, wallet, remembered)
  const fresh = await judgeHistory({ db, rail }, wallet, history)
  const judged = [...earlier, ...fresh]
  // Start the returns before the history counts as read. After an interruption the next reading starts the same ones
  // again.
  const returns = judged.filter((each) => each.verdict === 'return')
  for (const { payout, row } of returns) await deps.startReturn(payout, row.at)

  const { booked, held } = await db.transaction(async (tx) => {
    const at = clock.now()
    const done = await bookDeposits(tx, { wallet, judged, createdBy: 'bank', action: 'wallet.top_up', at })
    const { to, movements } = readPositionAfter(fresh)
    if (to !== null) await moveHistoryReadTo(tx, { walletId, from: historyReadTo, to })
    await rememberUndecided(tx, { walletId, movements, at })
    const decided = judged.filter((each) => !isUndecided(each)).map(({ row }) => row.id)
    await deleteUndecided(tx, walletId, decided)
    return done
  })
  for (const { bankRef, why } of held) {
    log.error({ wallet_id: walletId, bank_ref: bankRef, why }, 'movement held; an operator has to decide (ops deposit)')
  }
  for (const each of returns) await reportUnexplained(deps, each)
  const unresolved = judged.filter(({ verdict }) => verdict === 'unresolved').length
  return { booked: booked.length, held: held.length, returns: returns.length, unresolved }
}

async function recordFailure({ db, clock, log }: WalletReadingDeps, walletId: string, error: unknown): Promise<void> {
  try {
    await recordFailedReading(db, { walletId, reason: reasonOf(error), at: clock.now() })
  } catch (cause) {
    log.warn({ err: cause, wallet_id: walletId }, 'cannot record the failed reading')
  }
}

function reasonOf(error: unknown): ReadingFailure {
  if (error instanceof ListTooLong) return 'too_long'
  if (error instanceof RailRefused) return 'refused'
  return error instanceof RailUnavailable ? 'no_answer' : 'failed'
}

/**
 * The bank's history and its transfer may differ briefly. If they differ for longer, the refund remains unbooked and
 * needs an operator.
 */
async function reportUnexplained(
  { db, clock, log, listLagMs }: WalletReadingDeps,
  { payout, row }: Extract<Judged, { verdict: 'return' }>,
): Promise<void> {
  if (clock.now().getTime() - row.at.getTime() < listLagMs) return
  if (!(await reportUnexplainedRefund(db, payout.payoutId))) return
  log.error(
    { payout_id: payout.payoutId, bank_ref: row.id },
    'the wallet history has a refund that its transfer does not show',
  )
}

/** How late a movement may appear in the history without being missed. */
const lateByMs = 60 * 60 * 1000

/**
 * Returns the position before which no movement has to be read again, or null if there is none. Excludes the newest
 * hour by the bank's clock, because a late movement may still appear in it. The caller stores the undecided movements
 * before the position.
 */
export function readPositionAfter(judged: readonly Judged[]): {
  readonly to: string | null
  readonly movements: WalletMovement[]
} {
  const settledBefore = newestOf(judged.map(({ row }) => row)) - lateByMs
  const young = judged.findIndex(({ row: { at } }) => at !== null && at.getTime() >= settledBefore)
  const settled = young === -1 ? judged : judged.slice(0, young)
  const movements = settled.flatMap((each) => (isUndecided(each) ? each.row : []))
  return { to: settled.at(-1)?.row.id ?? null, movements }
}
