// Wallets: creation with the sandbox's opening balance, balances, history, and the only function that moves money.
import { randomBytes, randomUUID } from 'node:crypto'
import { type Call, get, isoTime, type Moment, type Outcome, post, type Route } from '../http/call'
import { notFound, notFoundInBody, refusal } from '../http/errors'
import { requiredAmount, requiredChoice, requiredText } from '../http/fields'
import { listPage } from '../http/lists'
import { formatDecimal, formatUsdc, type MicroUsdc } from '../money'
import type { Customer, HistoryRow, PaymentRoute, Put, Wallet } from '../storage/records'
import { recordEvent } from '../webhooks/events'
import { customerOf, requireActive } from './customers'

export const walletRoutes: readonly Route[] = [
  post('/customers/:customer/wallets', createWallet),
  get('/customers/:customer/wallets', listWallets),
  get('/customers/:customer/wallets/:wallet', (call) => presentWithBalance(call, walletOf(call))),
  post('/customers/:customer/wallets/:wallet/simulate_deposit', simulateDeposit),
  get('/wallets/:wallet/history', listHistory),
]

export const chains = ['base', 'ethereum', 'solana', 'tempo', 'tron'] as const

const usdcContract = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

/** Returns the changed wallet, its history row and the event. */
export function moveMoney(
  moment: Moment,
  wallet: Wallet,
  move: { type: HistoryRow['type']; amountMicro: MicroUsdc; route: PaymentRoute },
): Put[] {
  const { now } = moment
  const signed = move.type === 'deposit' ? move.amountMicro : -move.amountMicro
  const after: Wallet = { ...wallet, balanceMicro: wallet.balanceMicro + signed, updatedAt: now }
  if (after.balanceMicro < 0n) throw new Error('a wallet cannot go below zero')
  const row: HistoryRow = {
    id: randomUUID(),
    walletId: wallet.id,
    customerId: wallet.customerId,
    ...move,
    availableMicro: after.balanceMicro,
    createdAt: now,
  }
  const events = recordEvent(moment, {
    category: 'bridge_wallet.activity',
    type: 'bridge_wallet.activity.created',
    objectId: row.id,
    status: null,
    object: presentHistory(row),
    changes: {},
    about: { wallet_id: wallet.id, customer_id: wallet.customerId },
  })
  return [['wallets', after], ['history', row], ...events]
}

/** The wallet in the URL. Throws a 404 if it belongs to another customer. */
function walletOf(call: Call): Wallet {
  const wallet = call.books.wallets.get(call.param('wallet'))
  if (!wallet || wallet.customerId !== customerOf(call).id) throw notFound('wallet')
  return wallet
}

/** The wallet whose ID is in the body. It must belong to the customer. */
export function walletIn({ books, body }: Call, customer: Customer, key: string): Wallet {
  const wallet = books.wallets.get(requiredText(body, key))
  if (!wallet || wallet.customerId !== customer.id) throw notFoundInBody(key, 'wallet')
  return wallet
}

export function fakeAddress(chain: string): string {
  return chain === 'solana' || chain === 'tron'
    ? randomBytes(22).toString('base64url')
    : `0x${randomBytes(20).toString('hex')}`
}

export function presentHistory(row: HistoryRow): Record<string, unknown> {
  const owned = { type: row.route.type, customer_id: row.customerId }
  const route = row.route.objectId === null ? owned : { ...owned, [`${row.route.type}_id`]: row.route.objectId }
  return {
    id: row.id,
    bridge_wallet_id: row.walletId,
    amount: formatDecimal(row.amountMicro, 6),
    available_balance: formatDecimal(row.availableMicro, 6),
    currency: 'usdc',
    type: row.type,
    payment_route: route,
    created_at: isoTime(row.createdAt),
  }
}

function createWallet(call: Call): Outcome {
  const { bank, books, environment, now } = call
  const customer = customerOf(call)
  const chain = requiredChoice(call.body, 'chain', chains)
  requireActive(customer)
  const id = randomUUID()
  const empty: Wallet = {
    id,
    customerId: customer.id,
    chain,
    address: fakeAddress(chain),
    balanceMicro: 0n,
    createdAt: now,
    updatedAt: now,
  }
  const float = environment === 'sandbox' && books.wallets.of(customer.id).length === 0 ? bank.settings.floatMicro : 0n
  const puts: readonly Put[] =
    float === 0n
      ? [['wallets', empty]]
      : moveMoney(call, empty, { type: 'deposit', amountMicro: float, route: { type: 'float', objectId: null } })
  return { status: 201, body: presentWallet(empty), what: 'wallet.created', puts }
}

/** Omits balances, as the real bank's lists may do. An absent balance does not mean zero. */
function listWallets(call: Call) {
  return listPage(call, call.books.wallets.of(customerOf(call).id), presentWallet)
}

function simulateDeposit(call: Call): Outcome {
  const wallet = walletOf(call)
  if (call.environment === 'live') throw refusal(401, 'not_allowed', 'Deposits are simulated in the sandbox only.')
  requiredChoice(call.body, 'currency', ['usdc'])
  const amountMicro = requiredAmount(call.body, 'amount', 6)
  const puts = moveMoney(call, wallet, {
    type: 'deposit',
    amountMicro,
    route: { type: 'simulated_deposit', objectId: null },
  })
  const rows = puts.flatMap((put) => (put[0] === 'history' ? [presentHistory(put[1])] : []))
  return { status: 201, body: rows[0], what: 'wallet.deposited', puts }
}

function listHistory(call: Call) {
  const wallet = call.books.wallets.get(call.param('wallet'))
  if (!wallet) throw notFound('wallet')
  return listPage(call, call.books.history.of(wallet.id), presentHistory)
}

function presentWallet(wallet: Wallet): Record<string, unknown> {
  return {
    id: wallet.id,
    chain: wallet.chain,
    address: wallet.address,
    created_at: isoTime(wallet.createdAt),
    updated_at: isoTime(wallet.updatedAt),
  }
}

function presentWithBalance(call: Call, wallet: Wallet): Record<string, unknown> {
  const balance = formatUsdc(shownBalance(call, wallet))
  const balances = [{ balance, currency: 'usdc', chain: wallet.chain, contract_address: usdcContract }]
  return { ...presentWallet(wallet), balances }
}

/** With the balance_lag fault, returns the balance from `ms` milliseconds ago. */
function shownBalance({ bank, books, environment, now }: Call, wallet: Wallet): MicroUsdc {
  const subject = { environment, wallet_id: wallet.id, customer_id: wallet.customerId }
  const lagMs = bank.faults.take(['balance_lag'], subject)?.ms
  if (lagMs === undefined || lagMs === null) return wallet.balanceMicro
  const then = books.history.of(wallet.id).findLast((row) => row.createdAt <= now - lagMs)
  return then?.availableMicro ?? 0n
}
