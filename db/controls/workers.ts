// The registry of worker processes. Each process registers itself and records a heartbeat every few seconds, which
// returns whether the process should drain.
import { entity, integer, orNull, primary, text, time } from '../columns'
import type { Db, Queryable, Tx } from '../database'
import { sql } from '../sql'

export interface WorkerProcess {
  /** Short, because operators type it. */
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly version: string
  readonly taskQueues: readonly string[]
  readonly startedAt: Date
}

interface WorkerRow extends WorkerProcess {
  readonly seenAt: Date
  readonly drainingAt: Date | null
  /** The operator who requested the drain. Null if a signal on the process's own machine started it. */
  readonly askedBy: string | null
  readonly drainedAt: Date | null
  readonly endedAt: Date | null
}

export const worker = entity<WorkerRow>('Worker', 'workers', {
  id: primary(text),
  host: text,
  pid: integer,
  version: text,
  taskQueues: { ...text, array: true },
  startedAt: time,
  seenAt: time,
  drainingAt: orNull(time),
  askedBy: orNull(text),
  drainedAt: orNull(time),
  endedAt: orNull(time),
})

/** A `draining` process is finishing its running work. A `drained` process has finished and accepts no new work. */
export type OwnState = 'working' | 'draining' | 'drained' | 'ended'

export interface ListedWorker extends WorkerRow {
  /** `gone` means that the last heartbeat is too old. */
  readonly state: OwnState | 'gone'
}

/** Returns false if the ID is already in use. Also deletes processes that have sent no heartbeat for a week. */
export async function insertWorker(db: Queryable, entered: WorkerProcess): Promise<boolean> {
  const { id, host, pid, version, taskQueues, startedAt } = entered
  const rows = await db.sql`WITH forgotten AS (DELETE FROM workers WHERE seen_at < now() - interval '7 days')
    INSERT INTO workers (id, host, pid, version, task_queues, started_at, seen_at)
    VALUES (${id}, ${host}, ${pid}, ${version}, ${taskQueues}, ${startedAt}, now())
    ON CONFLICT (id) DO NOTHING RETURNING id`
  return rows.length > 0
}

/**
 * Returns whether the process should drain. Writes the whole row, in case earlier heartbeats were lost while the
 * database was unavailable. Uses the database's clock, because machine clocks differ and `gone` depends on these times.
 */
export async function recordHeartbeat(db: Queryable, alive: WorkerProcess, state: OwnState): Promise<boolean> {
  const { id, host, pid, version, taskQueues, startedAt } = alive
  const [row] = await db.run<{ isToDrain: boolean }>(
    sql`INSERT INTO workers (id, host, pid, version, task_queues, started_at, seen_at, draining_at, drained_at, ended_at)
    VALUES (${id}, ${host}, ${pid}, ${version}, ${taskQueues}, ${startedAt}, now(),
      CASE WHEN ${state}::text <> 'working' THEN now() END, CASE WHEN ${state}::text = 'drained' THEN now() END,
      CASE WHEN ${state}::text = 'ended' THEN now() END)
    ON CONFLICT (id) DO UPDATE SET seen_at = now(), draining_at = coalesce(workers.draining_at, excluded.draining_at),
      drained_at = coalesce(workers.drained_at, excluded.drained_at), ended_at = coalesce(workers.ended_at, excluded.ended_at)
    RETURNING draining_at IS NOT NULL AS is_to_drain`,
    // A process that is shutting down must not wait long for an unresponsive database.
    { answerMs: 3_000 },
  )
  return row?.isToDrain ?? false
}

/** Lists running processes before ended and gone ones. Within each group, the latest start comes first. */
export async function listWorkers(db: Queryable): Promise<ListedWorker[]> {
  return db.sql<ListedWorker>`SELECT * FROM (SELECT ${columns} FROM workers) listed
    ORDER BY state IN ('ended', 'gone'), started_at DESC, id LIMIT 100`
}

export async function findWorker(db: Queryable, id: string): Promise<ListedWorker | null> {
  const [found] = await db.sql<ListedWorker>`SELECT ${columns} FROM workers WHERE id = ${id}`
  return found ?? null
}

interface DrainRequest {
  readonly id: string
  readonly by: string
  readonly at: Date
  /** Whether to refuse the request if no other process serves the same task queues. */
  readonly ifLast: 'refuse' | 'drain'
}

type DrainAnswer =
  | { readonly outcome: 'unknown' }
  /**
   * `asked`: this request started the drain. `draining`: the worker was already draining. `too-late`: the worker is
   * drained, ended or gone. `last`: no other worker serves its task queues.
   */
  | { readonly outcome: 'asked' | 'draining' | 'too-late' | 'last'; readonly worker: ListedWorker }

/**
 * Asks a worker to drain, and records the request in every partner's activity list. The lock serializes requests, so
 * that two of them cannot drain the last two workers.
 */
export async function requestDrain(db: Db, { id, by, at, ifLast }: DrainRequest): Promise<DrainAnswer> {
  return db.transaction(async (tx) => {
    await tx.sql`SELECT id FROM workers WHERE ended_at IS NULL ORDER BY id FOR UPDATE`
    const worker = await findWorker(tx, id)
    if (worker === null) return { outcome: 'unknown' }
    if (worker.state === 'draining') return { outcome: 'draining', worker }
    if (worker.state !== 'working') return { outcome: 'too-late', worker }
    if (ifLast === 'refuse' && !(await hasDeputy(tx, worker))) return { outcome: 'last', worker }
    // Partners see the worker's ID but nothing about its machine.
    await tx.sql`WITH asked AS (UPDATE workers SET draining_at = ${at}, asked_by = ${by} WHERE id = ${id} RETURNING id)
    INSERT INTO activity (partner_id, at, environment, action, changes, made_by, detail)
    SELECT partners.id, ${at}, NULL, 'worker.drain', true, ${by}, asked.id FROM asked, partners`
    return { outcome: 'asked', worker: { ...worker, state: 'draining', drainingAt: at, askedBy: by } }
  })
}

async function hasDeputy(tx: Tx, { id, taskQueues }: ListedWorker): Promise<boolean> {
  const others = (await listWorkers(tx)).filter((other) => other.id !== id && other.state === 'working')
  return others.some((other) => taskQueues.every((queue) => other.taskQueues.includes(queue)))
}

const columns = sql`id, host, pid, version, task_queues, started_at, seen_at, draining_at, asked_by, drained_at, ended_at,
  CASE WHEN ended_at IS NOT NULL THEN 'ended' WHEN seen_at < now() - interval '30 s' THEN 'gone'
    WHEN drained_at IS NOT NULL THEN 'drained' WHEN draining_at IS NOT NULL THEN 'draining' ELSE 'working' END AS state`
