// The workflow after a careless change: it also reads the live wallets at the beginning and at the end.
import { proxyActivities } from '@temporalio/workflow'
import {
  walletReadings as original,
  type WalletReadings,
  type WalletReadingsActivities,
} from '../../../../workflows/wallets/readings'

const { readWallets } = proxyActivities<WalletReadingsActivities>({ startToCloseTimeout: '1 minute' })

export async function walletReadings(readings: WalletReadings): Promise<void> {
  await readWallets({ environment: 'live', after: null, limit: readings.pageSize })
  await original(readings)
  await readWallets({ environment: 'live', after: null, limit: readings.pageSize })
}
