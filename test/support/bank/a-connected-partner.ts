// A partner that is connected to a bank through the rail, with a customer, a wallet, a recipient and transfer orders.
import { randomInt, randomUUID } from 'node:crypto'
import { createProviderRail, type ProviderRail } from '../../../rail/provider'
import type {
  BankRecipient,
  OpenedCustomer,
  Rail,
  Submitted,
  Transfer,
  TransferOrder,
  Verification,
  WalletRefs,
} from '../../../rail/rail'
import { systemClock } from '../../../runtime/clock'
import { opened as fixture } from '../opened'
import { keys } from './client'
import { aRecipient } from './recipients'

export interface Partner extends WalletRefs {
  readonly recipientRef: string
}

/** The timeouts allow for a busy machine: creating a webhook's key alone can take a second. */
export function railTo(url: string, change: { apiKey?: string; callMs?: number } = {}): ProviderRail {
  const { apiKey = keys.sandbox, callMs = 10_000 } = change
  return createProviderRail({
    baseUrl: `${url}/v0`,
    apiKey,
    clock: systemClock,
    timeouts: { connectMs: 5_000, callMs },
  })
}

/** A rail to this bank and a connected partner, for this test file. */
export function useConnectedPartner(bank: { readonly url: string }): { rail: ProviderRail; partner: Partner } {
  const rail = fixture(
    async () => railTo(bank.url),
    (current) => current.close(),
  )
  return { rail, partner: fixture(() => aConnectedPartner(rail)) }
}

export async function aConnectedPartner(rail: Rail): Promise<Partner> {
  const { customerRef } = opened(await rail.openCustomer(aCustomer()))
  if (customerRef === null) throw new Error('the bank has opened no customer')
  const { walletRef } = await rail.createWallet({ customerRef, chain: 'base', key: randomUUID() })
  return { customerRef, walletRef, recipientRef: await register(rail, customerRef, aPayee()) }
}

export function opened(customer: OpenedCustomer): Verification {
  if (customer.outcome !== 'opened') throw new Error(`the customer is refused: ${customer.code}`)
  return customer.verification
}

export function aCustomer() {
  return {
    legalName: 'Analytical Engines Ltd',
    email: `${randomUUID()}@example.com`,
    redirectUrl: null,
    key: randomUUID(),
  }
}

/** A recipient with a random account number that never ends in 0000. */
export function aPayee(change: Partial<BankRecipient> = {}): BankRecipient {
  return { ...aRecipient(), accountNumber: `${randomInt(1_000, 10_000)}${randomInt(1_000, 10_000)}`, ...change }
}

export async function register(rail: Rail, customerRef: string, recipient: BankRecipient): Promise<string> {
  const registered = await rail.registerRecipient({ customerRef, recipient, key: randomUUID() })
  if (registered.outcome !== 'registered') throw new Error(`the recipient is ${registered.outcome}`)
  return registered.recipientRef
}

export function anOrder(partner: Partner, change: Partial<TransferOrder> = {}): TransferOrder {
  const amounts = { amountPence: 10_000n, sendsMicroUsdc: 132_410_000n, reference: 'INV 1042' }
  return { ...partner, payoutId: randomUUID(), ...amounts, ...change }
}

export async function pay(rail: Rail, order: TransferOrder): Promise<Transfer> {
  return accepted(await rail.submit({ key: randomUUID(), body: rail.transferBody(order), call: 'first' }))
}

export function accepted(submitted: Submitted): Transfer {
  if (submitted.outcome !== 'accepted') throw new Error(`the transfer is ${JSON.stringify(submitted)}`)
  return submitted.transfer
}
