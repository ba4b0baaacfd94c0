// The worker processes there are: each enters itself, says every few seconds that it lives, and hears whether it is asked to drain.

import type { Queryable, Statement } from '../database'
import { sql } from '../sql'

/** What a process knows of itself. */
export interface WorkerProcess {
  /** Short, since people type it. */
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly version: string
  readonly taskQueues: readonly string[]
  readonly startedAt: Date
}

/** How far a process itself is: `draining` finishes what it has begun, `drained` has and takes nothing new. */
export type OwnState = 'working' | 'draining' | 'drained' | 'ended'

export interface ListedWorker extends WorkerProcess {
  /** `gone` has not said for too long that it lives. */
  readonly state: OwnState | 'gone'
  readonly seenAt: Date
  readonly drainingAt: Date | null
  /** Null where a signal on its own machine began it. */
  readonly askedBy: string | null
  readonly drainedAt: Date | null
  readonly endedAt: Date | null
}

/** False when the id is taken. Processes that nobody has heard of for a week are forgotten. */
export async function enterWorker(db: Queryable, worker: WorkerProcess): Promise<boolean> {
  return (await db.query(insert, valuesOf(worker))).length > 0
}

/** Answers whether it is asked to drain. Repeats everything, so that whatever was missed while the database was away is made good. */
export async function sayAlive(db: Queryable, worker: WorkerProcess, state: OwnState): Promise<boolean> {
  const [row] = await db.query<{ isToDrain: boolean }>(upsert, [...valuesOf(worker), state])
  return row?.isToDrain ?? false
}

/** Those that live first, each group with the latest first. */
export async function listWorkers(db: Queryable): Promise<ListedWorker[]> {
  return db.sql<ListedWorker>`SELECT * FROM (SELECT ${columns} FROM workers) listed
    ORDER BY state IN ('ended', 'gone'), started_at DESC, id LIMIT 100`
}

export async function findWorker(db: Queryable, id: string): Promise<ListedWorker | null> {
  const [found] = await db.sql<ListedWorker>`SELECT ${columns} FROM workers WHERE id = ${id}`
  return found ?? null
}

function valuesOf({ id, host, pid, version, taskQueues, startedAt }: WorkerProcess): unknown[] {
  return [id, host, pid, version, taskQueues, startedAt]
}

const insert: Statement = {
  name: 'worker-enter',
  text: `WITH forgotten AS (DELETE FROM workers WHERE seen_at < now() - interval '7 days')
    INSERT INTO workers (id, host, pid, version, task_queues, started_at, seen_at) VALUES ($1, $2, $3, $4, $5, $6, now())
    ON CONFLICT (id) DO NOTHING RETURNING id`,
}

// The times are the database's own: the clocks of machines differ, and from the last of them follows who is gone.
const upsert: Statement = {
  name: 'worker-alive',
  text: `INSERT INTO workers (id, host, pid, version, task_queues, started_at, seen_at, draining_at, drained_at, ended_at)
    VALUES ($1, $2, $3, $4, $5, $6, now(), CASE WHEN $7::text <> 'working' THEN now() END,
      CASE WHEN $7 = 'drained' THEN now() END, CASE WHEN $7 = 'ended' THEN now() END)
    ON CONFLICT (id) DO UPDATE SET seen_at = now(), draining_at = coalesce(workers.draining_at, excluded.draining_at),
      drained_at = coalesce(workers.drained_at, excluded.drained_at), ended_at = coalesce(workers.ended_at, excluded.ended_at)
    RETURNING draining_at IS NOT NULL AS "isToDrain"`,
  // Who ends must not wait long for a database that is silent.
  answerMs: 3_000,
}

const columns = sql`id, host, pid, version, task_queues, started_at, seen_at,
  draining_at, asked_by, drained_at, ended_at,
  CASE WHEN ended_at IS NOT NULL THEN 'ended' WHEN seen_at < now() - interval '30 s' THEN 'gone'
    WHEN drained_at IS NOT NULL THEN 'drained' WHEN draining_at IS NOT NULL THEN 'draining' ELSE 'working' END AS state`
