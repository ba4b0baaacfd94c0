// Registers our webhook URL with a bank once, and enables the webhook again if the bank disabled it. When the URL
// changes, registers the new one and disables the old one.

import { deleteBankWebhook, findBankWebhook, replaceBankWebhook, saveBankWebhook } from '../../db/bank/webhooks'
import type { Db } from '../../db/database'
import { type Environment, environments } from '../../domain/environment'
import type { Rail } from '../../rail/rail'
import type { Clock } from '../../runtime/clock'
import { type ActivityDeps, bankKeyFor } from '../bind'

interface WebhookToRegister {
  readonly environment: Environment
  /** Null if the bank should send no events. */
  readonly url: string | null
}

interface WebhookDeps {
  readonly db: Db
  readonly clock: Clock
  readonly rail: Pick<Rail, 'registerWebhook' | 'enableWebhook' | 'disableWebhook'>
}

/** Several workers may call this function at the same time. They use the same key, so the bank creates one webhook. */
export async function registerWebhook(
  { db, clock, rail }: WebhookDeps,
  { environment, url }: WebhookToRegister,
): Promise<'registered' | 'already_registered' | 'not_wanted'> {
  const known = await findBankWebhook(db, environment)
  if (url === null) {
    if (known !== null) await rail.disableWebhook(known.webhookRef)
    if (known !== null) await deleteBankWebhook(db, known)
    return 'not_wanted'
  }
  if (known?.url === url && (await rail.enableWebhook(known.webhookRef)) === 'enabled') return 'already_registered'
  const at = clock.now()
  const registered = await rail.registerWebhook({ url, key: keyOf(environment, url, known?.webhookRef ?? '', at) })
  // The old webhook's reference is stored only in this row, so disable that webhook before replacing the row.
  if (known !== null && known.webhookRef !== registered.webhookRef) await rail.disableWebhook(known.webhookRef)
  await saveBankWebhook(db, { environment, url, ...registered }, at)
  return 'registered'
}

/** The key contains the date, because the bank refuses a key that is reused after a day. */
function keyOf(environment: Environment, url: string, replacedRef: string, at: Date): string {
  return bankKeyFor(`webhook/${environment}/${url}/${replacedRef}/${at.toISOString().slice(0, 10)}`)
}

/**
 * Enables each registered webhook, or registers it again if the bank deleted it. Uses the stored URL, not the
 * configured one: during a rollout that changes the URL, old and new workers must not replace each other's webhook.
 * Never rejects, because polling works without webhooks.
 */
export async function repairWebhooks(
  { db, clock, log, banks }: Pick<ActivityDeps, 'db' | 'clock' | 'log' | 'banks'>,
  rails: ActivityDeps['rails'],
): Promise<void> {
  const railOf = { sandbox: rails.provider_sandbox, live: rails.provider_production }
  const repair = async (environment: Environment) => {
    try {
      const repaired = await repairWebhook({ db, clock, rail: railOf[environment] }, environment)
      if (repaired) log.warn({ environment }, 'registered the webhook again: the bank no longer had it')
    } catch (error) {
      log.warn({ err: error, environment }, 'cannot check our webhook at the bank; the next sweep retries')
    }
  }
  await Promise.all(environments.filter((each) => banks[each] !== null).map(repair))
}

/**
 * Returns true if the webhook was registered again. A worker with another URL may replace or delete the row during a
 * call to the bank. Then the webhook that the call enabled or registered is disabled, because no row contains its
 * reference.
 */
export async function repairWebhook({ db, clock, rail }: WebhookDeps, environment: Environment): Promise<boolean> {
  const known = await findBankWebhook(db, environment)
  if (known === null) return false
  if ((await rail.enableWebhook(known.webhookRef)) === 'enabled') {
    await disableUnlessStored({ db, rail }, environment, known.webhookRef)
    return false
  }
  const at = clock.now()
  const registered = await rail.registerWebhook({
    url: known.url,
    key: keyOf(environment, known.url, known.webhookRef, at),
  })
  if (await replaceBankWebhook(db, known, registered, at)) return true
  await disableUnlessStored({ db, rail }, environment, registered.webhookRef)
  return false
}

async function disableUnlessStored(
  { db, rail }: Omit<WebhookDeps, 'clock'>,
  environment: Environment,
  webhookRef: string,
) {
  const stored = await findBankWebhook(db, environment)
  if (stored?.webhookRef !== webhookRef) await rail.disableWebhook(webhookRef)
}
