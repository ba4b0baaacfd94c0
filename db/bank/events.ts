// The bank's events: stored before they are handled, each of them once, and never with what the bank wrote in them.
import type { Environment } from '../../domain/environment'
import type { PayoutStatus } from '../../domain/payouts/payout'
import type { Queryable } from '../database'
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
  // The second of two equal events changes nothing, but its row comes back, with whether the first was seen to.
  const [row] = await db.sql<StoredColumns>`WITH payout AS (
      SELECT id AS payout_id, partner_id, environment, idempotency_key, attempt,
        status, verdict, transfer_ref, released_at,
        completed_at, closed_at
      FROM payouts WHERE id = ${payoutId} AND environment = ${environment}
    ), stored AS (
      INSERT INTO bank_events (id, environment, event_id, category, object_ref, object_state, payout_id, received_at)
      VALUES (${newId(at)}, ${environment}, ${eventId}, ${category}, ${objectRef}, ${objectState}, (SELECT payout_id FROM payout), ${at})
      ON CONFLICT (environment, event_id) DO UPDATE SET event_id = excluded.event_id
      RETURNING id, handled_at
    )
    SELECT * FROM stored LEFT JOIN payout ON true`
  if (row === undefined) throw new Error('a stored event must come back')
  return { id: row.id, handledAt: row.handledAt, payout: row.payoutId === null ? null : row }
}

export async function markEventHandled(
  db: Queryable,
  { id, outcome, at }: { id: string; outcome: string; at: Date },
): Promise<void> {
  await db.sql`UPDATE bank_events SET handled_at = ${at}, outcome = ${outcome} WHERE id = ${id} AND handled_at IS NULL`
}

/** The keys with which the bank signs: one webhook in each environment that is connected. */
export async function listWebhookKeys(db: Queryable): Promise<{ environment: Environment; publicKey: string }[]> {
  return db.sql`SELECT environment, public_key FROM bank_webhooks`
}

/**
 * The environment whose payout, transfer, wallet or customer an event is about, of those whose key signed it; null when none
 * has it. Needed only where one key signs for both.
 */
export async function findEventEnvironment(
  db: Queryable,
  about: { payoutId: string | null; objectRef: string; environments: readonly Environment[] },
): Promise<Environment | null> {
  // Each part has an index of its own; the bank's refs are unique in an environment.
  const [row] = await db.sql<{ environment: Environment }>`SELECT environment FROM (
      SELECT 1 AS rank, environment FROM payouts WHERE id = ${about.payoutId}
      UNION ALL
      SELECT 2, environment FROM payouts WHERE rail IN ('provider_sandbox', 'provider_production') AND transfer_ref = ${about.objectRef}
      UNION ALL
      SELECT 3, environment FROM wallets WHERE wallet_ref = ${about.objectRef} OR customer_ref = ${about.objectRef} OR verification_ref = ${about.objectRef}
    ) found
    WHERE environment = ANY (${about.environments}::text[]) ORDER BY rank LIMIT 1`
  return row?.environment ?? null
}

type StoredColumns = Omit<StoredEvent, 'payout'> & (EventPayout | { readonly payoutId: null })
