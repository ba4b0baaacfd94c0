// Registers our webhook with each bank. Payouts do not wait for it, because polling suffices.

import { registerWebhook } from '../activities/bank/register-webhook'
import type { Db } from '../db/database'
import { environments } from '../domain/environment'
import type { Rails } from '../rail/rails'
import { systemClock } from '../runtime/clock'
import type { Config } from '../runtime/config/config'
import { type Patience, patiently } from './patience'

interface WebhookParts {
  readonly db: Db
  readonly rails: Rails
  readonly patience: Patience
}

/** Resolves when every webhook is registered, or when the worker is asked to stop. Never rejects. */
export async function registerWebhooks(
  { bank, webhookUrl }: Pick<Config, 'bank' | 'webhookUrl'>,
  { db, rails, patience }: WebhookParts,
): Promise<void> {
  const railOf = { sandbox: rails.provider_sandbox, live: rails.provider_production }
  const told = environments
    .filter((environment) => bank[environment] !== null)
    .map((environment) => {
      const deps = { db, clock: systemClock, rail: railOf[environment] }
      const tell = () => registerWebhook(deps, { environment, url: webhookUrl })
      return patiently(`The ${environment} bank`, tell, patience)
    })
  await Promise.allSettled(told)
}
