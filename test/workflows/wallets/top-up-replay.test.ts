// The history of a top-up replays, and a top-up adds its money once, however often it runs.
// RECORD_HISTORIES=1 records the histories again. Use it only after a change that does not affect running workflows.
import { beforeAll, expect, test } from '@jest/globals'
import { listMembers } from '../../../db/partners/members'
import { systemClock } from '../../../runtime/clock'
import type { topUp } from '../../../workflows'
import { topUpId } from '../../../workflows/names'
import type { SandboxTopUp } from '../../../workflows/wallets/top-up'
import { aPartner } from '../../support/api/fixtures'
import { useWorker } from '../../support/temporal/a-worker'
import { replayed } from '../../support/temporal/replayed'

const worker = useWorker({ clock: systemClock })
let order: SandboxTopUp

beforeAll(async () => {
  const partner = await aPartner({ db: worker.db, clock: systemClock })
  const [member] = await listMembers(worker.db, partner.id)
  order = { partnerId: partner.id, memberId: member?.id ?? '', usdc: '25.00', causeRef: 'click-1' }
})

replayed({
  async 'top-up/added'() {
    await run()
    return worker.client.workflow.getHandle(topUpId(order))
  },
})

test('a second run of the same top-up adds nothing', async () => {
  expect([await run(), await run()]).toEqual([{ balanceUsdc: '10025.00' }, { balanceUsdc: '10025.00' }])
})

function run() {
  return worker.client.workflow.execute<typeof topUp>('topUp', {
    workflowId: topUpId(order),
    taskQueue: worker.taskQueue,
    args: [order],
  })
}
