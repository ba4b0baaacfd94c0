// The workflow as a careless change would leave it: it reads one environment twice.
import * as activities from '../../../../workflows/activities'
import { walletReadings as original, type WalletReadings } from '../../../../workflows/wallets/readings'

export async function walletReadings(readings: WalletReadings): Promise<void> {
  await activities.readWallets({ environment: 'live', after: null, limit: readings.pageSize })
  await original(readings)
  await activities.readWallets({ environment: 'live', after: null, limit: readings.pageSize })
}
