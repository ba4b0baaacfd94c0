// What people decide about a deposit that was held: it is the partner's, or it stays where it is. Once, with who decided.
import type { Clock } from '../../clock'
import { recordActivity } from '../../db/activity'
import type { Db, Tx } from '../../db/database'
import { type HeldDeposit, lockHeldDeposit, resolveHeldDeposit } from '../../db/held-deposits'
import { postSet } from '../../db/ledger'
import { addNotice } from '../../db/notices'
import { assert } from '../../domain/assert'
import { isHeldWithdrawal } from '../../domain/held-movement'
import { heldCreditPostings, topUpPostings } from '../../domain/ledger'
import { formatUsdcExactly } from '../../domain/money'

export interface HeldDecision {
  readonly id: string
  readonly outcome: 'credited' | 'kept'
  /** What to credit where the bank's own amount could not be read, and only there. */
  readonly amountMicroUsdc: bigint | null
  readonly note: string
  readonly by: string
}

export type ResolvedHeld =
  | { readonly outcome: 'resolved'; readonly deposit: HeldDeposit; readonly creditedMicroUsdc: bigint }
  | { readonly outcome: 'not_found' | 'not_a_deposit' | 'amount_needed' | 'amount_known' }

export async function resolveHeld(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  decision: HeldDecision,
): Promise<ResolvedHeld> {
  const at = clock.now()
  return db.transaction(async (tx) => {
    const deposit = await lockHeldDeposit(tx, decision.id)
    if (deposit === null) return { outcome: 'not_found' }
    const isCredited = decision.outcome === 'credited'
    if (isCredited && isHeldWithdrawal(deposit.why)) return { outcome: 'not_a_deposit' }
    if (isCredited && deposit.amountMicroUsdc === null && decision.amountMicroUsdc === null) {
      return { outcome: 'amount_needed' }
    }
    if (deposit.amountMicroUsdc !== null && decision.amountMicroUsdc !== null) return { outcome: 'amount_known' }

    await resolveHeldDeposit(tx, { ...decision, at })
    const creditedMicroUsdc = isCredited ? (deposit.amountMicroUsdc ?? decision.amountMicroUsdc ?? 0n) : 0n
    if (isCredited) await credit(tx, deposit, { creditedMicroUsdc, by: decision.by, at })
    await tellActivity(tx, deposit, { ...decision, creditedMicroUsdc, at })
    return { outcome: 'resolved', deposit, creditedMicroUsdc }
  })
}

interface Credit {
  readonly creditedMicroUsdc: bigint
  readonly by: string
  readonly at: Date
}

/** From suspense, where its amount was read; where it was not, nothing is in the books yet, and it comes in under the bank's id. */
async function credit(tx: Tx, deposit: HeldDeposit, { creditedMicroUsdc, by, at }: Credit): Promise<void> {
  const { walletId, bankRef, partnerId, environment, amountMicroUsdc } = deposit
  const about = { walletId, causeRef: bankRef, payoutId: null, createdBy: by, at }
  const posted = await postSet(
    tx,
    amountMicroUsdc === null
      ? { ...about, cause: 'deposit', bankRef, postings: topUpPostings(creditedMicroUsdc) }
      : { ...about, cause: 'held_credit', postings: heldCreditPostings(creditedMicroUsdc) },
  )
  assert(posted.outcome === 'posted', 'what was held is credited once')
  await addNotice(tx, { partnerId, environment, kind: 'top_up', about: bankRef, at })
}

async function tellActivity(
  tx: Tx,
  { partnerId, environment }: HeldDeposit,
  { outcome, creditedMicroUsdc, by, at }: HeldDecision & Credit,
): Promise<void> {
  const isCredited = outcome === 'credited'
  const action = isCredited ? 'deposit.credit' : 'deposit.keep'
  const detail = isCredited ? `${formatUsdcExactly(creditedMicroUsdc)} USDC` : null
  const entry = { partnerId, at, environment, action, status: null, madeBy: by, detail, requestId: null }
  await recordActivity(tx, [{ ...entry, changes: 'something' }])
}
