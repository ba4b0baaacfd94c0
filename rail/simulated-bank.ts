// Controls that only a simulated bank has: verify a customer, make deposits, move a transfer. They throw an error for
// any other bank.

import { formatUsdc } from '../domain/money'
import type { Clock } from '../runtime/clock'
import { ask, part } from './provider/ask'
import { createClient, type Timeouts } from './provider/client'
import { RailUnavailable, type WalletRefs } from './rail'
import type { BankAddress } from './rails'
import { bankCodeFor, type ReasonCode } from './reasons'

export interface SimulatedBank {
  approveCustomer(customerRef: string): Promise<void>
  /**
   * Makes a deposit on every call. Used in the live environment, because the bank's protocol has no such call there.
   */
  deposit(deposit: WalletRefs & { amountMicroUsdc: bigint }): Promise<void>
  /** Makes a deposit once per key. This call is part of the sandbox's protocol. */
  simulateDeposit(deposit: WalletRefs & { amountMicroUsdc: bigint; key: string }): Promise<void>
  /** Keeps the transfer of this payout, which is not created yet, in its first state until `simulate` moves it. */
  hold(payoutId: string): Promise<void>
  /** Returns `too_late`, and moves nothing, if the transfer's current state does not allow this outcome. */
  simulate(simulation: Simulation): Promise<'moved' | 'too_late'>
  close(): void
}

export const simulatedOutcomes = ['settle', 'fail', 'return', 'stall'] as const
export type SimulatedOutcome = (typeof simulatedOutcomes)[number]

export interface Simulation {
  readonly transferRef: string
  readonly outcome: SimulatedOutcome
  /** The reason for a failure or return. Null if the bank gives none. */
  readonly reason: ReasonCode | null
}

/** A bank is simulated if it runs on this machine. */
export function isSimulatedBank({ url }: BankAddress): boolean {
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

const defaultTimeouts: Timeouts = { connectMs: 2_000, callMs: 10_000 }
const keySpent = [400, 422]

/** Returns null if there is no bank, or if it is a real one. */
export function simulatedBankOrNone(
  access: BankAddress | null,
  clock: Clock,
  timeouts: Timeouts,
): SimulatedBank | null {
  return access === null || !isSimulatedBank(access) ? null : openSimulatedBank(access, clock, timeouts)
}

interface Advance {
  readonly state: string
  readonly from: readonly string[]
  readonly reason?: string
  /** The transfer stays in this state until a control moves it. */
  readonly last?: true
}

const underWay = ['pending', 'awaiting_funds', 'funds_scheduled', 'funds_received', 'in_review', 'payment_submitted']

export function openSimulatedBank(access: BankAddress, clock: Clock, timeouts = defaultTimeouts): SimulatedBank {
  const about = { apiKey: access.key, clock, timeouts }
  const protocol = createClient({ ...about, baseUrl: access.url })
  const control = createClient({ ...about, baseUrl: `${new URL(access.url).origin}/_control` })

  async function command(name: string, path: string, body: object): Promise<void> {
    if (!isSimulatedBank(access)) throw new Error('only a bank on this machine can be controlled')
    await ask(control, name, { method: 'POST', path, body: JSON.stringify(body) }, () => null)
  }

  /** The bank checks the current state itself, because the transfer can move at any moment. */
  async function advance(transferRef: string, { from, ...move }: Advance): Promise<'moved' | 'too_late'> {
    if (!isSimulatedBank(access)) throw new Error('only a bank on this machine can be controlled')
    const path = `/transfers/${part(transferRef)}/advance`
    const answer = await control.call({ method: 'POST', path, body: JSON.stringify({ from, ...move }) })
    const status = answer.stage === 'answered' ? answer.status : null
    if (status === 200) return 'moved'
    // A 400 means that the money is back in the wallet.
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
      // The bank rejects a key that was used before, for another amount or more than a day ago. Either way, the deposit
      // was made.
      const isMade = answer.stage === 'answered' && [201, ...keySpent].includes(answer.status)
      if (!isMade) throw new RailUnavailable('simulate deposit')
    },
    hold: (payoutId) =>
      command('hold transfer', '/faults', {
        kind: 'stuck',
        state: 'pending',
        match: { client_reference_id: payoutId },
      }),
    async simulate({ transferRef, outcome, reason }) {
      const why = reason === null ? {} : { reason: bankCodeFor(reason) }
      if (outcome === 'settle') return advance(transferRef, { state: 'payment_processed', from: underWay })
      if (outcome === 'fail') return advance(transferRef, { state: 'undeliverable', from: underWay, ...why })
      if (outcome === 'stall') return advance(transferRef, { state: 'in_review', from: underWay, last: true })
      // Only a delivered transfer can be returned.
      await advance(transferRef, { state: 'payment_processed', from: underWay })
      return advance(transferRef, { state: 'returned', from: ['payment_processed'], ...why })
    },
    close() {
      protocol.close()
      control.close()
    },
  }
}
