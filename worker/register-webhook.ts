// Registers our webhook URL with a bank once, and enables it again if the bank disabled it. When the URL changes, it registers the new
// one and disables the old one.

import { bankKeyFor } from '../activities/bind'
import { deleteBankWebhook, findBankWebhook, saveBankWebhook } from '../db/bank/webhooks'
import type { Db } from '../db/database'
import type { Environment } from '../domain/environment'
import type { Rail } from '../rail/rail'
import type { Clock } from '../runtime/clock'

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

/** Several workers may do this at the same time: they use the same key, so the bank creates one webhook. */
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
  // The key contains the date, because the bank refuses a key that is reused after a day.
  const key = bankKeyFor(`webhook/${environment}/${url}/${known?.webhookRef ?? ''}/${at.toISOString().slice(0, 10)}`)
  const registered = await rail.registerWebhook({ url, key })
  // Only the row has the reference of the old webhook, so disable that webhook before replacing the row.
  if (known !== null && known.webhookRef !== registered.webhookRef) await rail.disableWebhook(known.webhookRef)
  await saveBankWebhook(db, { environment, url, ...registered }, at)
  return 'registered'
}
