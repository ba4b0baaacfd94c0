// The bank's events: stored before they are handled, each of them once, and never with what the bank wrote in them.
import type { Environment } from '../../domain/environment'
import type { PayoutStatus } from '../../domain/payouts/payout'
import type { Queryable, Statement } from '../database'
import { newId } from '../id'

export interface ReceivedEvent {
  readonly environment: Environment
  readonly eventId: string
  readonly category: string
  readonly objectRef: string | null
  readonly objectState: string | null
  /** As the event names it; it need not be one of ours. */
  readonly payoutId: string | null
  readonly at: Date
}

export interface StoredEvent {
  readonly id: string
  /** Not null when it had come before and was seen to. */
  readonly handledAt: Date | null
  readonly payout: EventPayout | null
}

/** What decides whether the payout's workflow has to hear of the event, and where it is. */
export interface EventPayout {
  readonly payoutId: string
  readonly partnerId: string
  readonly environment: Environment
  readonly idempotencyKey: string
  readonly attempt: number
  readonly status: PayoutStatus
  readonly verdict: string | null
  readonly transferRef: string | null
  readonly releasedAt: Date | null
  readonly completedAt: Date | null
  readonly closedAt: Date | null
}

/** An event that has come before is not stored again. */
export async function storeBankEvent(db: Queryable, event: ReceivedEvent): Promise<StoredEvent> {
  const { environment, eventId, category, objectRef, objectState, payoutId, at } = event
  const values = [newId(at), environment, eventId, category, objectRef, objectState, payoutId, at]
  const [row] = await db.query<StoredColumns>(insertEvent, values)
  if (row === undefined) throw new Error('a stored event must come back')
  return { id: row.id, handledAt: row.handledAt, payout: row.payoutId === null ? null : row }
}

export async function markEventHandled(
  db: Queryable,
  { id, outcome, at }: { id: string; outcome: string; at: Date },
): Promise<void> {
  await db.query(updateHandled, [id, outcome, at])
}

/** The keys with which the bank signs: one webhook in each environment that is connected. */
export async function listWebhookKeys(db: Queryable): Promise<{ environment: Environment; publicKey: string }[]> {
  return db.query(selectKeys, [])
}

/**
 * The environment whose payout, transfer, wallet or customer an event is about, of those whose key signed it; null when none
 * has it. Needed only where one key signs for both.
 */
export async function findEventEnvironment(
  db: Queryable,
  about: { payoutId: string | null; objectRef: string; environments: readonly Environment[] },
): Promise<Environment | null> {
  const [row] = await db.query<{ environment: Environment }>(selectEnvironment, [
    about.payoutId,
    about.objectRef,
    about.environments,
  ])
  return row?.environment ?? null
}

type StoredColumns = Omit<StoredEvent, 'payout'> & (EventPayout | { readonly payoutId: null })

// The second of two equal events changes nothing, but its row comes back, with whether the first was seen to.
const insertEvent: Statement = {
  name: 'bank-event-insert',
  text: `WITH payout AS (
      SELECT id AS "payoutId", partner_id AS "partnerId", environment, idempotency_key AS "idempotencyKey", attempt,
        status, verdict, transfer_ref AS "transferRef", released_at AS "releasedAt",
        completed_at AS "completedAt", closed_at AS "closedAt"
      FROM payouts WHERE id = $7 AND environment = $2
    ), stored AS (
      INSERT INTO bank_events (id, environment, event_id, category, object_ref, object_state, payout_id, received_at)
      VALUES ($1, $2, $3, $4, $5, $6, (SELECT "payoutId" FROM payout), $8)
      ON CONFLICT (environment, event_id) DO UPDATE SET event_id = excluded.event_id
      RETURNING id, handled_at AS "handledAt"
    )
    SELECT * FROM stored LEFT JOIN payout ON true`,
}

const updateHandled: Statement = {
  name: 'bank-event-handled',
  text: 'UPDATE bank_events SET handled_at = $3, outcome = $2 WHERE id = $1 AND handled_at IS NULL',
}

const selectKeys: Statement = {
  name: 'bank-webhook-keys',
  text: 'SELECT environment, public_key AS "publicKey" FROM bank_webhooks',
}

/** Each part has an index of its own; the bank's refs are unique in an environment. */
const selectEnvironment: Statement = {
  name: 'bank-event-environment',
  text: `SELECT environment FROM (
      SELECT 1 AS rank, environment FROM payouts WHERE id = $1
      UNION ALL
      SELECT 2, environment FROM payouts WHERE rail IN ('provider_sandbox', 'provider_production') AND transfer_ref = $2
      UNION ALL
      SELECT 3, environment FROM wallets WHERE wallet_ref = $2 OR customer_ref = $2 OR verification_ref = $2
    ) found
    WHERE environment = ANY ($3::text[]) ORDER BY rank LIMIT 1`,
}
