// Finds payouts of any partner and in any state for operators, including refused requests.
import { type Environment, environments, rails } from '../../domain/environment'
import type { PayoutStatus } from '../../domain/payouts/payout'
import type { Queryable } from '../database'
import { joined, literal, type Sql, sql } from '../sql'
import type { StoredPayout } from './payout'
import { isVisible } from './payouts'

/** Excludes the recipient's name and the partner's reference, because they may be personal data. */
export interface PayoutSearchResult
  extends Pick<
    StoredPayout,
    | 'id'
    | 'environment'
    | 'idempotencyKey'
    | 'status'
    | 'amountPence'
    | 'accountLast4'
    | 'transferRef'
    | 'attention'
    | 'createdAt'
    | 'releasedAt'
  > {
  readonly slug: string
}

export interface PayoutSearch {
  readonly id?: string | undefined
  readonly partnerId?: string | undefined
  readonly environment?: Environment | undefined
  readonly idempotencyKey?: string | undefined
  /** Matches part of the partner's reference. Ignores case. */
  readonly reference?: string | undefined
  readonly amountPence?: bigint | undefined
  readonly accountLast4?: string | undefined
  readonly transferRef?: string | undefined
  readonly since?: Date | undefined
  /** `refused` finds requests that never became payouts. */
  readonly status?: PayoutStatus | 'refused' | undefined
}

/**
 * Returns the newest `take` payouts that match all conditions. One condition must be an ID, a partner or a transfer.
 */
export async function searchPayouts(db: Queryable, search: PayoutSearch, take: number): Promise<PayoutSearchResult[]> {
  const branches = branchesOf(search).map((branch) => {
    const where = joined([...branch, ...conditionsOf(search)], ' AND ')
    return sql`(SELECT * FROM payouts p WHERE ${where} ${newestFirst} LIMIT ${literal(take)})`
  })
  const statement = sql`SELECT p.id, partners.slug, p.environment, p.idempotency_key, p.status, p.amount_pence, p.account_last4,
      p.transfer_ref, p.attention, p.created_at, p.released_at
    FROM (${joined(branches, ' UNION ALL ')}) p JOIN partners ON partners.id = p.partner_id
    ${newestFirst} LIMIT ${literal(take)}`
  return db.run(statement, { plan: 'each time' })
}

const newestFirst = sql`ORDER BY p.created_at DESC, p.id DESC`

/**
 * Returns one branch for each index that lists a partner's payouts by time: the visible ones per environment, and the
 * hidden ones. IDs, Idempotency-Keys and transfers have their own indexes.
 */
function branchesOf({ id, idempotencyKey, transferRef, environment }: PayoutSearch): Sql[][] {
  if (id !== undefined || idempotencyKey !== undefined || transferRef !== undefined) return [[]]
  const visible = (environment === undefined ? environments : [environment]).map((each) => [
    isVisible,
    sql`p.environment = ${each}`,
  ])
  return [...visible, [isHidden]]
}

/** Matches payouts that were refused, or that are neither decided nor acknowledged yet. */
const isHidden = sql`(released_at IS NOT NULL OR (verdict_at IS NULL AND answered_at IS NULL))`

function conditionsOf(search: PayoutSearch): Sql[] {
  const { id, partnerId, environment, idempotencyKey, reference, amountPence, accountLast4, transferRef } = search
  const { since, status } = search
  const conditions: Sql[] = []
  if (id !== undefined) conditions.push(sql`p.id = ${id}::uuid`)
  if (partnerId !== undefined) conditions.push(sql`p.partner_id = ${partnerId}`)
  if (environment !== undefined) conditions.push(sql`p.environment = ${environment}`)
  if (idempotencyKey !== undefined) conditions.push(sql`p.idempotency_key = ${idempotencyKey}`)
  if (reference !== undefined) conditions.push(sql`position(lower(${reference}) IN lower(p.reference)) > 0`)
  if (amountPence !== undefined) conditions.push(sql`p.amount_pence = ${amountPence}`)
  if (accountLast4 !== undefined) conditions.push(sql`p.account_last4 = ${accountLast4}`)
  // The index on transfers starts with the rail column.
  if (transferRef !== undefined)
    conditions.push(sql`p.rail = ANY (${rails}::text[]) AND p.transfer_ref = ${transferRef}`)
  if (since !== undefined) conditions.push(sql`p.created_at >= ${since}`)
  if (status === 'refused') conditions.push(sql`p.released_at IS NOT NULL`)
  else if (status !== undefined) conditions.push(sql`p.status = ${status} AND p.released_at IS NULL`)
  return conditions
}
