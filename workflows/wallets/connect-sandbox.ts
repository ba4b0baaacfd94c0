// Connects a partner's sandbox to its bank: customer, wallet, and then in one moment the wallet's rail and its money (design §4).
import { sleep } from '@temporalio/workflow'
import * as activities from '../activities'
import { requireFields } from '../input'
import type { SandboxCustomer } from './connect-sandbox-steps'

export interface SandboxToConnect {
  readonly partnerId: string
  /** How long to wait before the bank or the wallet is looked at again: the first time, the second …, then as the last. */
  readonly pauseMs: readonly number[]
}

export async function connectSandbox(order: SandboxToConnect): Promise<void> {
  requireFields(order, { partnerId: 'id', pauseMs: 'pauses' })
  const { partnerId, pauseMs } = order
  const pause = (tried: number) => sleep(pauseMs[Math.min(tried, pauseMs.length - 1)] ?? 60_000)

  let customer = await activities.openSandboxCustomer({ partnerId })
  for (let asked = 0; !isReady(customer); asked++) {
    await pause(asked)
    customer = await activities.checkSandboxCustomer({ verificationRef: customer.verificationRef })
  }
  const { verificationRef, customerRef } = customer
  const wallet = await activities.createSandboxWallet({ partnerId, customerRef })
  const refs = { partnerId, verificationRef, customerRef, ...wallet }
  for (let tried = 0; (await activities.connectSandboxWallet(refs)) === 'busy'; tried++) await pause(tried)
}

function isReady(customer: SandboxCustomer): customer is SandboxCustomer & { readonly customerRef: string } {
  return customer.ready && customer.customerRef !== null
}
