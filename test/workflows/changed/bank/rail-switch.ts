// The workflow after a careless change: it waits before it switches.
import { sleep } from '@temporalio/workflow'
import { railSwitch as original, type RailSwitch, type RailSwitched } from '../../../../workflows/bank/rail-switch'

export async function railSwitch(order: RailSwitch): Promise<RailSwitched> {
  await sleep(1)
  return original(order)
}
