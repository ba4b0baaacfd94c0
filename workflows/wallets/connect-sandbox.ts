// Connects a sandbox to its bank: creates a customer and a wallet, then switches rail and balance in one transaction.
import { sleep } from '@temporalio/workflow'
import { requireFields } from '../input'
import { regularActivities } from '../proxies'

export interface SandboxToConnect {
  readonly partnerId: string
  /** Intervals between checks of the bank or the wallet. The last one repeats. */
  readonly pauseMs: readonly number[]
}

/** The bank's IDs only, no names. */
export interface SandboxCustomer {
  readonly verificationRef: string
  readonly customerRef: string | null
  /** Whether the bank allows this customer to have a wallet and to pay in pounds. */
  readonly ready: boolean
}

export interface SandboxRefs {
  readonly partnerId: string
  readonly verificationRef: string
  readonly customerRef: string
  readonly walletRef: string
  readonly address: string | null
}

export interface ConnectSandboxActivities {
  /** Creates the customer at the bank on the first call. */
  openSandboxCustomer(partner: { readonly partnerId: string }): Promise<SandboxCustomer>
  checkSandboxCustomer(customer: { readonly verificationRef: string }): Promise<SandboxCustomer>
  createSandboxWallet(customer: {
    readonly partnerId: string
    readonly customerRef: string
  }): Promise<Pick<SandboxRefs, 'walletRef' | 'address'>>
  /** Changes nothing and returns `busy` while a payout from the simulated wallet is open. */
  connectSandboxWallet(refs: SandboxRefs): Promise<'connected' | 'busy'>
}

/** No caller waits for these activities, so they retry until the bank is available. */
const { openSandboxCustomer, checkSandboxCustomer, createSandboxWallet, connectSandboxWallet } =
  regularActivities<ConnectSandboxActivities>('1 minute', { first: '500 ms', longest: '1 minute' })

export async function connectSandbox(order: SandboxToConnect): Promise<void> {
  requireFields(order, { partnerId: 'id', pauseMs: 'pauses' })
  const { partnerId, pauseMs } = order
  const pause = (tried: number) => sleep(pauseMs[Math.min(tried, pauseMs.length - 1)] ?? 60_000)

  let customer = await openSandboxCustomer({ partnerId })
  for (let asked = 0; !isReady(customer); asked++) {
    await pause(asked)
    customer = await checkSandboxCustomer({ verificationRef: customer.verificationRef })
  }
  const { verificationRef, customerRef } = customer
  const wallet = await createSandboxWallet({ partnerId, customerRef })
  const refs = { partnerId, verificationRef, customerRef, ...wallet }
  for (let tried = 0; (await connectSandboxWallet(refs)) === 'busy'; tried++) await pause(tried)
}

function isReady(customer: SandboxCustomer): customer is SandboxCustomer & { readonly customerRef: string } {
  return customer.ready && customer.customerRef !== null
}
