// Baselines for the payout workflow: an empty workflow, and one with three regular activities.
import { proxyActivities } from '@temporalio/workflow'
import type { BareActivities } from './worker'

const { first, second, third } = proxyActivities<BareActivities>({ startToCloseTimeout: '1 minute' })

export async function noop(): Promise<string> {
  return 'done'
}

export async function threeActivities(): Promise<string> {
  return `${await first()} ${await second()} ${await third()}`
}
