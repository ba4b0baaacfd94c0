// How a transaction that bills or voids begins: alone for its partner, and with time for a hundred thousand charges.

import type { Tx } from '../database'
import { sql } from '../sql'

/**
 * Whoever bills or voids for this partner at the same time waits here, before any lock of a row, so that nobody waits for
 * each other. The partner's row stays free: its settings can change while its charges are taken.
 */
export async function lockBilling(tx: Tx, partnerId: string): Promise<void> {
  // Until it ends PostgreSQL plans each statement for the rows that are there. A plan it keeps from a small invoice would
  // read whole tables once for each row of a large one.
  await tx.sql`SELECT set_config('plan_cache_mode', 'force_custom_plan', true), set_config('statement_timeout', ${String(statementMs)}, true)`
  await tx.run(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`invoice/${partnerId}`}, 0))`, {
    answerMs: largeAnswerMs,
  })
}

const statementMs = 120_000

/** For statements that wait for others or touch all charges of an invoice; the server's own limit comes first. */
export const largeAnswerMs = statementMs + 2_000
