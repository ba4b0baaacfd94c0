// What the workflow histories of a story's payouts say: all of it for the search for secrets, its outline for who asks what went wrong.
import type { Client } from '@temporalio/client'
import type { Db } from '../../db/database'
import { housekeepingQueue, ofSystem, payoutWorkflowId } from '../../workflows/names'
import type { Json } from '../sandbox-bank/bank-client'
import { outlineOf, textOfHistory } from './history-text'

export interface ToldHistory {
  readonly where: string
  readonly text: string
}

/** The histories of the last payouts; some of a story's many will do. */
export async function textsOf(db: Db, temporal: Client): Promise<ToldHistory[]> {
  const last = 'SELECT * FROM payouts ORDER BY created_at DESC LIMIT 20'
  return (await historiesOf(db, temporal, last)).map(({ where, history }) => ({ where, text: textOfHistory(history) }))
}

/** How the workflows of payouts that are still open came to where they are, and the sweeps that should have seen to them. */
export async function outlinesOfOpen(db: Db, temporal: Client, queuePrefix: string): Promise<string> {
  const open = 'SELECT * FROM payouts WHERE closed_at IS NULL AND released_at IS NULL ORDER BY created_at LIMIT 3'
  const told = [...(await historiesOf(db, temporal, open)), ...(await lastSweeps(temporal, queuePrefix))]
  return told.map(({ where, history }) => `${where}:\n${outlineOf(history)}`).join('\n')
}

async function lastSweeps(temporal: Client, queuePrefix: string): Promise<{ where: string; history: unknown }[]> {
  const told = []
  const query = `WorkflowType = 'sweep' AND TaskQueue = '${ofSystem(housekeepingQueue, queuePrefix)}'`
  for await (const { workflowId, runId, status } of temporal.workflow.list({ query, pageSize: 3 })) {
    const history = await temporal.workflow
      .getHandle(workflowId, runId)
      .fetchHistory()
      .catch(() => null)
    told.push({ where: `${workflowId}, ${status.name}`, history })
    if (told.length === 3) break
  }
  return told
}

async function historiesOf(db: Db, temporal: Client, payouts: string): Promise<{ where: string; history: unknown }[]> {
  const rows = await db.dataSource.query<Json[]>(
    `SELECT environment, partner_id AS "partnerId", idempotency_key AS "idempotencyKey", attempt FROM (${payouts}) p`,
  )
  const read = rows.map(async (key) => {
    const workflowId = payoutWorkflowId(key)
    const handle = temporal.workflow.getHandle(workflowId)
    return { where: `the history of ${workflowId}`, history: await handle.fetchHistory().catch(() => null) }
  })
  return Promise.all(read)
}
