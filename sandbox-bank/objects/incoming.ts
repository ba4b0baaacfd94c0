// Incoming money: by bank transfer to a virtual account, or on chain to a liquidation address.
import { randomUUID } from 'node:crypto'
import { isoTime, type Moment } from '../http/call'
import { formatDecimal, formatUsdc, type MicroUsdc, type Pence, usdcFor } from '../money'
import type { Activity, LiquidationAddress, PaymentRoute, Put, VirtualAccount, Wallet } from '../storage/records'
import { recordEvent } from '../webhooks/events'
import { ratesAt } from './rates'
import { moveMoney } from './wallets'

const steps = ['funds_received', 'payment_submitted', 'payment_processed']

/** Converts incoming pounds at the buy rate and credits the wallet in the same change. */
export function receivePounds(moment: Moment, account: VirtualAccount, wallet: Wallet, pounds: Pence): Put[] {
  const depositId = randomUUID()
  const amountMicro = usdcFor(pounds, ratesAt(moment).buy)
  const events = steps.flatMap((type) =>
    recordActivity(moment, 'virtual_account.activity', {
      id: randomUUID(),
      sourceId: account.id,
      type,
      depositId,
      ...(type === 'payment_processed'
        ? { amount: formatUsdc(amountMicro), currency: 'usdc' }
        : { amount: formatDecimal(pounds, 2), currency: 'gbp' }),
      createdAt: moment.now,
    }),
  )
  return [...events, ...credit(moment, wallet, amountMicro, { type: 'virtual_account', objectId: account.id })]
}

export function receiveUsdc(
  moment: Moment,
  address: LiquidationAddress,
  wallet: Wallet,
  amountMicro: MicroUsdc,
): Put[] {
  const events = recordActivity(moment, 'liquidation_address.drain', {
    id: randomUUID(),
    sourceId: address.id,
    type: 'payment_processed',
    depositId: randomUUID(),
    amount: formatUsdc(amountMicro),
    currency: 'usdc',
    createdAt: moment.now,
  })
  return [...events, ...credit(moment, wallet, amountMicro, { type: 'liquidation_address', objectId: address.id })]
}

export function presentActivity(activity: Activity): Record<string, unknown> {
  return {
    id: activity.id,
    type: activity.type,
    deposit_id: activity.depositId,
    amount: activity.amount,
    currency: activity.currency,
    created_at: isoTime(activity.createdAt),
  }
}

function recordActivity(moment: Moment, category: string, activity: Activity): Put[] {
  const events = recordEvent(moment, {
    category,
    type: `${category}.created`,
    objectId: activity.sourceId,
    status: activity.type,
    object: presentActivity(activity),
    changes: {},
  })
  return [['activities', activity], ...events]
}

function credit(moment: Moment, wallet: Wallet, amountMicro: MicroUsdc, route: PaymentRoute): Put[] {
  return moveMoney(moment, wallet, { type: 'deposit', amountMicro, route })
}
