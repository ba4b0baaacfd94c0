// POST /v1/payouts with all that belongs to it, in ratios to what is bare.
import type { System } from '../system'
import { accepting } from './accept'
import { bankSpeed } from './bank-speed'
import { wholeLife } from './life'
import { replaying } from './replay'
import { requestTime } from './request-time'
import { openStage } from './stage'
import { hotWallet, openWallets } from './wallets'

export async function payouts(system: System, print: (lines: readonly string[]) => void): Promise<void> {
  const stage = await openStage(system)
  try {
    print(await accepting(stage))
    print(await wholeLife(stage))
    print(await requestTime(stage))
    print(await replaying(stage))
    print(await hotWallet(stage, await openWallets(stage)))
    print(await bankSpeed(stage))
  } finally {
    await stage.close()
  }
}
