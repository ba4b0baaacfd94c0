// Each environment's registered bank webhook and the public key that verifies its events.
import type { Environment } from '../../domain/environment'
import { entity, primary, text, time } from '../columns'
import type { Queryable } from '../database'

interface BankWebhook {
  readonly environment: Environment
  readonly url: string
  readonly webhookRef: string
  /** In PEM format. */
  readonly publicKey: string
}

interface BankWebhookRow extends BankWebhook {
  readonly createdAt: Date
}

export const bankWebhook = entity<BankWebhookRow>('BankWebhook', 'bank_webhooks', {
  environment: primary(text),
  url: text,
  webhookRef: text,
  publicKey: text,
  createdAt: time,
})

export async function findBankWebhook(db: Queryable, environment: Environment): Promise<BankWebhook | null> {
  return db.repo(bankWebhook).findOneBy({ environment })
}

/** Replaces the environment's stored webhook. */
export async function saveBankWebhook(db: Queryable, webhook: BankWebhook, at: Date): Promise<void> {
  const { environment, url, webhookRef, publicKey } = webhook
  await db.sql`INSERT INTO bank_webhooks (environment, url, webhook_ref, public_key, created_at)
    VALUES (${environment}, ${url}, ${webhookRef}, ${publicKey}, ${at})
    ON CONFLICT (environment) DO UPDATE SET url = excluded.url, webhook_ref = excluded.webhook_ref,
      public_key = excluded.public_key, created_at = excluded.created_at`
}

/** Returns false if another worker has replaced or deleted the stored webhook. */
export async function replaceBankWebhook(
  db: Queryable,
  { environment, webhookRef }: BankWebhook,
  by: Pick<BankWebhook, 'webhookRef' | 'publicKey'>,
  at: Date,
): Promise<boolean> {
  const replaced = await db.sql`UPDATE bank_webhooks
    SET webhook_ref = ${by.webhookRef}, public_key = ${by.publicKey}, created_at = ${at}
    WHERE environment = ${environment} AND webhook_ref = ${webhookRef} RETURNING environment`
  return replaced.length > 0
}

export async function deleteBankWebhook(db: Queryable, { environment, webhookRef }: BankWebhook): Promise<void> {
  await db.sql`DELETE FROM bank_webhooks WHERE environment = ${environment} AND webhook_ref = ${webhookRef}`
}
