// The bank's settings and their defaults.
import { type MicroUsdc, microPerCent, nanoPerOne, type RateNano } from './money'

/** How long a transfer stays in each state before it moves to the next. */
export interface Delays {
  readonly pending: number
  /** 0 means that transfers skip the review. */
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
  /** An additional port for the control plane, which stays open during an outage. Null if there is none. */
  readonly controlPort: number | null
  readonly dataDir: string
  readonly sandboxKey: string
  readonly liveKey: string
  /** The URL at which browsers reach the pages. Null means the address on which the bank listens. */
  readonly publicUrl: string | null
  readonly fsync: 'on' | 'off'
  readonly idempotencyWindowMs: number
  /** Whether a refusal (4xx) is replayed for its idempotency key, or leaves the key unused. */
  readonly refusals: 'forgotten' | 'replayed'
  readonly sandboxKyc: 'automatic' | 'manual'
  readonly floatMicro: MicroUsdc
  readonly sourceMinimumMicro: MicroUsdc
  readonly sellRateNano: RateNano
  readonly rateRefreshMs: number
  readonly firstState: 'pending' | 'in_review'
  readonly delaysMs: Delays
  readonly verifyMs: number
  /** RSA private keys in PEM for the first webhooks. Each further webhook gets a new key. */
  readonly webhookKeys: readonly string[]
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
  // The real bank requires 3.00. The minimum is lower here so that a payout of 1.00 GBP can be tested.
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
  webhookKeys: [],
  webhookTimeoutMs: 5 * secondMs,
  webhookRetryMs: 2 * secondMs,
  webhookRetryMaxMs: hourMs,
  webhookGiveUpMs: 48 * hourMs,
  requestTimeoutMs: 30 * secondMs,
}
