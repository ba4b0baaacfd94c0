// What only a bank that moves no money can do: verify a customer, make deposits and move a transfer by hand. Every other bank is refused.

import { formatUsdc } from '../domain/money'
import type { Clock } from '../runtime/clock'
import { ask, part } from './provider/ask'
import { createClient, type Timeouts } from './provider/client'
import { RailUnavailable, type WalletRefs } from './rail'
import type { BankAddress } from './rails'
import { bankWordFor, type ReasonCode } from './reasons'

export interface MakeBelieveBank {
  approveCustomer(customerRef: string): Promise<void>
  /** As often as it is asked; for the live environment, in which the bank's protocol has no such call. */
  deposit(deposit: WalletRefs & { amountMicroUsdc: bigint }): Promise<void>
  /** Once for each key; the protocol of the sandbox has it. */
  simulateDeposit(deposit: WalletRefs & { amountMicroUsdc: bigint; key: string }): Promise<void>
  /** Too late: the transfer is where that can not follow any more, and nothing was moved. */
  simulate(simulation: Simulation): Promise<'moved' | 'too_late'>
  close(): void
}

export const simulatedOutcomes = ['settle', 'fail', 'return', 'stall'] as const
export type SimulatedOutcome = (typeof simulatedOutcomes)[number]

export interface Simulation {
  readonly transferRef: string
  readonly outcome: SimulatedOutcome
  /** Of a failure or a return; null when the bank gives none. */
  readonly reason: ReasonCode | null
}

/** A bank on this machine is make-believe; no other can be told what to do without its own people. */
export function isMakeBelieve({ url }: BankAddress): boolean {
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

const patient: Timeouts = { connectMs: 2_000, callMs: 10_000 }
const keySpent = [400, 422]

/** For who can do without: null where there is no bank, or a real one. */
export function makeBelieveOrNone(
  access: BankAddress | null,
  clock: Clock,
  timeouts: Timeouts,
): MakeBelieveBank | null {
  return access === null || !isMakeBelieve(access) ? null : openMakeBelieveBank(access, clock, timeouts)
}

interface Advance {
  readonly state: string
  readonly from: readonly string[]
  readonly reason?: string
  /** It stays there. */
  readonly last?: true
}

const underWay = ['pending', 'awaiting_funds', 'funds_scheduled', 'funds_received', 'in_review', 'payment_submitted']

export function openMakeBelieveBank(access: BankAddress, clock: Clock, timeouts = patient): MakeBelieveBank {
  const about = { apiKey: access.key, clock, timeouts }
  const protocol = createClient({ ...about, baseUrl: access.url })
  const control = createClient({ ...about, baseUrl: `${new URL(access.url).origin}/_control` })

  async function command(name: string, path: string, body: object): Promise<void> {
    if (!isMakeBelieve(access)) throw new Error('only a bank on this machine is make-believe')
    await ask(control, name, { method: 'POST', path, body: JSON.stringify(body) }, () => null)
  }

  /** The bank itself decides whether the transfer is still in one of those states: it may move by itself at any moment. */
  async function advance(transferRef: string, { from, ...move }: Advance): Promise<'moved' | 'too_late'> {
    if (!isMakeBelieve(access)) throw new Error('only a bank on this machine is make-believe')
    const path = `/transfers/${part(transferRef)}/advance`
    const answer = await control.call({ method: 'POST', path, body: JSON.stringify({ from, ...move }) })
    const status = answer.stage === 'answered' ? answer.status : null
    if (status === 200) return 'moved'
    // 400: the money is back in the wallet.
    if (status === 400 || status === 409) return 'too_late'
    throw new RailUnavailable('simulate')
  }

  return {
    approveCustomer: (customerRef) =>
      command('approve customer', `/customers/${part(customerRef)}/kyc`, {
        status: 'approved',
        tos_status: 'approved',
      }),
    deposit: ({ walletRef, amountMicroUsdc }) =>
      command('deposit', `/wallets/${part(walletRef)}/deposits`, { amount: formatUsdc(amountMicroUsdc) }),
    async simulateDeposit({ customerRef, walletRef, amountMicroUsdc, key }) {
      const path = `/customers/${part(customerRef)}/wallets/${part(walletRef)}/simulate_deposit`
      const body = JSON.stringify({ currency: 'usdc', amount: formatUsdc(amountMicroUsdc) })
      const answer = await protocol.call({ method: 'POST', path, key, body })
      // A key that was used before, for another amount or longer than a day ago, stands for a deposit that was made.
      const isMade = answer.stage === 'answered' && [201, ...keySpent].includes(answer.status)
      if (!isMade) throw new RailUnavailable('simulate deposit')
    },
    async simulate({ transferRef, outcome, reason }) {
      const why = reason === null ? {} : { reason: bankWordFor(reason) }
      if (outcome === 'settle') return advance(transferRef, { state: 'payment_processed', from: underWay })
      if (outcome === 'fail') return advance(transferRef, { state: 'undeliverable', from: underWay, ...why })
      if (outcome === 'stall') return advance(transferRef, { state: 'in_review', from: underWay, last: true })
      // Only what has arrived can be sent back; what arrived before is too late for that, and just right for this.
      await advance(transferRef, { state: 'payment_processed', from: underWay })
      return advance(transferRef, { state: 'returned', from: ['payment_processed'], ...why })
    },
    close() {
      protocol.close()
      control.close()
    },
  }
}
