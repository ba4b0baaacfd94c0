// Breaks down the time that one request takes, using the payout's rows and workflow history.
import { setTimeout as wait } from 'node:timers/promises'
import { systemClock } from '../../runtime/clock'
import { payoutWorkflowId } from '../../workflows/names'
import { mean } from '../measured'
import { bodyFor } from './requests'
import type { Stage } from './stage'

const requests = 40
const pauseMs = 50

export async function measureRequestTime(stage: Stage): Promise<string[]> {
  const taken: Moments[] = []
  for (let n = 0; n < requests; n++) {
    taken.push(await follow(stage, n))
    await wait(pauseMs)
  }
  const parts = names.map((name, n) => {
    const spent = mean(taken.slice(10).map((moments) => (moments[n + 1] ?? 0) - (moments[n] ?? 0)))
    return { name, spent }
  })
  const total = parts.reduce((sum, { spent }) => sum + spent, 0)
  return [
    `Where the ${total.toFixed(1)} ms of one request go (one client with pauses, mean of ${requests - 10}):`,
    ...parts.map(({ name, spent }) => `  ${spent.toFixed(1).padStart(6)} ms  ${name}`),
  ]
}

const names = [
  'request: read, authenticated, priced',
  'row: the key is claimed, Temporal is called',
  'start: workflow and task are stored, a worker gets it, the workflow runs',
  'debit: the wallet is debited, the recipient is looked up',
  'bank: the call is recorded and made',
  'record: the verdict is recorded, the task completed and stored',
  'answer: the verdict is returned, the row is read and presented',
]

type Moments = readonly number[]

async function follow({ port, system, sql, temporal }: Stage, n: number): Promise<Moments> {
  const idempotencyKey = `bench-time-${process.pid}-${n}`
  const headers = {
    Authorization: `Bearer ${system.sandboxKey}`,
    'Content-Type': 'application/json',
    'Idempotency-Key': idempotencyKey,
  }
  const sentAt = systemClock.now().getTime()
  const answer = await fetch(`http://127.0.0.1:${port}/v1/payouts`, {
    method: 'POST',
    headers,
    body: JSON.stringify(bodyFor(n % 10)),
  })
  await answer.arrayBuffer()
  const answeredAt = systemClock.now().getTime()

  const { rows } = await sql.query<Record<'claimed' | 'debited' | 'submitted' | 'recorded', Date>>(
    `SELECT p.created_at AS claimed, s.created_at AS debited, submit_started_at AS submitted, verdict_at AS recorded
      FROM payouts p JOIN ledger_sets s ON s.payout_id = p.id AND s.cause = 'debit' WHERE idempotency_key = $1`,
    [idempotencyKey],
  )
  const [row] = rows
  if (row === undefined) throw new Error(`the payout request returned ${answer.status}`)
  const key = { environment: 'sandbox', partnerId: system.partnerId, idempotencyKey, attempt: 1 } as const
  const { events } = await temporal.workflow.getHandle(payoutWorkflowId(key)).fetchHistory()
  const started = events?.find((event) => event.workflowExecutionStartedEventAttributes)
  const completed = events?.find((event) => event.workflowTaskCompletedEventAttributes)
  return [
    sentAt,
    row.claimed.getTime(),
    msOf(started?.eventTime),
    row.debited.getTime(),
    row.submitted.getTime(),
    row.recorded.getTime(),
    msOf(completed?.eventTime),
    answeredAt,
  ]
}

function msOf(time: { seconds?: { toString(): string } | null; nanos?: number | null } | null | undefined): number {
  return Number(time?.seconds?.toString()) * 1_000 + (time?.nanos ?? 0) / 1e6
}
