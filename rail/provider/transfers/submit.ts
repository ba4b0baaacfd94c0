// Sends a transfer's stored bytes and classifies the response.
import { formatPence, formatUsdc } from '../../../domain/money'
import { parseRate } from '../../../domain/rate'
import {
  type NotAccepted,
  RailUnavailable,
  type Submitted,
  type Transfer,
  type TransferOrder,
  type TransferToSubmit,
} from '../../rail'
import { reasons } from '../../reasons'
import { ask, isSuccess, part } from '../ask'
import { causeOf } from '../cause'
import type { Answer, Client } from '../client'
import { microAt, textAt, Unreadable } from '../fields'
import { readBalance, readTransfer } from '../map'
import { cleanReference } from '../reference'
import { rule } from './outcome'

/** Uses a fixed key order and no time values, because a retry with the same key must send the same bytes. */
export function transferBody(order: TransferOrder): string {
  return JSON.stringify({
    on_behalf_of: order.customerRef,
    client_reference_id: order.payoutId,
    developer_fee: '0.00',
    source: {
      payment_rail: 'bridge_wallet',
      currency: 'usdc',
      bridge_wallet_id: order.walletRef,
      // Without this amount the bank adds a fee of about 1 %. With it, the debit is known in advance.
      amount: formatUsdc(order.sendsMicroUsdc),
    },
    destination: {
      payment_rail: 'faster_payments',
      currency: 'gbp',
      external_account_id: order.recipientRef,
      amount: formatPence(order.amountPence),
      reference: cleanReference(order.reference),
    },
  })
}

export async function submit(client: Client, { key, body, call }: Omit<TransferToSubmit, 'endBy'>): Promise<Submitted> {
  const answer = await client.call({ method: 'POST', path: '/transfers', key, body })
  const transfer = transferIn(answer, body)
  if (transfer) return { outcome: 'accepted', transfer }
  return { ...(await notAccepted(client, { call, answer, body })), cause: causeOf(answer) }
}

interface Unaccepted extends Pick<TransferToSubmit, 'call' | 'body'> {
  readonly answer: Answer
}

async function notAccepted(client: Client, { call, answer, body }: Unaccepted): Promise<NotAccepted> {
  const ruling = rule(call, answer)
  if (ruling.outcome !== 'ask-balance') return ruling
  const covered = await isCovered(client, body)
  const rejected = covered === 'yes' && ruling.ifCovered === 'amount' ? await amountRejection(client, body) : null
  if (rejected !== null) return rejected
  const why = covered === 'no' ? 'insufficient' : 'busy'
  return { outcome: 'not-sent', why, retryAfterMs: answer.stage === 'answered' ? answer.retryAfterMs : null }
}

/**
 * Decides whether the quote is out of date or the bank rejects the amount. Returns null if the bank does not return its
 * rate: the cause is then unknown, and the call is retried.
 */
async function amountRejection(client: Client, body: string): Promise<NotAccepted | null> {
  const order: unknown = JSON.parse(body)
  const rate = await currentRate(client)
  if (rate === null) return null
  const buys = microAt(order, 'source.amount') * rate
  const needs = microAt(order, 'destination.amount') * 1_000_000_000n
  return buys < needs
    ? { outcome: 'rejected', who: 'quote', reason: reasons.quote_expired }
    : { outcome: 'rejected', who: 'amount', reason: reasons.amount_rejected }
}

async function currentRate(client: Client): Promise<bigint | null> {
  try {
    const path = '/exchange_rates?from=usd&to=gbp'
    return await ask(client, 'rate', { method: 'GET', path }, (answer) => parseRate(textAt(answer, 'sell_rate')))
  } catch (error) {
    if (error instanceof RailUnavailable) return null
    throw error
  }
}

/** Returns null unless the response is this payout's transfer. */
function transferIn(answer: Answer, body: string): Transfer | null {
  if (!isSuccess(answer)) return null
  try {
    const transfer = readTransfer(answer.body)
    return transfer.payoutId === textAt(JSON.parse(body), 'client_reference_id') ? transfer : null
  } catch (error) {
    if (error instanceof Unreadable) return null
    throw error
  }
}

async function isCovered(client: Client, body: string): Promise<'yes' | 'no' | 'unknown'> {
  const order: unknown = JSON.parse(body)
  const [customer, wallet] = [textAt(order, 'on_behalf_of'), textAt(order, 'source.bridge_wallet_id')]
  const path = `/customers/${part(customer)}/wallets/${part(wallet)}`
  try {
    const { usdcMicro } = await ask(client, 'wallet', { method: 'GET', path }, readBalance)
    return usdcMicro >= microAt(order, 'source.amount') ? 'yes' : 'no'
  } catch (error) {
    if (error instanceof RailUnavailable) return 'unknown'
    throw error
  }
}
