// Where each bank was told to send its events, and the key it signs them with: one per environment.
import type { Environment } from '../../domain/environment'
import type { Queryable, Statement } from '../database'

export interface BankWebhook {
  readonly environment: Environment
  readonly url: string
  readonly webhookRef: string
  /** PEM. */
  readonly publicKey: string
}

export async function findBankWebhook(db: Queryable, environment: Environment): Promise<BankWebhook | null> {
  const [webhook] = await db.query<BankWebhook>(select, [environment])
  return webhook ?? null
}

/** The one that was registered last is the one that counts. */
export async function saveBankWebhook(db: Queryable, webhook: BankWebhook, at: Date): Promise<void> {
  const { environment, url, webhookRef, publicKey } = webhook
  await db.query(save, [environment, url, webhookRef, publicKey, at])
}

export async function forgetBankWebhook(db: Queryable, { environment, webhookRef }: BankWebhook): Promise<void> {
  await db.query(forget, [environment, webhookRef])
}

const select: Statement = {
  name: 'bank-webhook',
  text: `SELECT environment, url, webhook_ref AS "webhookRef", public_key AS "publicKey" FROM bank_webhooks
    WHERE environment = $1`,
}

const save: Statement = {
  name: 'bank-webhook-save',
  text: `INSERT INTO bank_webhooks (environment, url, webhook_ref, public_key, created_at) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (environment) DO UPDATE SET url = excluded.url, webhook_ref = excluded.webhook_ref,
      public_key = excluded.public_key, created_at = excluded.created_at`,
}

const forget: Statement = {
  name: 'bank-webhook-forget',
  text: 'DELETE FROM bank_webhooks WHERE environment = $1 AND webhook_ref = $2',
}
