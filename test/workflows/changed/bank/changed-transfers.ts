// The workflow as a careless change would leave it: it waits before it looks.
import { sleep } from '@temporalio/workflow'
import { changedTransfers as original } from '../../../../workflows/bank/changed-transfers'

export async function changedTransfers() {
  await sleep(1)
  return original()
}
