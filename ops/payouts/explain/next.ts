// Describes the next steps of a payout, as sentences.

import type { RailState } from '../../../db/bank/rail-pauses'
import type { CaseRow } from '../../../db/payouts/cases/cases'
import type { FailedCall } from '../../../db/payouts/events'
import type { StoryPayout } from '../../../db/payouts/story'
import { nextStepFor } from '../next-step'
import { failedCallText } from './from-database'
import type { WorkflowLines } from './from-workflow'

interface Situation {
  readonly payout: StoryPayout
  readonly failedCalls: readonly FailedCall[]
  /** Null if Temporal does not answer. */
  readonly workflow: WorkflowLines | null
  readonly rail: RailState | null
  readonly cases: readonly CaseRow[]
  readonly limits: { readonly repeatForMs: number; readonly listLagMs: number }
}

export function nextSteps(situation: Situation): string[] {
  const { payout, cases } = situation
  const isOver = payout.releasedAt !== null || payout.closedAt !== null
  const late = cases.filter(({ resolvedAt }) => resolvedAt === null)
  return [
    isOver ? ending(payout) : awaited(situation),
    ...(isOver ? [] : byWorkflow(situation.workflow)),
    ...(isOver ? [] : lastFailure(situation)),
    ...(isOver || isCalled(payout) ? [] : ['Until it is sent, `payout cancel` can cancel it.']),
    ...(payout.attention === null ? [] : [adviceFor(payout.attention)]),
    ...late.map(
      ({ id, kind, dueAt }) => `An operator settles the ${kind} with the bank, case ${id}, due ${dueAt.toISOString()}.`,
    ),
  ]
}

function ending({ status, releasedAt, verdict, failureReason, attention }: StoryPayout): string {
  if (releasedAt !== null) {
    const key = /^(bank_contradicts_|unaccounted_transfer$)/.test(attention ?? '')
      ? 'its key is refused until an operator has decided'
      : 'the same key may be sent again'
    return `Nothing: it was refused (${verdict ?? 'payout_not_created'}), no payout exists, and ${key}.`
  }
  if (status === 'completed') return 'Nothing: it has arrived. It continues only if the bank returns the money.'
  return `Nothing: it is ${status}${failureReason === null ? '' : ` (${failureReason.replace(/\.$/, '')})`}, and the ledger shows where its money is.`
}

function awaited({ payout, rail, limits }: Situation): string {
  const { submitStartedAt, transferRef, status, environment } = payout
  if (status === 'completed') return 'It has arrived. Its fee is charged next, and then it is closed.'
  if (transferRef !== null) {
    const what = status === 'processing' || status === 'pending' ? 'delivers it' : 'returns the money'
    return `The workflow polls the transfer ${transferRef} until the bank ${what}.`
  }
  if (submitStartedAt !== null) {
    const repeatUntil = new Date(submitStartedAt.getTime() + limits.repeatForMs)
    const decided = new Date(repeatUntil.getTime() + limits.listLagMs)
    const repeated =
      rail !== null && rail.pausedAt !== null
        ? `The transfer is looked up in the bank's list. The identical call is repeated until ${repeatUntil.toISOString()}, but not while the ${environment} rail is paused`
        : `The identical call is repeated until ${repeatUntil.toISOString()}`
    return `${repeated}. After ${decided.toISOString()} at the latest, the bank's list of transfers decides. The payout is never sent a second time.`
  }
  if (rail !== null && rail.pausedAt !== null) {
    return `It is sent when the ${environment} rail is resumed. The rail was paused by ${rail.pausedBy ?? 'an unknown operator'} at ${rail.pausedAt.toISOString()}.`
  }
  if (!payout.isPartnerActive) return `It is sent when the partner ${payout.slug}, which is not active, is reactivated.`
  return 'It is debited, if that is not done yet, and then sent to the bank.'
}

/** Why the latest failed call of this attempt failed, and when the next one is due. */
function lastFailure({ payout, failedCalls, workflow }: Situation): string[] {
  const last = failedCalls.findLast(({ attempt }) => attempt === payout.attempt)
  if (last === undefined) return []
  const text = failedCallText(last)
  const next = workflow?.wakesAt ?? workflow?.pending.find(({ nextAt }) => nextAt !== null)?.nextAt ?? null
  const then = next === null ? '' : `; the next call is at ${next.toISOString()}`
  return [`${text.charAt(0).toUpperCase()}${text.slice(1)}, last at ${last.lastAt.toISOString()}${then}.`]
}

/** Whether a call to the bank has started. From then on, the bank may have the payout. */
function isCalled({ submitStartedAt, transferRef }: StoryPayout): boolean {
  return submitStartedAt !== null || transferRef !== null
}

function byWorkflow(workflow: WorkflowLines | null): string[] {
  if (workflow === null) return ["Temporal does not answer, so the state of the payout's workflow is unknown."]
  const { status, pending, wakesAt, waitsFor } = workflow
  if (status !== 'RUNNING')
    return [`It has no running workflow (${status}): the next sweep starts one, or \`payout retry\` starts it now.`]
  const steps = pending.map(({ name, attempt, lastFailure, nextAt }) => {
    const failed = lastFailure === null ? '' : `; the last attempt failed: ${lastFailure.replace(/\.$/, '')}`
    const next = nextAt === null ? '' : `, again at ${nextAt.toISOString()}`
    return `The step ${name} is at attempt ${attempt}${next}${failed}.`
  })
  if (wakesAt !== null) steps.push(`It polls again at ${wakesAt.toISOString()}, or as soon as the bank sends an event.`)
  if (waitsFor !== null) steps.push(`Its workflow is waiting for ${waitsFor}.`)
  return steps.length > 0 ? steps : ['Its workflow is running, or is waiting for a worker.']
}

function adviceFor(attention: string): string {
  const step = nextStepFor(attention) ?? 'There is no runbook step for this code. Ask an engineer.'
  return `It needs an operator because of ${attention}: ${step}`
}
