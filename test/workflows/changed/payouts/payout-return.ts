// The workflow after a careless change: it waits before it polls the bank.
import { sleep } from '@temporalio/workflow'
import { payoutReturn as original, type ReturnOrder } from '../../../../workflows/payouts/return'

export async function payoutReturn(order: ReturnOrder): Promise<void> {
  await sleep(1)
  await original(order)
}
