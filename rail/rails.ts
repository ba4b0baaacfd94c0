// The rails of a process, by name. A rail that is not configured behaves like a bank that never answers.

import type { RailName } from '../domain/environment'
import type { Clock } from '../runtime/clock'
import { createProviderRail, type ProviderRail } from './provider'
import type { AroundCall, Timeouts } from './provider/client'
import { transferBody } from './provider/transfers/submit'
import { type Rail, RailUnavailable } from './rail'
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
}

export interface Rails extends Readonly<Record<RailName, Rail>> {
  /** Closes idle connections. */
  close(): void
}

export function createRails({ bank, ...about }: RailsOptions): Rails {
  const to = (access: BankAddress | null): ProviderRail =>
    access === null ? unconfigured : createProviderRail({ baseUrl: access.url, apiKey: access.key, ...about })
  const [sandbox, live] = [to(bank.sandbox), to(bank.live)]
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
const trouble = () => new RailUnavailable('no bank is configured')

/** No request leaves this process, so a first call is provably not sent. */
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
  registerRecipient: async () => ({ outcome: 'unavailable', why: 'unavailable', retryAfterMs: null }),
  transferBody,
  submit: async ({ call }) =>
    call === 'first'
      ? { outcome: 'not-sent', why: 'unavailable', retryAfterMs: null }
      : { outcome: 'unknown', why: 'no bank is configured' },
  transfer: away,
  payoutOf: away,
  findTransfer: away,
  changedSince: () => {
    throw trouble()
  },
  transfersSince: away,
  registerWebhook: away,
  disableWebhook: away,
  close: () => {},
}
