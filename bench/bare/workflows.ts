// Baselines for the payout workflow: an empty workflow, one with three empty activities, and a plain payout.
import { proxyActivities } from '@temporalio/workflow'
import type { BareActivities } from './worker'

/** The activities of bench/peers/temporal.mjs. Each is safe to repeat. */
interface PlainActivities {
  claim(order: object): Promise<string>
  pay(id: string): Promise<string>
  record(id: string, transferRef: string): Promise<void>
}

const { first, second, third } = proxyActivities<BareActivities>({ startToCloseTimeout: '1 minute' })
const { claim, pay, record } = proxyActivities<PlainActivities>({ startToCloseTimeout: '1 minute' })

export async function noop(): Promise<string> {
  return 'done'
}

export async function threeActivities(): Promise<string> {
  return `${await first()} ${await second()} ${await third()}`
}

/** A payout as a first version would write it, for `npm run bench -- compare`. */
export async function payout(order: object): Promise<string> {
  const id = await claim(order)
  await record(id, await pay(id))
  return id
}
