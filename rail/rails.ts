// The rails of a process, by name. A rail that is not configured behaves like a bank that never responds.

import type { Environment, RailName } from '../domain/environment'
import type { Clock } from '../runtime/clock'
import { createProviderRail, type ProviderRail } from './provider'
import type { AroundCall, Timeouts } from './provider/client'
import { transferBody } from './provider/transfers/submit'
import { type BankCallSeen, type Rail, RailUnavailable } from './rail'
import { createSimulatedRail } from './simulated'

export interface BankAddress {
  readonly url: string
  readonly key: string
}

export interface RailsOptions {
  readonly bank: { readonly sandbox: BankAddress | null; readonly live: BankAddress | null }
  readonly clock: Clock
  readonly timeouts: Timeouts
  readonly around?: AroundCall | undefined
  /** Called after each request to a bank, for metrics. */
  readonly onCall?: OnBankCall | undefined
}

export type OnBankCall = (seen: BankCallSeen & { readonly environment: Environment }) => void

export interface Rails extends Readonly<Record<RailName, Rail>> {
  /** Closes the connections of all rails. */
  close(): void
}

export function createRails({ bank, onCall, ...about }: RailsOptions): Rails {
  const to = (environment: Environment): ProviderRail => {
    const access = bank[environment]
    if (access === null) return unconfigured
    const watch = onCall === undefined ? {} : { onCall: (seen: BankCallSeen) => onCall({ environment, ...seen }) }
    return createProviderRail({ baseUrl: access.url, apiKey: access.key, ...about, ...watch })
  }
  const [sandbox, live] = [to('sandbox'), to('live')]
  return {
    simulated: createSimulatedRail({ clock: about.clock }),
    provider_sandbox: sandbox,
    provider_production: live,
    close() {
      sandbox.close()
      live.close()
    },
  }
}

const away = () => Promise.reject(trouble())
const cause = 'not configured'
const trouble = () => new RailUnavailable('any call', { answer: cause })

/** No request leaves this process, so a first call provably sends nothing. */
const unconfigured: ProviderRail = {
  rate: away,
  openCustomer: away,
  findCustomer: away,
  verification: away,
  createWallet: away,
  wallets: away,
  wallet: away,
  depositAddress: away,
  bankFunding: away,
  walletHistory: away,
  findRefund: away,
  registerRecipient: async () => ({ outcome: 'unavailable', why: 'unavailable', retryAfterMs: null, cause }),
  transferBody,
  submit: async ({ call }) =>
    call === 'first'
      ? { outcome: 'not-sent', why: 'unavailable', retryAfterMs: null, cause }
      : { outcome: 'unknown', cause },
  transfer: away,
  payoutOf: away,
  findTransfer: away,
  changedSince: () => {
    throw trouble()
  },
  transfersSince: away,
  registerWebhook: away,
  enableWebhook: away,
  disableWebhook: away,
  close: () => {},
}
