// Describes a payout from its workflow's history: its steps and attempts, its waits, and its current state.
import {
  type Client,
  type WorkflowExecutionDescription,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client'
import { deadlineIn } from '../../../runtime/temporal/client'
import { statusQuery } from '../../../workflows/names'
import type { PayoutReport } from '../../../workflows/payouts/payout'
import { asSentence, type Line } from './story'

export interface WorkflowLines {
  readonly lines: readonly Line[]
  /** The server's status, such as RUNNING or COMPLETED. ABSENT if there is no workflow. */
  readonly status: string
  /** The time of the next poll. */
  readonly wakesAt: Date | null
  /** The workflow's answer to the status query. Null if no worker answers or the workflow has ended. */
  readonly waitsFor: string | null
  /** The activities that are running or being retried. */
  readonly pending: readonly PendingStep[]
}

interface PendingStep {
  readonly name: string
  readonly attempt: number
  readonly lastFailure: string | null
  readonly nextAt: Date | null
}

export async function readWorkflow(temporal: Client, workflowId: string): Promise<WorkflowLines> {
  const handle = temporal.workflow.getHandle(workflowId)
  try {
    const described = await handle.describe()
    const { events } = await handle.fetchHistory()
    const status = described.status.name
    const waitsFor = status === 'RUNNING' ? await askWhatFor(temporal, handle) : null
    return { ...readHistory(events ?? [], workflowId), status, waitsFor, pending: pendingOf(described) }
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error
    return { lines: [], status: 'ABSENT', wakesAt: null, waitsFor: null, pending: [] }
  }
}

/** Only a worker can answer this query. Without one, the explanation uses the history alone. */
async function askWhatFor(temporal: Client, handle: WorkflowHandle): Promise<string | null> {
  try {
    const report: PayoutReport = await temporal.withDeadline(deadlineIn(askWithinMs), () => handle.query(statusQuery))
    return report.waitsFor
  } catch {
    return null
  }
}

const askWithinMs = 2_000

type HistoryEvent = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>[number]
type Time = HistoryEvent['eventTime']

function readHistory(events: readonly HistoryEvent[], workflowId: string): Pick<WorkflowLines, 'lines' | 'wakesAt'> {
  const lines: Line[] = []
  const timers = new Map<string, Date>()
  const scheduled = new Map<string, string>()
  const add = (at: Date, text: string, again?: string) =>
    lines.push({ at, from: 'workflow', text, ...(again === undefined ? {} : { again }) })
  for (const event of events) {
    const at = dateOf(event.eventTime)
    const id = String(event.eventId)
    const step = localStepOf(event)
    if (step !== null) {
      const again = `step ${step.name} ${step.says ?? ''}`
      lines.push({ at: step.at, from: 'workflow', text: stepSentence(step), again, step: step.name, endedBy: at })
    }
    const start = event.workflowExecutionStartedEventAttributes
    if (start) add(at, `Its workflow ${workflowId} began${start.continuedExecutionRunId ? ' a new history' : ''}.`)
    const timer = event.timerStartedEventAttributes
    if (timer) timers.set(id, new Date(at.getTime() + msOf(timer.startToFireTimeout)))
    const over = event.timerFiredEventAttributes ?? event.timerCanceledEventAttributes
    if (over) timers.delete(String(over.startedEventId))
    if (event.timerFiredEventAttributes) add(at, 'Its timer fired, and it polled again.', 'waited')
    const activity = event.activityTaskScheduledEventAttributes
    if (activity) scheduled.set(id, activity.activityType?.name ?? 'a step')
    const done = event.activityTaskCompletedEventAttributes
    if (done) {
      const name = scheduled.get(String(done.scheduledEventId)) ?? 'a step'
      const attempt = attemptOf(events, String(done.startedEventId))
      const says = saysIn(done.result?.payloads?.[0]?.data)
      add(at, stepSentence({ name, attempt, says }), `step ${name} ${says ?? ''}`)
    }
    const signal = event.workflowExecutionSignaledEventAttributes
    if (signal) add(at, `It was woken by the signal ${signal.signalName ?? ''}.`, 'signal')
    const update = event.workflowExecutionUpdateAcceptedEventAttributes
    if (update) add(at, `It accepted the update ${update.acceptedRequest?.input?.name ?? ''}.`)
    if (event.workflowExecutionCancelRequestedEventAttributes) add(at, 'Its cancellation was requested in Temporal.')
    const failed = event.workflowTaskFailedEventAttributes
    if (failed)
      add(at, `A task of its workflow failed: ${failed.failure?.message ?? 'no reason given'}.`, 'task failed')
    if (event.workflowTaskTimedOutEventAttributes)
      add(at, 'A worker took a workflow task and did not respond.', 'task lost')
    if (event.workflowExecutionTerminatedEventAttributes) add(at, 'Its workflow was terminated.')
    if (event.workflowExecutionCompletedEventAttributes) add(at, 'Its workflow ended.')
  }
  return { lines, wakesAt: [...timers.values()].at(-1) ?? null }
}

interface Step {
  readonly name: string
  readonly attempt: number
  readonly says: string | null
}

function stepSentence({ name, attempt, says }: Step): string {
  const tries = attempt > 1 ? ` at attempt ${attempt}` : ''
  return asSentence(`The step ${name} ran${tries}${says === null ? '' : `: ${says}`}`)
}

/** The worker records local activities as markers. */
function localStepOf(event: HistoryEvent): (Step & { readonly at: Date }) | null {
  const marker = event.markerRecordedEventAttributes
  if (marker?.markerName !== 'core_local_activity') return null
  const data = objectIn(marker.details?.['data']?.payloads?.[0]?.data)
  const says = saysIn(marker.details?.['result']?.payloads?.[0]?.data)
  const ended = objectIn(data['complete_time'])
  const at =
    'seconds' in ended
      ? new Date(Number(ended['seconds']) * 1_000 + Number(ended['nanos'] ?? 0) / 1e6)
      : dateOf(event.eventTime)
  return { at, name: String(data['activity_type']), attempt: Number(data['attempt'] ?? 1), says }
}

function saysIn(data: Uint8Array | null | undefined): string | null {
  const result = objectIn(data)
  const says = result['says'] ?? result['at']
  return typeof says === 'string' ? says : null
}

function objectIn(value: unknown): Readonly<Record<string, unknown>> {
  const read: unknown = value instanceof Uint8Array ? JSON.parse(Buffer.from(value).toString('utf8')) : value
  return typeof read === 'object' && read !== null ? { ...read } : {}
}

function attemptOf(events: readonly HistoryEvent[], startedEventId: string): number {
  const started = events.find(({ eventId }) => String(eventId) === startedEventId)
  return started?.activityTaskStartedEventAttributes?.attempt ?? 1
}

function pendingOf({ raw }: WorkflowExecutionDescription): PendingStep[] {
  return (raw.pendingActivities ?? []).map(({ activityType, attempt, lastFailure, nextAttemptScheduleTime }) => ({
    name: activityType?.name ?? 'a step',
    attempt: attempt ?? 1,
    lastFailure: lastFailure?.message ?? null,
    nextAt: nextAttemptScheduleTime ? dateOf(nextAttemptScheduleTime) : null,
  }))
}

function dateOf(time: Time): Date {
  return new Date(msOf(time))
}

function msOf(time: Time): number {
  return Number(time?.seconds ?? 0) * 1_000 + (time?.nanos ?? 0) / 1e6
}
