// Adds test money to a sandbox wallet: only activities move money, so who asks for it starts this and waits.
import * as activities from '../activities'
import { requireFields } from '../input'
import type { SandboxTopUp, ToppedUp } from './top-up-steps'

export async function topUp(order: SandboxTopUp): Promise<ToppedUp> {
  requireFields(order, { partnerId: 'id', usdc: 'text', causeRef: 'text' })
  return activities.topUpSandbox(order)
}
