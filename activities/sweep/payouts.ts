// Open payouts that no workflow looks after get one.
import { type Client, WorkflowNotFoundError } from '@temporalio/client'
import { listOpenPayouts, type OpenCursor, type OpenPayout } from '../../db/payouts-open'
import type { payout } from '../../workflows'
import { payoutStart } from '../../workflows/payout-start'
import type { Page, SweptPage } from '../../workflows/sweep-steps'
import { ago, type SweepDeps } from './deps'
import { each } from './each'
import { isStuck } from './stuck'

export async function sweepPayouts(deps: SweepDeps, { after, limit }: Page): Promise<SweptPage> {
  const before = ago(deps, deps.olderThanMs)
  const page = await listOpenPayouts(deps.db, { before, after: after === null ? null : readCursor(after), limit })
  const start = (row: OpenPayout) => startUnlessRunning(deps, row)
  const { done, failed } = await each(deps, page, start, ({ payoutId }) => ({ payout_id: payoutId }))
  const last = page.length < limit ? undefined : page.at(-1)
  return {
    looked: page.length,
    started: done.filter((outcome) => outcome === 'started').length,
    failed,
    next: last === undefined ? null : writeCursor(last),
  }
}

function writeCursor({ createdAt, payoutId }: OpenCursor): string {
  return `${createdAt.toISOString()} ${payoutId}`
}

function readCursor(text: string): OpenCursor {
  const [createdAt = '', payoutId = ''] = text.split(' ')
  return { createdAt: new Date(createdAt), payoutId }
}

/** Plain start, never update-with-start: that would hand out an old answer and start nothing. */
async function startUnlessRunning(deps: SweepDeps, row: OpenPayout): Promise<'running' | 'started'> {
  const { workflowId, ...options } = payoutStart(row, deps)
  const was = await statusOf(deps.temporal, workflowId)
  if (was === 'RUNNING') return 'running'
  await deps.temporal.workflow.start<typeof payout>('payout', {
    ...options,
    workflowId,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: was === 'STUCK' ? 'TERMINATE_EXISTING' : 'USE_EXISTING',
  })
  deps.log.warn(
    { payout_id: row.payoutId, attempt: row.attempt, was },
    'an open payout had no workflow that gets on: started',
  )
  return 'started'
}

/** Of a stuck one nothing is lost: the row knows where the payout stands, and a new run goes on from there. */
async function statusOf(temporal: Client, workflowId: string): Promise<string> {
  try {
    const described = await temporal.workflow.getHandle(workflowId).describe()
    const { name } = described.status
    return name === 'RUNNING' && (await isStuck(temporal, described)) ? 'STUCK' : name
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'ABSENT'
    throw error
  }
}
