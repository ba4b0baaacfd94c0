// The workflow after a careless change: it waits before it adds the money.
import { sleep } from '@temporalio/workflow'
import type { SandboxTopUp, ToppedUp } from '../../../../workflows/wallets/top-up'
import { topUp as original } from '../../../../workflows/wallets/top-up'

export async function topUp(order: SandboxTopUp): Promise<ToppedUp> {
  await sleep(1)
  return original(order)
}
