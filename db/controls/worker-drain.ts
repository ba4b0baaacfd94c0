// Asks a worker process to take nothing new: decided by one at a time, so that two who ask cannot drain the last two workers.
import type { Db, Tx } from '../database'
import { findWorker, type ListedWorker, listWorkers } from './workers'

export interface DrainRequest {
  readonly id: string
  readonly by: string
  readonly at: Date
  /** What to do when nobody else takes its work. */
  readonly ifLast: 'refuse' | 'drain'
}

export type DrainAnswer =
  | { readonly outcome: 'unknown' }
  /** `asked` is new; `too-late` is over already, as its state says; `draining` was begun before. */
  | { readonly outcome: 'asked' | 'draining' | 'too-late' | 'last'; readonly worker: ListedWorker }

/** Every partner's activity list tells it, in the same transaction. */
export async function askToDrain(db: Db, { id, by, at, ifLast }: DrainRequest): Promise<DrainAnswer> {
  return db.transaction(async (tx) => {
    await tx.sql`SELECT id FROM workers WHERE ended_at IS NULL ORDER BY id FOR UPDATE`
    const worker = await findWorker(tx, id)
    if (worker === null) return { outcome: 'unknown' }
    if (worker.state === 'draining') return { outcome: 'draining', worker }
    if (worker.state !== 'working') return { outcome: 'too-late', worker }
    if (ifLast === 'refuse' && !(await hasDeputy(tx, worker))) return { outcome: 'last', worker }
    // A partner learns the worker's id and nothing of the machine it is on.
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
