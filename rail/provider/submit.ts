// Sends a transfer's frozen bytes and says what the answer proves.
import { formatPence, formatUsdc } from '../../domain/money'
import { RailUnavailable, type Submitted, type Transfer, type TransferOrder, type TransferToSubmit } from '../rail'
import { ask, isSuccess, part } from './ask'
import type { Answer, Client } from './client'
import { microAt, textAt, Unreadable } from './fields'
import { readBalance, readTransfer } from './map'
import { rule } from './outcome'
import { cleanReference } from './reference'

/** A fixed order of keys, no clock, nothing that can move: a repeated key wants the very same bytes. */
export function transferBody(order: TransferOrder): string {
  return JSON.stringify({
    on_behalf_of: order.customerRef,
    client_reference_id: order.payoutId,
    developer_fee: '0.00',
    source: {
      payment_rail: 'bridge_wallet',
      currency: 'usdc',
      bridge_wallet_id: order.walletRef,
      // Without it the bank adds about 1 % of its own choice; with it the debit is known before it happens.
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

  const ruling = rule(call, answer)
  if (ruling.outcome !== 'ask-balance') return ruling
  const why = (await isCovered(client, body)) === 'no' ? 'insufficient' : 'busy'
  return { outcome: 'not-sent', why, retryAfterMs: answer.stage === 'answered' ? answer.retryAfterMs : null }
}

/** Null unless it is a transfer of this very payout. */
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
