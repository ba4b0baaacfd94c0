// Maps the bank's transfers, wallets, customers, accounts and errors to our types. Reads them strictly.
import { divideHalfUp } from '../../domain/money'
import { type GbpPerUsdNano, parseRate } from '../../domain/rate'
import type { BankRate } from '../../domain/rate-check'
import type { HistoryRow, Transfer, TransferStatus, Verification, WalletBalance, WalletMovement } from '../rail'
import { reasonFor } from '../reasons'
import {
  dateAt,
  flagAt,
  isObject,
  listAt,
  microAt,
  optionalMicroAt,
  optionalTextAt,
  readable,
  textAt,
  Unreadable,
  valueAt,
} from './fields'

/** A state that is not listed here needs an operator, because a new state must not count as success or failure. */
const statuses: Readonly<Record<string, TransferStatus>> = {
  pending: 'under_way',
  awaiting_funds: 'under_way',
  funds_scheduled: 'under_way',
  funds_received: 'under_way',
  in_review: 'under_way',
  payment_submitted: 'under_way',
  payment_processed: 'delivered',
  undeliverable: 'undeliverable',
  returned: 'returned',
  refund_in_flight: 'returned',
  refunded: 'refunded',
  canceled: 'cancelled',
}

export function readTransfer(body: unknown): Transfer {
  const state = textAt(body, 'state')
  const status = transferStatusOf(state)
  must(body, 'source.currency', 'usdc')
  must(body, 'destination.currency', 'gbp')
  return {
    ref: textAt(body, 'id'),
    payoutId: optionalTextAt(body, 'client_reference_id'),
    state,
    status,
    sentMicroUsdc: microAt(body, 'source.amount'),
    refundedMicroUsdc: null,
    wasDelivered: status === 'delivered' || optionalTextAt(body, 'receipt.destination_tx_hash') !== null,
    reason: reasonOf(body, status),
    networkCostMicropounds: networkCost(body),
    createdAt: readable(() => dateAt(body, 'created_at')),
    updatedAt: dateAt(body, 'updated_at'),
  }
}

/** Maps the bank's transfer state to our status. */
export function transferStatusOf(state: string): TransferStatus {
  return Object.hasOwn(statuses, state) ? (statuses[state] ?? 'needs_people') : 'needs_people'
}

export function readRate(body: unknown): BankRate {
  return {
    gbpPerUsdNano: rateAt(body, 'sell_rate'),
    midNano: rateAt(body, 'midmarket_rate'),
    updatedAt: dateAt(body, 'updated_at'),
  }
}

function rateAt(body: unknown, path: string): GbpPerUsdNano {
  const rate = parseRate(textAt(body, path))
  if (rate === null) throw new Unreadable(path)
  return rate
}

export function readKycLink(body: unknown): Omit<Verification, 'paysGbp'> {
  const rejections = valueAt(body, 'rejection_reasons') ?? []
  if (!Array.isArray(rejections)) throw new Unreadable('rejection_reasons')
  return {
    verificationRef: textAt(body, 'id'),
    customerRef: optionalTextAt(body, 'customer_id'),
    providerStatus: textAt(body, 'kyc_status'),
    termsAccepted: textAt(body, 'tos_status') === 'approved',
    continueUrl: optionalTextAt(body, 'kyc_link'),
    termsUrl: optionalTextAt(body, 'tos_link'),
    // The field `developer_reason` is not used, because it is internal to the bank.
    reasons: rejections.map((rejection) => ({
      text: textAt(rejection, 'reason'),
      at: optionalTextAt(rejection, 'created_at'),
    })),
  }
}

export const gbpEndorsement = 'faster_payments'

export function readPaysGbp(customer: unknown): boolean {
  const endorsement = listAt(customer, 'endorsements').find((each) => valueAt(each, 'name') === gbpEndorsement)
  return valueAt(endorsement, 'status') === 'approved'
}

/** A wallet without a list of balances is unreadable. A list without USDC means zero. */
export function readBalance(body: unknown): WalletBalance {
  const usdc = listAt(body, 'balances').find((each) => valueAt(each, 'currency') === 'usdc')
  return {
    usdcMicro: usdc === undefined ? 0n : microAt(usdc, 'balance'),
    initiationRequired: flagAt(body, 'initiation_required'),
  }
}

export function readMovement(body: unknown): WalletMovement {
  const kind = textAt(body, 'type')
  if (kind !== 'deposit' && kind !== 'withdrawal') throw new Unreadable('type')
  must(body, 'currency', 'usdc')
  const amountMicroUsdc = microAt(body, 'amount')
  if (amountMicroUsdc === 0n) throw new Unreadable('amount')
  return {
    id: textAt(body, 'id'),
    kind,
    amountMicroUsdc,
    transferRef: optionalTextAt(body, 'payment_route.transfer_id'),
    at: dateAt(body, 'created_at'),
  }
}

/**
 * Anyone can send anything to a wallet. So an unreadable movement is returned as such, and the rest of the history is
 * still read.
 */
export function readHistoryRow(body: unknown): HistoryRow {
  try {
    return readMovement(body)
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    const type = valueAt(body, 'type')
    const looksLike = type === 'deposit' || type === 'withdrawal' ? type : null
    return {
      id: textAt(body, 'id'),
      kind: 'unreadable',
      field: error.field,
      looksLike,
      at: orNull(dateAt)(body, 'created_at'),
    }
  }
}

function orNull<T>(read: (body: unknown, path: string) => T): (body: unknown, path: string) => T | null {
  return (body, path) => {
    try {
      return read(body, path)
    } catch (error) {
      if (error instanceof Unreadable) return null
      throw error
    }
  }
}

export interface Account {
  readonly ref: string
  readonly active: boolean
  readonly deactivationReason: string | null
}

export function readAccount(body: unknown): Account {
  const active = valueAt(body, 'active')
  if (typeof active !== 'boolean') throw new Unreadable('active')
  return { ref: textAt(body, 'id'), active, deactivationReason: optionalTextAt(body, 'deactivation_reason') }
}

interface BankError {
  /** Null if the response does not have the bank's error format. */
  readonly code: string | null
  /** The field or header at fault. */
  readonly field: string | null
}

/** Reads only the code and the field, because the message can contain names and account numbers. */
export function readError(body: unknown): BankError {
  const first: unknown = isObject(body) && Array.isArray(body.errors) ? body.errors[0] : body
  const code = valueAt(first, 'code')
  const key = valueAt(first, 'source.key') ?? valueAt(first, 'name')
  const field = isObject(key) ? Object.keys(key)[0] : key
  return { code: word(code, /^[a-z0-9_]{1,64}$/i), field: word(field, /^[\w.[\]-]{1,64}$/) }
}

function word(value: unknown, pattern: RegExp): string | null {
  return typeof value === 'string' && pattern.test(value) ? value : null
}

function must(body: unknown, path: string, expected: string): void {
  if (valueAt(body, path) !== expected) throw new Unreadable(path)
}

const wentWrong: readonly TransferStatus[] = ['undeliverable', 'returned', 'refunded']

function reasonOf(body: unknown, status: TransferStatus): string | null {
  return wentWrong.includes(status) ? reasonFor(optionalTextAt(body, 'return_details.reason')) : null
}

/**
 * Converts the gas fee in the receipt from USD. Returns null if it is zero, because the bank then invoices it, or if
 * there is no rate.
 */
function networkCost(body: unknown): bigint | null {
  const gasMicroUsd = optionalMicroAt(body, 'receipt.gas_fee') ?? 0n
  const rate = parseRate(optionalTextAt(body, 'receipt.exchange_rate') ?? '')
  if (gasMicroUsd === 0n || rate === null) return null
  return divideHalfUp(gasMicroUsd * rate, 1_000_000_000n)
}
