// The rail that implements the provider's protocol. Sandbox and production differ only in base URL and key.
import type { BankCallSeen, BankFunding, NewWallet, Rail, Verification } from '../rail'
import { ask, isNotFound, part, readAnswer, refusalOf } from './ask'
import { withCallReports } from './cause'
import { type Client, type ClientOptions, createClient, endingBy } from './client'
import { listAt, optionalTextAt, textAt, valueAt } from './fields'
import { readWholeList } from './lists'
import { gbpEndorsement, readBalance, readHistoryRow, readKycLink, readPaysGbp, readRate, readTransfer } from './map'
import { registerRecipient } from './recipients'
import { findRefund, findTransfer } from './transfers/find'
import { changedSince, payoutOf, transfersSince } from './transfers/listed'
import { submit, transferBody } from './transfers/submit'
import { webhookCategories } from './webhook'

export interface ProviderRail extends Rail {
  /** Closes all connections, including those of calls in flight. */
  close(): void
}

interface ProviderOptions extends ClientOptions {
  /** Called after each request, for metrics. */
  readonly onCall?: ((seen: BankCallSeen) => void) | undefined
}

export function createProviderRail({ onCall, ...options }: ProviderOptions): ProviderRail {
  const client = createClient(options)
  return providerRailOver(onCall === undefined ? client : withCallReports(client, onCall), options)
}

/** Creates the rail on top of any transport. The tests in test/explorer use one without sockets. */
export function providerRailOver(client: Client, { clock }: Pick<ClientOptions, 'clock'>): ProviderRail {
  return {
    ...customers(client),
    ...wallets(client),
    ...funding(client),
    ...transfers(client, clock),
    rate: () => ask(client, 'rate', { method: 'GET', path: '/exchange_rates?from=usd&to=gbp' }, readRate),
    registerRecipient: ({ endBy, ...recipient }) => registerRecipient(endingBy(client, endBy), recipient),
    registerWebhook: (webhook) => registerWebhook(client, webhook),
    enableWebhook: (ref) => enableWebhook(client, ref),
    disableWebhook: (ref) => disableWebhook(client, ref),
    close: () => client.close(),
  }
}

function customers(client: Client): Pick<Rail, 'openCustomer' | 'findCustomer' | 'verification'> {
  /** The KYC link states the progress of the verification. Only the customer object shows whether GBP is allowed. */
  async function withPayments(link: Omit<Verification, 'paysGbp'>): Promise<Verification> {
    if (link.customerRef === null) return { ...link, paysGbp: false }
    const path = `/customers/${part(link.customerRef)}`
    return { ...link, paysGbp: await ask(client, 'customer', { method: 'GET', path }, readPaysGbp) }
  }

  return {
    async openCustomer({ legalName, email, redirectUrl, key }) {
      const body = JSON.stringify({
        full_name: legalName,
        email,
        type: 'business',
        endorsements: ['base', gbpEndorsement],
        redirect_uri: redirectUrl ?? undefined,
      })
      const call = { method: 'POST', path: '/kyc_links', key, body } as const
      const answer = await client.call(call)
      const code = refusalOf(answer)
      if (code !== null) return { outcome: 'refused', code }
      return { outcome: 'opened', verification: await withPayments(readAnswer('open customer', answer, readKycLink)) }
    },
    async findCustomer(email) {
      const path = `/kyc_links?email=${part(email)}`
      const links = await ask(client, 'find customer', { method: 'GET', path }, (body) =>
        // If the bank ignores the filter, the first row may be another partner's customer.
        listAt(body, 'data').filter((link) => textAt(link, 'email') === email),
      )
      const [link] = links.map(readKycLink)
      return link === undefined ? null : withPayments(link)
    },
    async verification(ref) {
      const path = `/kyc_links/${part(ref)}`
      return withPayments(await ask(client, 'verification', { method: 'GET', path }, readKycLink))
    },
  }
}

type WalletCalls = Pick<Rail, 'createWallet' | 'wallets' | 'wallet' | 'walletHistory' | 'findRefund'>

function wallets(client: Client): WalletCalls {
  return {
    createWallet({ customerRef, chain, key }) {
      const path = `/customers/${part(customerRef)}/wallets`
      return ask(client, 'create wallet', { method: 'POST', path, key, body: JSON.stringify({ chain }) }, readWallet)
    },
    async wallets(customerRef) {
      const path = `/customers/${part(customerRef)}/wallets`
      const rows = await readWholeList(client, { name: 'wallets', path, read: readWallet, isPast: () => false })
      return [...rows.values()].toReversed()
    },
    wallet({ customerRef, walletRef }) {
      const path = `/customers/${part(customerRef)}/wallets/${part(walletRef)}`
      return ask(client, 'wallet', { method: 'GET', path }, readBalance)
    },
    async walletHistory({ walletRef, after }) {
      const rows = await readWholeList(client, {
        name: 'wallet history',
        path: `/wallets/${part(walletRef)}/history`,
        read: readHistoryRow,
        isPast: ({ id }) => id === after,
      })
      return [...rows.values()].toReversed()
    },
    findRefund: (refund) => findRefund(client, refund),
  }
}

function readWallet(body: unknown): NewWallet {
  return {
    walletRef: textAt(body, 'id'),
    chain: textAt(body, 'chain'),
    address: optionalTextAt(body, 'address'),
  }
}

type TransferCalls = Pick<
  Rail,
  'transferBody' | 'submit' | 'transfer' | 'payoutOf' | 'findTransfer' | 'changedSince' | 'transfersSince'
>

function transfers(client: Client, clock: ClientOptions['clock']): TransferCalls {
  return {
    transferBody,
    submit: ({ endBy, ...transfer }) => submit(endingBy(client, endBy), transfer),
    transfer: (ref) => ask(client, 'transfer', { method: 'GET', path: `/transfers/${part(ref)}` }, readTransfer),
    payoutOf: (ref) => payoutOf(client, ref),
    findTransfer: (wanted) => findTransfer(client, wanted),
    changedSince: (at) => changedSince(client, clock, at),
    transfersSince: (listed) => transfersSince(client, listed),
  }
}

/** The bank creates each webhook in the disabled state. Enabling it twice is harmless. */
async function registerWebhook(client: Client, { url, key }: { url: string; key: string }) {
  const body = JSON.stringify({ url, event_epoch: 'webhook_creation', event_categories: webhookCategories })
  const created = { method: 'POST', path: '/webhooks', key, body } as const
  const webhook = await ask(client, 'register webhook', created, (answer) => ({
    webhookRef: textAt(answer, 'id'),
    publicKey: textAt(answer, 'public_key'),
  }))
  readAnswer('switch webhook on', await setStatus(client, webhook.webhookRef, 'active'), () => null)
  return webhook
}

async function enableWebhook(client: Client, webhookRef: string): Promise<'enabled' | 'absent'> {
  const answer = await setStatus(client, webhookRef, 'active')
  return isNotFound(answer) ? 'absent' : readAnswer('switch webhook on', answer, () => 'enabled')
}

/** Ignores a webhook that no longer exists, because it sends nothing. */
async function disableWebhook(client: Client, webhookRef: string): Promise<void> {
  const answer = await setStatus(client, webhookRef, 'disabled')
  if (!isNotFound(answer)) readAnswer('switch webhook off', answer, () => null)
}

function setStatus(client: Client, webhookRef: string, status: 'active' | 'disabled') {
  return client.call({ method: 'PUT', path: `/webhooks/${part(webhookRef)}`, body: JSON.stringify({ status }) })
}

/** An address for USDC and a bank account for GBP. Each is created only if a lookup does not find it. */
function funding(client: Client): Pick<Rail, 'depositAddress' | 'bankFunding'> {
  return {
    // USDC sent to the wallet's own address may be lost. The bank requires a liquidation address.
    async depositAddress({ customerRef, walletRef, chain, key }) {
      const path = `/customers/${part(customerRef)}/liquidation_addresses`
      const isOurs = (row: unknown) =>
        valueAt(row, 'bridge_wallet_id') === walletRef &&
        valueAt(row, 'chain') === chain &&
        valueAt(row, 'currency') === 'usdc' &&
        valueAt(row, 'state') === 'active'
      const body = JSON.stringify({ chain, currency: 'usdc', bridge_wallet_id: walletRef })
      return foundOrMade(client, { name: 'deposit address', path, isOurs, key, body, read: readAddress })
    },
    async bankFunding({ customerRef, walletRef, chain, key }) {
      const path = `/customers/${part(customerRef)}/virtual_accounts`
      const isOurs = (row: unknown) =>
        valueAt(row, 'destination.bridge_wallet_id') === walletRef &&
        valueAt(row, 'source_deposit_instructions.currency') === 'gbp' &&
        valueAt(row, 'status') === 'activated'
      // The bank names the payment rail into a wallet after the chain.
      const destination = { payment_rail: chain, currency: 'usdc', bridge_wallet_id: walletRef }
      const body = JSON.stringify({ source: { currency: 'gbp' }, destination })
      return foundOrMade(client, { name: 'bank funding', path, isOurs, key, body, read: readFunding })
    },
  }
}

interface Wanted<T> {
  readonly name: string
  readonly path: string
  readonly isOurs: (row: unknown) => boolean
  readonly key: string
  readonly body: string
  readonly read: (row: unknown) => T
}

/** Returns the oldest match, or creates one. Ignores the customer's other rows, regardless of their format. */
async function foundOrMade<T>(client: Client, { name, path, isOurs, key, body, read }: Wanted<T>): Promise<T> {
  const list = { name, path, read: (row: unknown) => (isOurs(row) ? read(row) : null), isPast: () => false }
  const rows = await readWholeList(client, list)
  const known = [...rows.values()].findLast((row) => row !== null) ?? null
  return known ?? ask(client, name, { method: 'POST', path, key, body }, read)
}

function readAddress(body: unknown): string {
  return textAt(body, 'address')
}

function readFunding(body: unknown): BankFunding {
  const at = 'source_deposit_instructions'
  return {
    fundingRef: textAt(body, 'id'),
    sortCode: textAt(body, `${at}.sort_code`),
    accountNumber: textAt(body, `${at}.account_number`),
    holderName: textAt(body, `${at}.account_holder_name`),
    bankName: textAt(body, `${at}.bank_name`),
  }
}
