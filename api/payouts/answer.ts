// Waits for the verdict of a payout's workflow, or for a timeout, and answers the request from the payout's row.
import { type ClaimedRow, findClaim } from '../../db/payouts/claims'
import { markAnswered } from '../../db/payouts/steps'
import { isRefusal } from '../../domain/payouts/payout'
import type { PayoutStart } from '../../workflows/starts'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'
import type { Reply } from '../http/route'
import { presentPayout } from './present'
import { presentQuote } from './quotes'

export interface Attempt extends PayoutStart {
  /** The claimer created the payout. A joiner repeats a request that is still running. */
  readonly by: 'claimer' | 'joiner'
}

/** Null if the payout has a newer attempt: the caller must look up the claim again. */
export async function answerAttempt(attempt: Attempt, deps: ApiDeps): Promise<Reply | null> {
  const row = await awaitDecision(attempt, deps)
  if (row === null) return null
  if (row.releasedAt !== null) {
    const refusal = refusalOf(row)
    // The cached rate may be outdated, and the retry needs a new quote.
    if (refusal.code === 'payout_not_created') deps.rates.askAgain()
    throw refusal
  }
  return attempt.by === 'claimer' ? created(row) : replayed(row)
}

/**
 * Waits for the verdict or a timeout, and returns the row, which is then acknowledged or released. The response comes
 * from the row and not from the verdict, because the key may have been claimed again since. Returns null in that case.
 */
export async function awaitDecision(attempt: PayoutStart, deps: ApiDeps): Promise<ClaimedRow | null> {
  const verdict = await deps.workflows.startPayout(attempt)
  // From here on the payout cannot be withdrawn, unless a verdict was stored first.
  if (verdict === null) await markAnswered(deps.db, { ...attempt, at: deps.clock.now() })
  const row = await rowOf(attempt, deps)
  if (row === null || row.releasedAt !== null || isStored(row)) return row
  // Mark the payout as acknowledged before the response, because until then it can still be withdrawn.
  await markAnswered(deps.db, { ...attempt, at: deps.clock.now() })
  return rowOf(attempt, deps)
}

async function rowOf(attempt: PayoutStart, { db }: ApiDeps): Promise<ClaimedRow | null> {
  const row = await findClaim(db, attempt)
  return row?.attempt === attempt.attempt ? row : null
}

/**
 * Whether the payout has a verdict or its caller was answered. From then on, retries are answered from the row alone.
 */
export function isStored({ releasedAt, verdictAt, answeredAt }: ClaimedRow): boolean {
  return releasedAt === null && (verdictAt !== null || answeredAt !== null)
}

export function replayed(row: ClaimedRow): Reply {
  return { status: 200, body: presentPayout(row), headers: { 'Idempotent-Replayed': 'true' } }
}

function created(row: ClaimedRow): Reply {
  const { amountPence, feePence, feeInTransferPence, walletSendsMicroUsdc, gbpPerUsdNano } = row
  const quote = presentQuote({
    amountPence,
    feePence,
    inTransferPence: feeInTransferPence,
    onInvoicePence: feePence - feeInTransferPence,
    walletSendsMicroUsdc,
    gbpPerUsdNano,
  })
  const location = `/v1/payouts/${row.id}`
  return { status: 201, body: { ...presentPayout(row), quote }, location, activity: 'written' }
}

function refusalOf({ verdict, verdictDetails: details }: ClaimedRow): ApiError {
  const code = verdict !== null && isRefusal(verdict) ? verdict : 'payout_not_created'
  // The default message states our own limits, but this amount is within them.
  const message = code === 'invalid_amount' ? { message: 'The bank does not accept this amount.' } : {}
  return new ApiError(code, { ...message, ...(details === null ? {} : { details }) })
}
