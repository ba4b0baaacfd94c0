// What the workflow histories of a story's payouts say: all of it for the search for secrets, its outline for who asks what went wrong.
import type { Client } from '@temporalio/client'
import type { Db } from '../../db/database'
import { payoutWorkflowId } from '../../workflows/names'
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

/** How the workflows of payouts that are still open came to where they are. */
export async function outlinesOfOpen(db: Db, temporal: Client): Promise<string> {
  const open = 'SELECT * FROM payouts WHERE closed_at IS NULL AND released_at IS NULL ORDER BY created_at LIMIT 3'
  return (await historiesOf(db, temporal, open))
    .map(({ where, history }) => `${where}:\n${outlineOf(history)}`)
    .join('\n')
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
