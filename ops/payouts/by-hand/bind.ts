// Binds a transfer to the released attempt that it belongs to, because the bank did send it, and posts the debit again.
// From then on the partner sees the payout again.

import { recordTransfer } from '../../../activities/payouts/attempt'
import { recordActivity } from '../../../db/controls/activity'
import type { Tx } from '../../../db/database'
import { recordPayoutEvent } from '../../../db/payouts/events'
import { postDebitAgain } from '../../../db/payouts/money'
import { loadStep, lockStep, type StepRow, undoRelease } from '../../../db/payouts/steps'
import { assert } from '../../../domain/assert'
import { formatUsdcExactly } from '../../../domain/money'
import type { Transfer } from '../../../rail/rail'
import type { ByHandDeps, Decision, Resolved } from './resolve'

type TransferToBind = Decision & { readonly transferRef: string }

/** Only reads from the bank. The workflow or the sweep settles the payout afterwards. */
export async function bindTransfer(deps: ByHandDeps, decision: TransferToBind): Promise<Resolved> {
  const row = await loadStep(deps.db, decision.payoutId)
  const objection = objectionTo(row, decision)
  if (objection !== null) return refusedFor(objection)

  const rail = deps.rails[row.rail]
  const names = await rail.payoutOf(decision.transferRef)
  if (names === null) return refusedFor('The bank has no such transfer, or the transfer does not reference a payout.')
  if (names !== row.id) return refusedFor('At the bank, this transfer belongs to another payout.')
  const transfer = await rail.transfer(decision.transferRef)
  const mismatch = moneyIsBack(transfer) ?? ofEarlierAttempt(row, transfer)
  if (mismatch !== null) return refusedFor(mismatch)

  return deps.db.transaction(async (tx) => {
    const locked = await lockStep(tx, decision.payoutId)
    // During the call to the bank, another operator may have bound the transfer, or the partner may have claimed the
    // key again.
    if (locked.attempt !== row.attempt) return refusedFor('Its key has been claimed again: repeat the command.')
    const now = objectionTo(locked, decision)
    return now === null ? bind(tx, deps, { row: locked, decision, transfer }) : refusedFor(now)
  })
}

function objectionTo({ releasedAt, transferRef }: StepRow, decision: TransferToBind): string | null {
  if (releasedAt !== null) return null
  if (transferRef === decision.transferRef)
    return 'The payout already follows this transfer, so there is nothing to bind.'
  return 'Its key was not released, so there is nothing to bind. If the bank’s response was lost, record the outcome with `payout resolve`.'
}

/** The bank returned the money, so the wallet is not debited again. An operator accounts for the movements. */
function moneyIsBack({ status }: Transfer): string | null {
  if (status !== 'refunded' && status !== 'cancelled') return null
  return (
    'The bank has returned this money, so there is nothing to bind: keep its movements with `deposit keep`, accept the drift ' +
    'with `proof accept`, then free the key with `payout attended --free-key yes`.'
  )
}

/** The row stores only the amounts of its latest attempt, so it cannot record a transfer of an earlier attempt. */
function ofEarlierAttempt(row: StepRow, { createdAt, sentMicroUsdc }: Transfer): string | null {
  if (row.attempt === 1) return null
  const claimedMs = row.createdAt.getTime() - bankTimesWithinMs
  const isYounger = createdAt !== null && createdAt.getTime() >= claimedMs
  if (isYounger && sentMicroUsdc === row.walletSendsMicroUsdc) return null
  return (
    `This transfer belongs to an attempt before the latest one, attempt ${row.attempt}, and cannot be bound: have ` +
    'the bank recall it, or settle it with the partner and accept the drift with `proof accept`.'
  )
}

/** A bank may round its times to whole seconds. */
const bankTimesWithinMs = 1_000

interface Binding {
  readonly row: StepRow
  readonly decision: TransferToBind
  readonly transfer: Transfer
}

async function bind(tx: Tx, { clock, log }: ByHandDeps, { row, decision, transfer }: Binding): Promise<Resolved> {
  const { payoutId, transferRef, evidence, by } = decision
  const debited = await postDebitAgain(tx, row, { by, at: clock.now() })
  if (debited.outcome === 'insufficient') return refusedFor(shortage(row, debited.balanceMicroUsdc))
  assert(debited.outcome === 'posted', 'a released attempt is debited again once')

  const payout = { payoutId, attempt: row.attempt }
  await undoRelease(tx, { ...payout, at: clock.now() })
  const { status } = await recordTransfer({ db: tx, clock, log }, payout, row, transfer)
  assert(status === 'processing' || status === 'failed', 'a bound transfer must be recorded')

  const at = clock.now()
  const detail = `bound to ${transferRef} after its release: ${evidence}`
  await recordPayoutEvent(tx, { payoutId, at, kind: 'resolved', madeBy: by, detail })
  const { partnerId, environment } = row
  const change = { partnerId, environment, at, action: 'payout.bind', madeBy: by, detail: payoutId } as const
  await recordActivity(tx, [{ ...change, changes: 'something', status: null, requestId: null }])
  return { outcome: 'resolved', status }
}

function shortage({ walletSendsMicroUsdc: sends }: StepRow, balance: bigint): string {
  const [needed, held, missing] = [sends, balance, sends - balance].map(formatUsdcExactly)
  return `The wallet holds ${held} USDC, and the payout needs ${needed}: ${missing} USDC are missing. The payout stays refused; repeat the command after the wallet is topped up.`
}

function refusedFor(why: string): Resolved {
  return { outcome: 'refused', why }
}
