// Presents a transfer as JSON. The receipt gains fields as the transfer progresses.
import { createHash } from 'node:crypto'
import { isoTime } from '../http/call'
import { exactSource, formatDecimal } from '../money'
import type { Transfer } from '../storage/records'

export function presentTransfer(transfer: Transfer): Record<string, unknown> {
  const amount = formatDecimal(transfer.sourceCents, 2)
  return {
    id: transfer.id,
    client_reference_id: transfer.clientReferenceId,
    state: transfer.state,
    on_behalf_of: transfer.customerId,
    currency: 'usd',
    amount,
    developer_fee: fee(transfer),
    source: {
      payment_rail: 'bridge_wallet',
      currency: 'usdc',
      bridge_wallet_id: transfer.walletId,
      from_address: transfer.fromAddress,
      amount,
    },
    destination: {
      payment_rail: 'faster_payments',
      currency: 'gbp',
      external_account_id: transfer.externalAccountId,
      amount: formatDecimal(transfer.outputPence, 2),
      ...(transfer.reference === null ? {} : { reference: transfer.reference }),
    },
    receipt: presentReceipt(transfer),
    ...presentReturn(transfer),
    ...presentShortfall(transfer),
    created_at: isoTime(transfer.createdAt),
    updated_at: isoTime(transfer.updatedAt),
    ...transfer.shown,
  }
}

function presentReceipt(transfer: Transfer): Record<string, unknown> {
  const initial = {
    initial_amount: formatDecimal(transfer.sourceCents, 2),
    developer_fee: fee(transfer),
    exchange_fee: '0.0',
    gas_fee: '0.0',
  }
  if (!delivered.has(transfer.state) && (transfer.deliveredAt ?? null) === null) return initial
  const subtotal = transfer.sourceCents - transfer.developerFeeCents
  const left = subtotal - exactSource(transfer.outputPence, transfer.rateNano)
  return {
    ...initial,
    subtotal_amount: formatDecimal(subtotal, 2),
    final_amount: formatDecimal(transfer.outputPence, 2),
    exchange_rate: formatDecimal(transfer.rateNano, 9),
    // The bank keeps the surplus for the developer and does not return it to the wallet.
    developer_exchange_fee: { amount: formatDecimal(left > 0n ? left : 0n, 2), currency: 'usdc' },
    source_tx_hash: `0x${createHash('sha256').update(`source ${transfer.id}`).digest('hex')}`,
    destination_tx_hash: createHash('sha256').update(`destination ${transfer.id}`).digest('hex').slice(0, 32),
    url: `https://receipts.sandbox-bank.invalid/${transfer.id}`,
  }
}

const delivered = new Set(['payment_processed', 'returned', 'refund_in_flight'])

function presentReturn({ returnReason, refundReferenceId }: Transfer): Record<string, unknown> {
  if (returnReason === null) return {}
  return { return_details: { reason: returnReason, refund_reference_id: refundReferenceId } }
}

/** The protocol does not specify the shortfall. This one is about 1 % of the source amount, and never zero. */
function presentShortfall({ state, sourceCents }: Transfer): Record<string, unknown> {
  if (state !== 'underfunded') return {}
  const missing = formatDecimal(sourceCents / 100n + 1n, 2)
  return { additional_funding_instructions: { amount: missing, currency: 'usdc', to_payment_rail: 'bridge_transfer' } }
}

function fee({ developerFeeCents }: Transfer): string {
  return developerFeeCents === 0n ? '0.0' : formatDecimal(developerFeeCents, 2)
}
