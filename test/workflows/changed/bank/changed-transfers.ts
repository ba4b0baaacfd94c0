// The workflow after a careless change: it waits before it scans.
import { sleep } from '@temporalio/workflow'
import { changedTransfers as original } from '../../../../workflows/bank/changed-transfers'

export async function changedTransfers() {
  await sleep(1)
  return original()
}
