// The workflow after a careless change: it waits before it reads.
import { sleep } from '@temporalio/workflow'
import { walletReading as original, type WalletReading } from '../../../../workflows/wallets/readings'

export async function walletReading(reading: WalletReading): Promise<'read' | 'not_read'> {
  await sleep(1)
  return original(reading)
}
