// What can be set about the bank, with the defaults it runs on.
import { type MicroUsdc, microPerCent, nanoPerOne, type RateNano } from './money'

/** How long a transfer stays in each state before it moves on by itself. */
export interface Delays {
  readonly pending: number
  /** 0: transfers are not reviewed at all. */
  readonly in_review: number
  readonly funds_received: number
  readonly payment_submitted: number
  readonly undeliverable: number
  readonly returned: number
  readonly refund_in_flight: number
}

export interface Settings {
  readonly host: string
  readonly port: number
  /** A second address for the control plane alone, which an outage does not close; null: none. */
  readonly controlPort: number | null
  readonly dataDir: string
  readonly sandboxKey: string
  readonly liveKey: string
  /** Where people's browsers reach the pages; null: the address it listens on. */
  readonly publicUrl: string | null
  readonly fsync: 'on' | 'off'
  readonly idempotencyWindowMs: number
  /** Whether a refusal (4xx) is replayed under its key like an acceptance, or leaves the key free. */
  readonly refusals: 'forgotten' | 'replayed'
  readonly sandboxKyc: 'automatic' | 'manual'
  readonly floatMicro: MicroUsdc
  readonly sourceMinimumMicro: MicroUsdc
  readonly sellRateNano: RateNano
  readonly rateRefreshMs: number
  readonly firstState: 'pending' | 'in_review'
  readonly delaysMs: Delays
  readonly verifyMs: number
  readonly webhookTimeoutMs: number
  readonly webhookRetryMs: number
  readonly webhookRetryMaxMs: number
  readonly webhookGiveUpMs: number
  readonly requestTimeoutMs: number
}

const secondMs = 1_000
const hourMs = 3_600_000

export const defaults: Settings = {
  host: '127.0.0.1',
  port: 8300,
  controlPort: null,
  dataDir: '.data/sandbox-bank',
  sandboxKey: 'sk-test-sandbox-bank',
  liveKey: 'sk-live-sandbox-bank',
  publicUrl: null,
  fsync: 'on',
  idempotencyWindowMs: 24 * hourMs,
  refusals: 'forgotten',
  sandboxKyc: 'automatic',
  floatMicro: 1_000_000n * microPerCent,
  // The real bank wants 3.00; lower here, so that a payout of 1.00 GBP can be tried.
  sourceMinimumMicro: 50n * microPerCent,
  sellRateNano: (nanoPerOne * 79n) / 100n,
  rateRefreshMs: 30 * secondMs,
  firstState: 'pending',
  delaysMs: {
    pending: 400,
    in_review: 0,
    funds_received: 400,
    payment_submitted: 700,
    undeliverable: 500,
    returned: 500,
    refund_in_flight: 500,
  },
  verifyMs: 500,
  webhookTimeoutMs: 5 * secondMs,
  webhookRetryMs: 2 * secondMs,
  webhookRetryMaxMs: hourMs,
  webhookGiveUpMs: 48 * hourMs,
  requestTimeoutMs: 30 * secondMs,
}
