// Routes that change objects manually: transfers, customers, bank accounts, incoming money and state delays.
import { moveTransfer } from '../clock/moves'
import { usualNext } from '../clock/plan'
import { type Moment, momentAt } from '../http/call'
import { invalid, notFound, refusal } from '../http/errors'
import {
  entriesOf,
  optionalChoice,
  optionalText,
  requiredAmount,
  requiredChoice,
  requiredText,
  valueAt,
} from '../http/fields'
import { kycStatuses } from '../objects/customers'
import { changeAccount, presentAccount } from '../objects/external-accounts'
import { receivePounds, receiveUsdc } from '../objects/incoming'
import { changeCustomer, grantEndorsements } from '../objects/kyc-links'
import { presentTransfer } from '../objects/transfer-json'
import { moveMoney } from '../objects/wallets'
import type { Delays } from '../settings'
import type { Customer, Put } from '../storage/records'
import { type ControlAnswer, type ControlCall, type ControlRoute, ok } from './call'

export const handRoutes: readonly ControlRoute[] = [
  { method: 'POST', path: '/transfers/:transfer/advance', handler: advance },
  { method: 'PUT', path: '/transfers/:transfer/shown', handler: showAs },
  { method: 'POST', path: '/customers/:customer/kyc', handler: setKyc },
  { method: 'POST', path: '/external_accounts/:account', handler: setAccount },
  { method: 'POST', path: '/wallets/:wallet/deposits', handler: depositToWallet },
  { method: 'POST', path: '/virtual_accounts/:virtual/deposits', handler: depositPounds },
  { method: 'POST', path: '/liquidation_addresses/:address/deposits', handler: depositByChain },
  { method: 'PUT', path: '/delays', handler: setDelays },
]

/** The smallest deposit to a virtual account. */
const leastPence = 200n

/**
 * Moves a transfer to the given state, or to its usual next state. `from` lists the states from which the transfer may
 * move.
 */
function advance({ bank, body, param, holderOf }: ControlCall): ControlAnswer {
  const id = param('transfer')
  const environment = holderOf('transfers', id)
  const transfer = bank.books[environment].transfers.get(id)
  if (!transfer) throw notFound('transfer')
  const state =
    optionalText(body, 'state', { min: 1 }) ?? transfer.next?.state ?? usualNext(bank.delaysMs, transfer.state)
  if (state === null) throw invalid('state', `${transfer.state} has no usual next state; give a state.`)
  if (transfer.state === 'refunded' || transfer.state === 'canceled') {
    throw invalid('state', 'The transfer is final: its money is back in the wallet.')
  }
  const from = valueAt(body, 'from')
  if (Array.isArray(from) && !from.includes(transfer.state)) {
    throw refusal(409, 'resource_state_conflict', `The transfer is ${transfer.state}.`)
  }
  const move = {
    state,
    reason: optionalText(body, 'reason'),
    last: valueAt(body, 'last') === true ? 'yes' : 'no',
  } as const
  bank.commit(environment, 'transfer.moved', moveTransfer(momentAt(bank, environment), transfer, move))
  return ok(presentTransfer(bank.books[environment].transfers.get(id) ?? transfer))
}

/** Overrides top-level fields of the transfer in responses. Does not change its money. */
function showAs({ bank, body, param, holderOf }: ControlCall): ControlAnswer {
  const id = param('transfer')
  const environment = holderOf('transfers', id)
  const transfer = bank.books[environment].transfers.get(id)
  if (!transfer) throw notFound('transfer')
  const shown = { ...transfer, shown: Object.fromEntries(entriesOf(body)) }
  bank.commit(environment, 'transfer.shown', [['transfers', shown]])
  return ok(presentTransfer(shown))
}

function setKyc({ bank, body, param, holderOf }: ControlCall): ControlAnswer {
  const environment = holderOf('customers', param('customer'))
  const customer = bank.books[environment].customers.get(param('customer'))
  if (!customer) throw notFound('customer')
  const moment = momentAt(bank, environment)
  const kycStatus = requiredChoice(body, 'status', kycStatuses)
  const tosStatus = optionalChoice(body, 'tos_status', ['pending', 'approved']) ?? customer.tosStatus
  const reason = optionalText(body, 'reason')
  const rejection = {
    reason: reason ?? '',
    developerReason: optionalText(body, 'developer_reason') ?? '',
    at: moment.now,
  }
  const change: Partial<Customer> = {
    kycStatus,
    tosStatus,
    rejections: reason === null ? customer.rejections : [...customer.rejections, rejection],
    endorsements: kycStatus === 'approved' ? grantEndorsements(customer.endorsements) : customer.endorsements,
  }
  bank.commit(environment, 'customer.changed', changeCustomer(moment, customer, change))
  return ok({ id: customer.id, kyc_status: kycStatus, tos_status: tosStatus })
}

/**
 * A deactivation reason closes the account, and null opens it. match_level and reason_code set the result of the
 * payee check.
 */
function setAccount({ bank, body, param, holderOf }: ControlCall): ControlAnswer {
  const environment = holderOf('externalAccounts', param('account'))
  const account = bank.books[environment].externalAccounts.get(param('account'))
  if (!account) throw notFound('external_account')
  const moment = momentAt(bank, environment)
  const reason = valueAt(body, 'deactivation_reason')
  const level = optionalText(body, 'match_level')
  const change = {
    ...(reason === undefined ? {} : { deactivationReason: optionalText(body, 'deactivation_reason') }),
    ...(level === null
      ? {}
      : {
          verification: {
            requestedAt: moment.now,
            completedAt: moment.now,
            matchLevel: level,
            reasonCode: requiredText(body, 'reason_code'),
          },
        }),
  }
  bank.commit(environment, 'external_account.changed', changeAccount(moment, account, change))
  return ok(presentAccount(moment, { ...account, ...change }))
}

function depositToWallet({ bank, body, param, holderOf }: ControlCall): ControlAnswer {
  const moment = momentAt(bank, holderOf('wallets', param('wallet')))
  const wallet = moment.books.wallets.get(param('wallet'))
  if (!wallet) throw notFound('wallet')
  const amountMicro = requiredAmount(body, 'amount', 6)
  const route = { type: 'simulated_deposit', objectId: null } as const
  return deposited(moment, 'wallet.deposited', moveMoney(moment, wallet, { type: 'deposit', amountMicro, route }))
}

function depositPounds({ bank, body, param, holderOf }: ControlCall): ControlAnswer {
  const moment = momentAt(bank, holderOf('virtualAccounts', param('virtual')))
  const account = moment.books.virtualAccounts.get(param('virtual'))
  const wallet = account && moment.books.wallets.get(account.walletId)
  if (!account || !wallet) throw notFound('virtual_account')
  const pounds = requiredAmount(body, 'amount', 2)
  if (pounds < leastPence) throw invalid('amount', 'A bank transfer must be at least 2.00 gbp.')
  return deposited(moment, 'virtual_account.deposited', receivePounds(moment, account, wallet, pounds))
}

function depositByChain({ bank, body, param, holderOf }: ControlCall): ControlAnswer {
  const moment = momentAt(bank, holderOf('liquidationAddresses', param('address')))
  const address = moment.books.liquidationAddresses.get(param('address'))
  const wallet = address && moment.books.wallets.get(address.walletId)
  if (!address || !wallet) throw notFound('liquidation_address')
  const puts = receiveUsdc(moment, address, wallet, requiredAmount(body, 'amount', 6))
  return deposited(moment, 'liquidation_address.drained', puts)
}

function deposited({ bank, environment, books }: Moment, what: string, puts: readonly Put[]): ControlAnswer {
  bank.commit(environment, what, puts)
  return { status: 201, body: books.history.latest() }
}

/** Applies to transfers that enter a state after this call. */
function setDelays({ bank, body }: ControlCall): ControlAnswer {
  const delays: Record<keyof Delays, number> = { ...bank.delaysMs }
  for (const [state, ms] of entriesOf(body)) {
    const known = Object.keys(delays).find((each): each is keyof Delays => each === state)
    if (!known) throw invalid(state, `The states with a delay are ${Object.keys(delays).join(', ')}.`)
    if (typeof ms !== 'number' || !Number.isSafeInteger(ms) || ms < 0)
      throw invalid(state, `${state} must be a whole number of milliseconds.`)
    delays[known] = ms
  }
  bank.delaysMs = delays
  return ok(delays)
}
