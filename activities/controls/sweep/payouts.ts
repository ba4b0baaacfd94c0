// Open payouts that no workflow looks after get one.
import { listOpenPayouts, type OpenCursor, type OpenPayout } from '../../../db/payouts/open'
import { startOpenPayout } from '../../../runtime/temporal/start-workflow'
import type { Page, SweptPage } from '../../../workflows/controls/sweep'
import { ago, each, type SweepDeps } from './each'

export async function sweepPayouts(deps: SweepDeps, { after, limit }: Page): Promise<SweptPage> {
  const before = ago(deps, deps.olderThanMs)
  const page = await listOpenPayouts(deps.db, { before, after: after === null ? null : readCursor(after), limit })
  const start = (row: OpenPayout) => startItsWorkflow(deps, row)
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

async function startItsWorkflow(deps: SweepDeps, row: OpenPayout): Promise<'running' | 'started'> {
  const was = await startOpenPayout(deps, row)
  if (was === 'RUNNING') return 'running'
  deps.log.warn(
    { payout_id: row.payoutId, attempt: row.attempt, was },
    'an open payout had no workflow that gets on: started',
  )
  return 'started'
}
