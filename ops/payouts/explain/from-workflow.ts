// What the history of a payout's workflow knows: each step with its attempts, each wait, and what it waits for now.
import {
  type Client,
  type WorkflowExecutionDescription,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client'
import { ended, type Told } from './story'

export interface ToldWorkflow {
  readonly told: readonly Told[]
  /** The server's word, such as RUNNING or COMPLETED; ABSENT where it has none. */
  readonly status: string
  /** When it looks again by itself. */
  readonly wakesAt: Date | null
  /** What it is doing, where that takes more than one attempt. */
  readonly pending: readonly PendingStep[]
}

export interface PendingStep {
  readonly name: string
  readonly attempt: number
  readonly lastFailure: string | null
  readonly nextAt: Date | null
}

export async function tellWorkflow(temporal: Client, workflowId: string): Promise<ToldWorkflow> {
  const handle = temporal.workflow.getHandle(workflowId)
  try {
    const described = await handle.describe()
    const { events } = await handle.fetchHistory()
    return { ...readHistory(events ?? [], workflowId), status: described.status.name, pending: pendingOf(described) }
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { told: [], status: 'ABSENT', wakesAt: null, pending: [] }
    throw error
  }
}

type HistoryEvent = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>[number]
type Time = HistoryEvent['eventTime']

function readHistory(events: readonly HistoryEvent[], workflowId: string): Pick<ToldWorkflow, 'told' | 'wakesAt'> {
  const told: Told[] = []
  const timers = new Map<string, Date>()
  const scheduled = new Map<string, string>()
  const tell = (at: Date, text: string, again?: string) =>
    told.push({ at, from: 'workflow', text, ...(again === undefined ? {} : { again }) })
  for (const event of events) {
    const at = dateOf(event.eventTime)
    const id = String(event.eventId)
    const step = localStepOf(event)
    if (step !== null) {
      const again = `step ${step.name} ${step.says ?? ''}`
      told.push({ at: step.at, from: 'workflow', text: stepSentence(step), again, step: step.name, endedBy: at })
    }
    const start = event.workflowExecutionStartedEventAttributes
    if (start) tell(at, `Its workflow ${workflowId} began${start.continuedExecutionRunId ? ' a fresh history' : ''}.`)
    const timer = event.timerStartedEventAttributes
    if (timer) timers.set(id, new Date(at.getTime() + msOf(timer.startToFireTimeout)))
    const over = event.timerFiredEventAttributes ?? event.timerCanceledEventAttributes
    if (over) timers.delete(String(over.startedEventId))
    if (event.timerFiredEventAttributes) tell(at, 'It had waited, and looked again by itself.', 'waited')
    const activity = event.activityTaskScheduledEventAttributes
    if (activity) scheduled.set(id, activity.activityType?.name ?? 'a step')
    const done = event.activityTaskCompletedEventAttributes
    if (done) {
      const name = scheduled.get(String(done.scheduledEventId)) ?? 'a step'
      const attempt = attemptOf(events, String(done.startedEventId))
      const says = saysIn(done.result?.payloads?.[0]?.data)
      tell(at, stepSentence({ name, attempt, says }), `step ${name} ${says ?? ''}`)
    }
    const signal = event.workflowExecutionSignaledEventAttributes
    if (signal) tell(at, `It was woken by the signal ${signal.signalName ?? ''}.`, 'signal')
    const update = event.workflowExecutionUpdateAcceptedEventAttributes
    if (update) tell(at, `It was asked for its answer by the update ${update.acceptedRequest?.input?.name ?? ''}.`)
    if (event.workflowExecutionCancelRequestedEventAttributes) tell(at, 'Somebody asked to cancel it in Temporal.')
    const failed = event.workflowTaskFailedEventAttributes
    if (failed)
      tell(at, `A task of its workflow failed: ${failed.failure?.message ?? 'no reason given'}.`, 'task failed')
    if (event.workflowTaskTimedOutEventAttributes)
      tell(at, 'A worker took its workflow and did not come back.', 'task lost')
    if (event.workflowExecutionTerminatedEventAttributes) tell(at, 'Somebody terminated its workflow.')
    if (event.workflowExecutionCompletedEventAttributes) tell(at, 'Its workflow ended.')
  }
  return { told, wakesAt: [...timers.values()].at(-1) ?? null }
}

interface Step {
  readonly name: string
  readonly attempt: number
  readonly says: string | null
}

function stepSentence({ name, attempt, says }: Step): string {
  const tries = attempt > 1 ? ` at attempt ${attempt}` : ''
  return ended(`The step ${name} ran${tries}${says === null ? '' : `: ${says}`}`)
}

/** Steps that somebody waits for are written by the worker itself, as a marker. */
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
