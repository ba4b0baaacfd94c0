// Resolves a held deposit as an operator decides: credits it to the partner, or keeps it. A large live credit needs two
// operators.

import { assert } from '../../domain/assert'
import { formatUsdcExactly } from '../../domain/money'
import { heldCreditPostings, isHeldWithdrawal, topUpPostings } from '../../domain/wallets/ledger'
import type { Clock } from '../../runtime/clock'
import { recordActivity } from '../controls/activity'
import type { Db, Tx } from '../database'
import { addNotice } from '../partners/notices'
import {
  clearCreditRequest,
  type HeldDeposit,
  lockHeldDeposit,
  requestCredit,
  resolveHeldDeposit,
} from './held-deposits'
import { postSet } from './ledger'

interface HeldDeps {
  readonly db: Db
  readonly clock: Clock
  /** A live credit above this amount waits for a second operator. */
  readonly confirmAboveMicroUsdc: bigint
}

interface OperatorInput {
  readonly id: string
  readonly note: string
  readonly by: string
  readonly login: string
}

export interface HeldDecision extends OperatorInput {
  readonly outcome: 'credited' | 'kept'
  /** The amount to credit. Required if the bank's amount could not be read, and refused otherwise. */
  readonly amountMicroUsdc: bigint | null
}

interface Credited {
  readonly outcome: 'resolved'
  readonly deposit: HeldDeposit
  readonly creditedMicroUsdc: bigint
}

export interface Request {
  readonly amountMicroUsdc: bigint
  readonly by: string
  readonly expiresAt: Date
}

type ResolvedHeld =
  | Credited
  | { readonly outcome: 'requested'; readonly deposit: HeldDeposit; readonly request: Request }
  | { readonly outcome: 'request_open'; readonly request: Request }
  | { readonly outcome: 'not_found' | 'not_a_deposit' | 'amount_needed' | 'amount_known' }

type ConfirmedHeld =
  | Credited
  | { readonly outcome: 'same_operator' | 'amount_differs'; readonly request: Request }
  | { readonly outcome: 'not_found' | 'not_requested' }

export async function resolveHeld(deps: HeldDeps, decision: HeldDecision): Promise<ResolvedHeld> {
  const at = deps.clock.now()
  return deps.db.transaction(async (tx) => {
    const deposit = await lockHeldDeposit(tx, decision.id)
    if (deposit === null) return { outcome: 'not_found' }
    if (decision.outcome === 'kept') return resolve(tx, deposit, { ...decision, creditedMicroUsdc: 0n, at })
    if (isHeldWithdrawal(deposit.why)) return { outcome: 'not_a_deposit' }
    if (deposit.amountMicroUsdc !== null && decision.amountMicroUsdc !== null) return { outcome: 'amount_known' }
    const creditedMicroUsdc = deposit.amountMicroUsdc ?? decision.amountMicroUsdc
    if (creditedMicroUsdc === null) return { outcome: 'amount_needed' }

    const open = requestOf(deposit, at)
    if (open !== null) {
      const isSame = open.amountMicroUsdc === creditedMicroUsdc && isSameOperator(open, decision)
      return isSame ? { outcome: 'requested', deposit, request: open } : { outcome: 'request_open', request: open }
    }
    // Removes an expired request, so that the record of a credit by one operator does not show a second one.
    await clearCreditRequest(tx, deposit.id)
    if (deposit.environment === 'live' && creditedMicroUsdc > deps.confirmAboveMicroUsdc) {
      return request(tx, deposit, { ...decision, creditedMicroUsdc, at })
    }
    return resolve(tx, deposit, { ...decision, creditedMicroUsdc, at })
  })
}

/** The second operator enters the amount again to confirm the request. */
export async function confirmHeld(
  { db, clock }: Pick<HeldDeps, 'db' | 'clock'>,
  input: OperatorInput & { readonly amountMicroUsdc: bigint },
): Promise<ConfirmedHeld> {
  const at = clock.now()
  return db.transaction(async (tx) => {
    const deposit = await lockHeldDeposit(tx, input.id)
    if (deposit === null) return { outcome: 'not_found' }
    const open = requestOf(deposit, at)
    if (open === null) return { outcome: 'not_requested' }
    if (isSameOperator(open, input)) return { outcome: 'same_operator', request: open }
    if (open.amountMicroUsdc !== input.amountMicroUsdc) return { outcome: 'amount_differs', request: open }
    const about = { ...input, outcome: 'credited', creditedMicroUsdc: open.amountMicroUsdc, at } as const
    return resolve(tx, deposit, { ...about, requestedBy: open.by })
  })
}

/** Any operator may withdraw a request, because a withdrawal moves no money. */
export async function withdrawRequest(
  { db, clock }: Pick<HeldDeps, 'db' | 'clock'>,
  { id, by }: Pick<OperatorInput, 'id' | 'by'>,
): Promise<'withdrawn' | 'not_found' | 'not_requested'> {
  const at = clock.now()
  return db.transaction(async (tx) => {
    const deposit = await lockHeldDeposit(tx, id)
    if (deposit === null) return 'not_found'
    const open = requestOf(deposit, at)
    if (open === null) return 'not_requested'
    await clearCreditRequest(tx, id)
    const detail = `${formatUsdcExactly(open.amountMicroUsdc)} USDC, requested by ${open.by}`
    await recordDecision(tx, deposit, { action: 'deposit.credit_withdraw', detail, by, at })
    return 'withdrawn'
  })
}

/** Returns null if there is no request or it has expired. */
export function requestOf(deposit: HeldDeposit, now: Date): Request | null {
  const { requestedMicroUsdc: amountMicroUsdc, requestedBy: by, requestedAt } = deposit
  if (amountMicroUsdc === null || by === null || requestedAt === null) return null
  const expiresAt = new Date(requestedAt.getTime() + requestLastsMs)
  return now < expiresAt ? { amountMicroUsdc, by, expiresAt } : null
}

const requestLastsMs = 7 * 24 * 60 * 60 * 1000

/** Ignores the case of operator names. */
function isSameOperator(one: { readonly by: string }, other: { readonly by: string }): boolean {
  return one.by.toLowerCase() === other.by.toLowerCase()
}

interface Amount {
  readonly creditedMicroUsdc: bigint
  readonly at: Date
}

async function request(tx: Tx, deposit: HeldDeposit, asked: OperatorInput & Amount): Promise<ResolvedHeld> {
  const { id, note, by, login, creditedMicroUsdc: amountMicroUsdc, at } = asked
  await requestCredit(tx, { id, amountMicroUsdc, note, by, login, at })
  const detail = `${formatUsdcExactly(amountMicroUsdc)} USDC`
  await recordDecision(tx, deposit, { action: 'deposit.credit_request', detail, by, at })
  const expiresAt = new Date(at.getTime() + requestLastsMs)
  return { outcome: 'requested', deposit, request: { amountMicroUsdc, by, expiresAt } }
}

interface Resolution extends OperatorInput, Amount {
  readonly outcome: HeldDecision['outcome']
  /** The operator who requested the credit, if two were needed. */
  readonly requestedBy?: string
}

async function resolve(tx: Tx, deposit: HeldDeposit, resolution: Resolution): Promise<Credited> {
  const { outcome, creditedMicroUsdc, requestedBy, by, at } = resolution
  await resolveHeldDeposit(tx, resolution)
  if (outcome === 'kept') {
    await recordDecision(tx, deposit, { action: 'deposit.keep', detail: null, by, at })
  } else {
    await credit(tx, deposit, { creditedMicroUsdc, by, at })
    const detail = `${formatUsdcExactly(creditedMicroUsdc)} USDC${requestedBy ? `, requested by ${requestedBy}` : ''}`
    await recordDecision(tx, deposit, { action: 'deposit.credit', detail, by, at })
  }
  return { outcome: 'resolved', deposit, creditedMicroUsdc }
}

/**
 * Credits the deposit from suspense if its amount could be read. Otherwise, the deposit is not in the ledger yet, so
 * this books it under the bank's ID.
 */
async function credit(
  tx: Tx,
  deposit: HeldDeposit,
  { creditedMicroUsdc, by, at }: Amount & { readonly by: string },
): Promise<void> {
  const { walletId, bankRef, partnerId, environment, amountMicroUsdc } = deposit
  const about = { walletId, causeRef: bankRef, payoutId: null, createdBy: by, at }
  const posted = await postSet(
    tx,
    amountMicroUsdc === null
      ? { ...about, cause: 'deposit', bankRef, postings: topUpPostings(creditedMicroUsdc) }
      : { ...about, cause: 'held_credit', postings: heldCreditPostings(creditedMicroUsdc) },
  )
  assert(posted.outcome === 'posted', 'a held deposit must be credited only once')
  await addNotice(tx, { partnerId, environment, kind: 'top_up', about: bankRef, at })
}

async function recordDecision(
  tx: Tx,
  { partnerId, environment }: HeldDeposit,
  {
    action,
    detail,
    by,
    at,
  }: { readonly action: string; readonly detail: string | null; readonly by: string; readonly at: Date },
): Promise<void> {
  const entry = { partnerId, at, environment, action, status: null, madeBy: by, detail, requestId: null }
  await recordActivity(tx, [{ ...entry, changes: 'something' }])
}
