// What a request for a payout is answered: by its workflow's verdict, or by the row when no verdict came in time (design §3).
import { type ClaimedRow, findClaim } from '../../db/payouts/claims'
import { markAnswered } from '../../db/payouts/steps'
import { isRefusal } from '../../domain/payouts/verdict'
import type { PayoutToStart } from '../../workflows/starts'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'
import type { Reply } from '../http/route'
import { presentPayout } from './present'
import { presentQuote } from './quotes'

export interface Attempt extends PayoutToStart {
  /** The claimer made the payout; a joiner asks for what another request has just made. */
  readonly by: 'claimer' | 'joiner'
}

/** Null when the attempt is no longer the payout's last one: whoever asked has to look again. */
export async function answerAttempt(attempt: Attempt, deps: ApiDeps): Promise<Reply | null> {
  const row = await awaitDecision(attempt, deps)
  if (row === null) return null
  if (row.releasedAt !== null) {
    const refusal = refusalOf(row)
    // The rate may have moved since it was cached, and the retry must get a new quote.
    if (refusal.code === 'payout_not_created') deps.rates.askAgain()
    throw refusal
  }
  return attempt.by === 'claimer' ? created(row) : replayed(row)
}

/**
 * The row once the attempt is decided: kept for good, or released. Not the verdict but the row is what is answered from,
 * because the key may have been claimed again since the verdict; then it is null.
 */
export async function awaitDecision(attempt: PayoutToStart, deps: ApiDeps): Promise<ClaimedRow | null> {
  const verdict = await deps.workflows.startPayout(attempt)
  // From here on the payout is there for good, unless a verdict came between: then the row has it.
  if (verdict === null) await markAnswered(deps.db, { ...attempt, at: deps.clock.now() })
  const row = await rowOf(attempt, deps)
  if (row === null || row.releasedAt !== null || isStored(row)) return row
  // Nobody is told about a payout that its row does not know to be told about: it could still be taken back.
  await markAnswered(deps.db, { ...attempt, at: deps.clock.now() })
  return rowOf(attempt, deps)
}

async function rowOf(attempt: PayoutToStart, { db }: ApiDeps): Promise<ClaimedRow | null> {
  const row = await findClaim(db, attempt)
  return row?.attempt === attempt.attempt ? row : null
}

/** Whether its callers were told about it: from then on it is answered from here, without a question to anybody. */
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
  // The table's message is about our own limits; this amount was within them.
  const message = code === 'invalid_amount' ? { message: 'The bank does not accept this amount.' } : {}
  return new ApiError(code, { ...message, ...(details === null ? {} : { details }) })
}
