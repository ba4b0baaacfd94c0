// The bank's webhook events. Each event is stored once, with its outcome and without its content.
import type { Environment } from '../../domain/environment'
import type { PayoutStatus } from '../../domain/payouts/payout'
import { bytes, entity, id, idOf, orNull, text, time } from '../columns'
import type { Queryable, Tx } from '../database'
import { newId } from '../id'
import { sql } from '../sql'

interface BankEventRow {
  readonly id: string
  readonly environment: Environment
  readonly eventId: string
  readonly category: string
  readonly objectRef: string | null
  readonly objectState: string | null
  readonly payoutId: string | null
  /** Always null, because event content is read from the bank and not stored. */
  readonly sealed: Buffer | null
  readonly receivedAt: Date
  readonly handledAt: Date | null
  readonly outcome: string | null
  /** Set when an operator has handled a quarantined event. */
  readonly attendedAt: Date | null
  readonly attendedBy: string | null
  readonly note: string | null
}

export const bankEvent = entity<BankEventRow>('BankEvent', 'bank_events', {
  id,
  environment: text,
  eventId: text,
  category: text,
  objectRef: orNull(text),
  objectState: orNull(text),
  payoutId: orNull(idOf('Payout')),
  sealed: orNull(bytes),
  receivedAt: time,
  handledAt: orNull(time),
  outcome: orNull(text),
  attendedAt: orNull(time),
  attendedBy: orNull(text),
  note: orNull(text),
})

export interface ReceivedEvent
  extends Pick<BankEventRow, 'environment' | 'eventId' | 'category' | 'objectRef' | 'objectState'> {
  /** The payout ID in the event. It might not identify one of our payouts. */
  readonly payoutId: string | null
  readonly at: Date
}

/** An event to store. */
export interface HandledEvent extends ReceivedEvent {
  /** Null if the event could not be handled. The bank then sends it again. */
  readonly outcome: string | null
  /** Null if the event could not be handled. */
  readonly handledAt: Date | null
}

interface FoundEvent {
  /** Set if the event was received and handled before. */
  readonly handledAt: Date | null
  readonly payout: EventPayout | null
}

/** The fields needed to find the payout's workflow and to decide whether to signal it. */
export interface EventPayout {
  readonly payoutId: string
  readonly partnerId: string
  readonly environment: Environment
  readonly slug: string
  readonly idempotencyKey: string
  readonly attempt: number
  readonly amountPence: bigint
  readonly status: PayoutStatus
  readonly verdict: string | null
  readonly transferRef: string | null
  readonly releasedAt: Date | null
  readonly completedAt: Date | null
  readonly closedAt: Date | null
}

/** Finds out whether the event was handled before, and its payout. */
export async function findEvent(
  db: Queryable,
  { environment, eventId, payoutId }: Pick<ReceivedEvent, 'environment' | 'eventId' | 'payoutId'>,
): Promise<FoundEvent> {
  const [row] = await db.sql<FoundColumns>`WITH payout AS (
      SELECT id AS payout_id, partner_id, (SELECT slug FROM partners WHERE partners.id = partner_id) AS slug, environment,
        idempotency_key, attempt, amount_pence, status, verdict, transfer_ref, released_at, completed_at, closed_at
      FROM payouts WHERE id = ${payoutId} AND environment = ${environment}
    )
    SELECT stored.handled_at, payout.* FROM (SELECT
        (SELECT handled_at FROM bank_events WHERE environment = ${environment} AND event_id = ${eventId}) AS handled_at
      ) stored LEFT JOIN payout ON true`
  if (row === undefined) throw new Error('looking for an event must return a row')
  return { handledAt: row.handledAt, payout: row.payoutId === null ? null : row }
}

/**
 * Stores each event once. An event that was stored before gets its outcome now, unless it has one. Events of unknown
 * payouts must have no payout ID.
 */
export async function storeBankEvents(db: Queryable, events: readonly HandledEvent[]): Promise<void> {
  const records = JSON.stringify(events.map((event) => ({ ...event, id: newId(event.at) })))
  // A batch can contain an event twice. Every batch inserts in the order of payouts, which transactions that lock
  // several payouts also follow, so that none waits for another in a circle.
  await db.sql`INSERT INTO bank_events
      (id, environment, event_id, category, object_ref, object_state, payout_id, received_at, handled_at, outcome)
    SELECT * FROM (
      SELECT DISTINCT ON (environment, "eventId") id, environment, "eventId", category, "objectRef", "objectState",
        "payoutId", at, "handledAt", outcome
      FROM json_to_recordset(${records}::json) AS event (id uuid, environment text, "eventId" text, category text,
        "objectRef" text, "objectState" text, "payoutId" uuid, at timestamptz, "handledAt" timestamptz, outcome text)
      ORDER BY environment, "eventId", "handledAt" NULLS LAST
    ) event
    ORDER BY "payoutId", environment, "eventId"
    ON CONFLICT (environment, event_id) DO UPDATE SET handled_at = excluded.handled_at, outcome = excluded.outcome
      WHERE bank_events.handled_at IS NULL AND excluded.handled_at IS NOT NULL`
}

/** Lists the bank's public signing keys, one for each environment that has a webhook. */
export async function listWebhookKeys(db: Queryable): Promise<{ environment: Environment; publicKey: string }[]> {
  return db.sql`SELECT environment, public_key FROM bank_webhooks`
}

/**
 * Finds the environment that contains the event's payout, transfer, wallet or customer. Returns null if none does.
 * Needed only if the bank signs with the same key in both environments.
 */
export async function findEventEnvironment(
  db: Queryable,
  about: { payoutId: string | null; objectRef: string; environments: readonly Environment[] },
): Promise<Environment | null> {
  // Each part of the union uses its own index. The bank's references are unique within an environment.
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

export type PayoutBankEvent = Pick<BankEventRow, 'category' | 'objectRef' | 'objectState' | 'outcome' | 'receivedAt'>

/** Lists the events about one payout, oldest first. */
export async function listBankEventsOf(db: Queryable, payoutId: string): Promise<PayoutBankEvent[]> {
  return db.repo(bankEvent).find({
    select: { category: true, objectRef: true, objectState: true, outcome: true, receivedAt: true },
    where: { payoutId },
    order: { receivedAt: 'ASC', id: 'ASC' },
  })
}

export type QuarantinedEvent = Pick<
  BankEventRow,
  'id' | 'environment' | 'eventId' | 'objectRef' | 'objectState' | 'payoutId' | 'receivedAt'
> & { readonly outcome: 'quarantined' | 'unknown_payout' }

/**
 * Lists the events that contradict our books or name an unknown payout and that no operator has handled, oldest first.
 */
export async function listQuarantined(db: Queryable, limit: number): Promise<QuarantinedEvent[]> {
  return db.sql<QuarantinedEvent>`SELECT id, environment, event_id, object_ref, object_state, payout_id, outcome, received_at
    FROM bank_events WHERE ${isQuarantined} ORDER BY received_at, id LIMIT ${limit}`
}

/** Closes a quarantined event and returns its payout and partner. Returns null if no such event is quarantined. */
export async function attendEvent(
  tx: Tx,
  { id, note, madeBy, at }: { id: string; note: string; madeBy: string; at: Date },
): Promise<{ readonly partnerId: string | null; readonly payoutId: string | null; environment: Environment } | null> {
  const [attended] = await tx.sql<{
    partnerId: string | null
    payoutId: string | null
    environment: Environment
  }>`WITH attended AS (
      UPDATE bank_events SET attended_at = ${at}, attended_by = ${madeBy}, note = ${note} WHERE id = ${id} AND ${isQuarantined}
      RETURNING payout_id, environment
    )
    SELECT p.partner_id, attended.payout_id, attended.environment
    FROM attended LEFT JOIN payouts p ON p.id = attended.payout_id`
  return attended ?? null
}

const isQuarantined = sql`attended_at IS NULL AND outcome IN ('quarantined', 'unknown_payout')`

type FoundColumns = Omit<FoundEvent, 'payout'> & (EventPayout | { readonly payoutId: null })
