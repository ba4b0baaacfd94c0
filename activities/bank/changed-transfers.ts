// Scans the transfers that changed at a bank. Starts a payout's return workflow if the bank's event about the return
// was lost, and reports contradictions to operators.
import { findReading, saveReading } from '../../db/bank/readings'
import { findPayoutsOfTransfers, type PayoutOfTransfer } from '../../db/payouts/by-transfer'
import { setAttention } from '../../db/payouts/steps'
import type { Environment } from '../../domain/environment'
import { isUuid } from '../../domain/uuid'
import { compareTransfer } from '../../rail/compare-transfer'
import type { ChangedTransfer, Transfer } from '../../rail/rail'
import { startReturn } from '../../runtime/temporal/workflows'
import type { ChangedTransfers, TransferScan } from '../../workflows/bank/changed-transfers'
import { ago, each, type SweepDeps } from '../controls/sweep'

const dayMs = 86_400_000
/**
 * Each scan repeats the last day of the previous one, because clocks differ and a started workflow may have been lost.
 */
const overlapMs = dayMs
/** The first scan reads this far back. Banks do not return older payments. */
const firstScanMs = 91 * dayMs
const atOnce = 100
/** The scan runs daily, so if the last complete scan is older than this, later ones have failed. */
const staleScanMs = 2 * dayMs

/**
 * Reads one batch into memory at a time. If a transfer cannot be processed, the next scan starts from the same position
 * again.
 */
export async function readChangedTransfers(deps: SweepDeps, { environment }: ChangedTransfers): Promise<TransferScan> {
  const rail = deps.banks[environment]
  if (rail === null) return nothing
  const begunAt = deps.clock.now()
  const saved = await findReading(deps.db, environment)
  if (saved !== null && saved < ago(deps, staleScanMs)) {
    deps.log.error({ environment, read_until: saved }, 'changed transfers have not been scanned for days')
  }
  const readUntil = saved ?? ago(deps, firstScanMs)
  let sum = nothing
  let skipped = 0
  for await (const some of inBatches(rail.changedSince(new Date(readUntil.getTime() - overlapMs)))) {
    const unreadable = some.flatMap((each) => (each.outcome === 'unreadable' ? [each.payoutId] : []))
    const failed = await reportUnreadable(deps, environment, unreadable)
    skipped += unreadable.length - failed
    const transfers = some.flatMap((each) => (each.outcome === 'read' ? [each.transfer] : []))
    sum = add(add(sum, { ...nothing, failed }), await readBatch(deps, environment, transfers))
  }
  if (skipped > 0) deps.log.warn({ environment, skipped }, 'cannot parse transfers that belong to none of our payouts')
  if (sum.failed === 0) await saveReading(deps.db, environment, begunAt)
  return sum
}

const nothing: TransferScan = { looked: 0, returns: 0, contradictions: 0, failed: 0 }

/** Logs each unreadable transfer that belongs to one of our payouts. Returns how many it logged. */
async function reportUnreadable(
  deps: SweepDeps,
  environment: Environment,
  named: readonly (string | null)[],
): Promise<number> {
  const ids = named.flatMap((payoutId) => (payoutId !== null && isUuid(payoutId) ? [payoutId] : []))
  const ours = ids.length === 0 ? [] : await findPayoutsOfTransfers(deps.db, environment, ids)
  for (const { payoutId } of ours)
    deps.log.error({ payout_id: payoutId }, 'cannot read the changed transfer of a payout')
  return ours.length
}

async function readBatch(deps: SweepDeps, environment: Environment, some: readonly Transfer[]): Promise<TransferScan> {
  const named = new Map<string, Transfer[]>()
  for (const transfer of some) {
    const payoutId = transfer.payoutId?.toLowerCase() ?? ''
    if (isUuid(payoutId)) named.set(payoutId, [...(named.get(payoutId) ?? []), transfer])
  }
  const payouts = await findPayoutsOfTransfers(deps.db, environment, [...named.keys()])
  const known = payouts.flatMap((payout) =>
    (named.get(payout.payoutId) ?? []).map((transfer) => ({
      payout,
      transfer,
      compared: compareNow(transfer, payout),
    })),
  )
  const contradicting = known.filter(({ compared }) => compared === 'contradiction')
  for (const { payout, transfer } of contradicting) {
    const about = { payout_id: payout.payoutId, transfer_ref: transfer.ref, state: transfer.state }
    deps.log.error(about, 'the bank contradicts our books')
    await setAttention(deps.db, payout.payoutId, `bank_contradicts_${transfer.state}`)
  }
  const back = known.filter(({ compared }) => compared === 'came_back').map(({ payout }) => payout)
  const { done, failed } = await each(
    deps,
    back,
    (payout) => startReturn(deps, payout),
    ({ payoutId }) => ({ payout_id: payoutId }),
  )
  return { looked: some.length, returns: done.length, contradictions: contradicting.length, failed }
}

/**
 * Unlike an event, a scan reads the transfer's current status. So a delivered transfer contradicts a payout that was
 * returned and closed.
 */
function compareNow(transfer: Transfer, payout: PayoutOfTransfer) {
  const isTakenBack = payout.status === 'returned' && payout.closedAt !== null && transfer.status === 'delivered'
  return isTakenBack ? 'contradiction' : compareTransfer(transfer, payout)
}

async function* inBatches(all: AsyncIterable<ChangedTransfer>): AsyncGenerator<readonly ChangedTransfer[]> {
  let batch: ChangedTransfer[] = []
  for await (const one of all) {
    batch.push(one)
    if (batch.length < atOnce) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

function add(one: TransferScan, other: TransferScan): TransferScan {
  return {
    looked: one.looked + other.looked,
    returns: one.returns + other.returns,
    contradictions: one.contradictions + other.contradictions,
    failed: one.failed + other.failed,
  }
}
