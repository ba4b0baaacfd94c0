// The API and worker settings for a story: its servers and bank, and timeouts that are short enough for a test.
import { testSecretKeys } from '../api/client'
import { keys as bankKeys } from '../bank/client'

export interface SettingsParts {
  readonly databaseUrl: string
  readonly temporalAddress: string
  readonly bankUrl: string
  /** The port on which an API in this world receives the bank's events. */
  readonly webhookPort: number
  readonly prefix: string
}

export function settings(parts: SettingsParts): Record<string, string> {
  const { databaseUrl, temporalAddress, bankUrl, webhookPort, prefix } = parts
  return {
    HOST: '127.0.0.1',
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    SECRET_KEYS: testSecretKeys.map(({ id, bytes }) => `${id}:${bytes.toString('hex')}`).join(),
    RATE_LIMIT: 'off',
    PAYOUTS_AT_ONCE: '1000',
    BANK_SANDBOX_URL: `${bankUrl}/v0`,
    BANK_SANDBOX_KEY: bankKeys.sandbox,
    BANK_LIVE_URL: `${bankUrl}/v0`,
    BANK_LIVE_KEY: bankKeys.live,
    WEBHOOK_URL: `http://127.0.0.1:${webhookPort}/webhooks/bank`,
    TASK_QUEUE_PREFIX: prefix,
    PAYOUT_POLL_MS: '50,100,200,400,1000',
    PAYOUT_QUIET_MS: '200',
    // Longer than a killed worker takes to restart on a busy machine. Afterwards, an unsent payout fails.
    PAYOUT_REPEAT_MS: '3600000',
    PAYOUT_CALL_MS: '2000',
    PAYOUT_CONNECT_MS: '2000',
    PAYOUT_WITHIN_MS: '2500',
    PAYOUT_PATIENT_CALL_MS: '3000',
    // Stories that need sweeps trigger them or set a shorter interval. A sweep takes a third of a second of processor
    // time.
    SWEEP_EVERY_MS: '30000',
    SWEEP_OLDER_THAN_MS: '0',
  }
}
