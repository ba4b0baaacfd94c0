// The workflow histories of a story: their full text, to search it for secrets, and their last events, for error
// messages.
import type { Client } from '@temporalio/client'
import type { Db } from '../../../db/database'
import {
  housekeepingQueue,
  ofSystem,
  payoutReturnId,
  payoutWorkflowId,
  verificationId,
  walletReadingId,
} from '../../../workflows/names'
import type { Json } from '../bank/client'
import { lastEventsText, textOfHistory } from './history-text'

export interface HistoryText {
  readonly where: string
  readonly text: string
}

/** Returns the histories of the latest payouts, and of some return, wallet and verification workflows. */
export async function textsOf(db: Db, temporal: Client): Promise<HistoryText[]> {
  const last = 'SELECT * FROM payouts ORDER BY created_at DESC LIMIT 20'
  const histories = [...(await historiesOf(db, temporal, last)), ...(await aroundPayouts(db, temporal))]
  return histories.map(({ where, history }) => ({ where, text: textOfHistory(history) }))
}

async function aroundPayouts(db: Db, temporal: Client): Promise<{ where: string; history: unknown }[]> {
  const idsOf = async (sql: string) => (await db.dataSource.query<{ id: string }[]>(sql)).map(({ id }) => id)
  const returned = `SELECT id FROM payouts WHERE status = 'returned' ORDER BY created_at DESC LIMIT 5`
  const workflowIds = [
    ...(await idsOf(returned)).map(payoutReturnId),
    ...(await idsOf('SELECT id FROM wallets WHERE wallet_ref IS NOT NULL LIMIT 5')).map(walletReadingId),
    ...(await idsOf('SELECT partner_id AS id FROM wallets WHERE verification_ref IS NOT NULL LIMIT 5')).map(
      verificationId,
    ),
  ]
  return Promise.all(workflowIds.map((workflowId) => historyOf(temporal, workflowId)))
}

/** Returns the last events of the open payouts' workflows, and of the sweeps that should have resumed the payouts. */
export async function lastEventsOfOpen(db: Db, temporal: Client, queuePrefix: string): Promise<string> {
  const open = 'SELECT * FROM payouts WHERE closed_at IS NULL AND released_at IS NULL ORDER BY created_at LIMIT 3'
  const histories = [...(await historiesOf(db, temporal, open)), ...(await lastSweeps(temporal, queuePrefix))]
  return histories.map(({ where, history }) => `${where}:\n${lastEventsText(history)}`).join('\n')
}

async function lastSweeps(temporal: Client, queuePrefix: string): Promise<{ where: string; history: unknown }[]> {
  const sweeps = []
  const query = `WorkflowType = 'sweep' AND TaskQueue = '${ofSystem(housekeepingQueue, queuePrefix)}'`
  for await (const { workflowId, runId, status } of temporal.workflow.list({ query, pageSize: 3 })) {
    const history = await temporal.workflow
      .getHandle(workflowId, runId)
      .fetchHistory()
      .catch(() => null)
    sweeps.push({ where: `${workflowId}, ${status.name}`, history })
    if (sweeps.length === 3) break
  }
  return sweeps
}

async function historiesOf(db: Db, temporal: Client, payouts: string): Promise<{ where: string; history: unknown }[]> {
  const rows = await db.dataSource.query<Json[]>(
    `SELECT environment, partner_id AS "partnerId", idempotency_key AS "idempotencyKey", attempt FROM (${payouts}) p`,
  )
  return Promise.all(rows.map((key) => historyOf(temporal, payoutWorkflowId(key))))
}

/** The history is null if it cannot be fetched, for example because Temporal has deleted it. */
async function historyOf(temporal: Client, workflowId: string): Promise<{ where: string; history: unknown }> {
  const handle = temporal.workflow.getHandle(workflowId)
  return { where: `the history of ${workflowId}`, history: await handle.fetchHistory().catch(() => null) }
}
