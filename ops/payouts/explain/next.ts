// What happens to a payout next, by itself or by people, as sentences.

import type { RailState } from '../../../db/bank/rail-pauses'
import type { CaseRow } from '../../../db/payouts/cases/cases'
import type { ToldPayout } from '../../../db/payouts/story'
import { nextStepFor } from '../next-step'
import type { ToldWorkflow } from './from-workflow'

interface Standing {
  readonly payout: ToldPayout
  /** Null when Temporal could not be asked. */
  readonly workflow: ToldWorkflow | null
  readonly rail: RailState | null
  readonly cases: readonly CaseRow[]
  readonly patience: { readonly repeatForMs: number; readonly quietMs: number }
}

export function nextSteps(standing: Standing): string[] {
  const { payout, cases } = standing
  const isOver = payout.releasedAt !== null || payout.closedAt !== null
  const late = cases.filter(({ resolvedAt }) => resolvedAt === null)
  return [
    isOver ? ending(payout) : awaited(standing),
    ...(isOver ? [] : byWorkflow(standing.workflow)),
    ...(isOver || isCalled(payout) ? [] : ['Until it is sent, payout cancel takes it back.']),
    ...(payout.attention === null ? [] : [adviceFor(payout.attention)]),
    ...late.map(
      ({ id, kind, dueAt }) => `People settle the ${kind} with the bank, case ${id}, until ${dueAt.toISOString()}.`,
    ),
  ]
}

function ending({ status, releasedAt, verdict, failureReason, attention }: ToldPayout): string {
  if (releasedAt !== null) {
    const key = /^(bank_contradicts_|unaccounted_transfer$)/.test(attention ?? '')
      ? 'its key is refused until an operator has decided'
      : 'the same key may be sent again'
    return `Nothing: it was refused (${verdict ?? 'payout_not_created'}), no payout exists, and ${key}.`
  }
  if (status === 'completed') return 'Nothing: it has arrived. Only if the bank sends the money back does it go on.'
  return `Nothing: it is ${status}${failureReason === null ? '' : ` (${failureReason.replace(/\.$/, '')})`}, and its money is where the ledger says.`
}

function awaited({ payout, rail, patience }: Standing): string {
  const { submitStartedAt, transferRef, status, environment } = payout
  if (transferRef !== null) {
    const what = status === 'processing' || status === 'pending' ? 'to deliver it' : 'to give the money back'
    return `The bank is awaited ${what}: it is asked about the transfer ${transferRef} until it says so.`
  }
  if (submitStartedAt !== null) {
    const repeatUntil = new Date(submitStartedAt.getTime() + patience.repeatForMs)
    const decided = new Date(repeatUntil.getTime() + patience.quietMs)
    const repeated =
      rail !== null && rail.pausedAt !== null
        ? `The bank's list is looked into, and the identical call is not repeated while the rail of ${environment} is paused; after that until ${repeatUntil.toISOString()}`
        : `The identical call is repeated until ${repeatUntil.toISOString()}`
    return `${repeated}; what the bank's own list says decides, at the latest after ${decided.toISOString()}. It is never sent a second time.`
  }
  if (rail !== null && rail.pausedAt !== null) {
    return `It is sent when the rail of ${environment} is resumed, which ${rail.pausedBy ?? 'somebody'} paused at ${rail.pausedAt.toISOString()}.`
  }
  if (!payout.isPartnerActive) return `It is sent when the partner ${payout.slug}, which is not active, is reactivated.`
  return 'Its money is set aside if that is not done yet, and then it is sent to the bank.'
}

/** From then on the bank may have it. */
function isCalled({ submitStartedAt, transferRef }: ToldPayout): boolean {
  return submitStartedAt !== null || transferRef !== null
}

function byWorkflow(workflow: ToldWorkflow | null): string[] {
  if (workflow === null) return ['Temporal does not answer, so what its workflow waits for is not known.']
  const { status, pending, wakesAt } = workflow
  if (status !== 'RUNNING')
    return [`No workflow looks after it (${status}): the next sweep starts one, payout retry does so now.`]
  const steps = pending.map(({ name, attempt, lastFailure, nextAt }) => {
    const failed = lastFailure === null ? '' : `; the last one failed: ${lastFailure.replace(/\.$/, '')}`
    const next = nextAt === null ? '' : `, again at ${nextAt.toISOString()}`
    return `The step ${name} is at attempt ${attempt}${next}${failed}.`
  })
  if (wakesAt !== null)
    steps.push(`It looks again by itself at ${wakesAt.toISOString()}, or as soon as the bank speaks.`)
  return steps.length > 0 ? steps : ['Its workflow is at work, or waits for a worker.']
}

function adviceFor(attention: string): string {
  const step = nextStepFor(attention) ?? 'nobody has written down what to do about this: let an engineer look.'
  return `It waits for people because of ${attention}: ${step}`
}
