// What only a bank that moves no money can do: verify a customer by hand and make deposits. Every other bank is refused.
import type { Clock } from '../clock'
import { formatUsdc } from '../domain/money'
import { ask, part } from './provider/ask'
import { createClient } from './provider/client'
import { RailUnavailable, type WalletRefs } from './rail'
import type { BankAddress } from './rails'

export interface MakeBelieveBank {
  approveCustomer(customerRef: string): Promise<void>
  /** As often as it is asked; for the live environment, in which the bank's protocol has no such call. */
  deposit(deposit: WalletRefs & { amountMicroUsdc: bigint }): Promise<void>
  /** Once for each key; the protocol of the sandbox has it. */
  simulateDeposit(deposit: WalletRefs & { amountMicroUsdc: bigint; key: string }): Promise<void>
  close(): void
}

/** A bank on this machine is make-believe; no other can be told what to do without its own people. */
export function isMakeBelieve({ url }: BankAddress): boolean {
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

const timeouts = { connectMs: 2_000, callMs: 10_000 }
const keySpent = [400, 422]

export function openMakeBelieveBank(access: BankAddress, clock: Clock): MakeBelieveBank {
  const about = { apiKey: access.key, clock, timeouts }
  const protocol = createClient({ ...about, baseUrl: access.url })
  const control = createClient({ ...about, baseUrl: `${new URL(access.url).origin}/_control` })

  async function command(name: string, path: string, body: object): Promise<void> {
    if (!isMakeBelieve(access)) throw new Error('only a bank on this machine is make-believe')
    await ask(control, name, { method: 'POST', path, body: JSON.stringify(body) }, () => null)
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
    close() {
      protocol.close()
      control.close()
    },
  }
}
