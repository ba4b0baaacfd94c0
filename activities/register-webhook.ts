// Tells a bank once where its events go, and again when that address has changed.
import type { Clock } from '../clock'
import { findBankWebhook, saveBankWebhook } from '../db/bank-webhooks'
import type { Db } from '../db/database'
import type { Environment } from '../domain/environment'
import type { Rail } from '../rail/rail'
import { bankKeyFor } from './bank-key'

export interface WebhookToRegister {
  readonly environment: Environment
  readonly url: string
}

export interface WebhookDeps {
  readonly db: Db
  readonly clock: Clock
  readonly rail: Pick<Rail, 'registerWebhook'>
}

/** Any number of workers may do this at once: they ask under one key, so the bank makes one webhook. */
export async function registerWebhook(
  { db, clock, rail }: WebhookDeps,
  { environment, url }: WebhookToRegister,
): Promise<'registered' | 'already_registered'> {
  const known = await findBankWebhook(db, environment)
  if (known?.url === url) return 'already_registered'
  const at = clock.now()
  // The day is in the key, because after a day the bank refuses one that it has seen.
  const key = bankKeyFor(`webhook/${environment}/${url}/${known?.webhookRef ?? ''}/${at.toISOString().slice(0, 10)}`)
  const registered = await rail.registerWebhook({ url, key })
  await saveBankWebhook(db, { environment, url, ...registered }, at)
  return 'registered'
}
