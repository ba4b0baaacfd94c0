// Tells the workflow of a recall or trace that it has begun or ended; whatever hinders it, the row says it, and the workflow looks there.
import type { Client } from '@temporalio/client'
import type * as reaching from '../../runtime/temporal/client'
import { caseResolvedSignal, payoutCaseId } from '../../workflows/names'
import type { payoutCase } from '../../workflows/payouts/case'
import { type CaseToStart, payoutCaseStart } from '../../workflows/payouts/case-start'
import type { Ops } from '../connect'

const withinMs = 3_000

export async function followSoon(ops: Ops, opened: CaseToStart): Promise<void> {
  const start = payoutCaseStart(opened, ops.taskQueuePrefix)
  await soon(ops, (client) => client.workflow.start<typeof payoutCase>('payoutCase', start))
}

export async function tellResolvedSoon(ops: Ops, caseId: string): Promise<void> {
  await soon(ops, (client) => client.workflow.getHandle(payoutCaseId(caseId)).signal(caseResolvedSignal))
}

async function soon({ temporal }: Ops, work: (client: Client) => Promise<unknown>): Promise<void> {
  if (temporal === null) return
  // Only these commands need Temporal's client, which takes longer to load than most commands to run.
  const { connectClient, deadlineIn }: typeof reaching = require('../../runtime/temporal/client')
  const client = connectClient(temporal)
  await client.withDeadline(deadlineIn(withinMs), () => work(client)).catch(() => {})
  await client.connection.close()
}
