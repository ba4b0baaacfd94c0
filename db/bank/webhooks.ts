// Where each bank was told to send its events, and the key it signs them with: one per environment.
import type { Environment } from '../../domain/environment'
import type { Queryable } from '../database'

export interface BankWebhook {
  readonly environment: Environment
  readonly url: string
  readonly webhookRef: string
  /** PEM. */
  readonly publicKey: string
}

export async function findBankWebhook(db: Queryable, environment: Environment): Promise<BankWebhook | null> {
  const [webhook] = await db.sql<BankWebhook>`SELECT environment, url, webhook_ref, public_key FROM bank_webhooks
    WHERE environment = ${environment}`
  return webhook ?? null
}

/** The one that was registered last is the one that counts. */
export async function saveBankWebhook(db: Queryable, webhook: BankWebhook, at: Date): Promise<void> {
  const { environment, url, webhookRef, publicKey } = webhook
  await db.sql`INSERT INTO bank_webhooks (environment, url, webhook_ref, public_key, created_at) VALUES (${environment}, ${url}, ${webhookRef}, ${publicKey}, ${at})
    ON CONFLICT (environment) DO UPDATE SET url = excluded.url, webhook_ref = excluded.webhook_ref,
      public_key = excluded.public_key, created_at = excluded.created_at`
}

export async function forgetBankWebhook(db: Queryable, { environment, webhookRef }: BankWebhook): Promise<void> {
  await db.sql`DELETE FROM bank_webhooks WHERE environment = ${environment} AND webhook_ref = ${webhookRef}`
}
