// Books deposits from a wallet's history at the bank, and holds unexplained movements. Each is handled once, under the
// bank's movement ID.

import type { Environment } from '../../domain/environment'
import { formatUsdcExactly } from '../../domain/money'
import { heldPostings, topUpPostings } from '../../domain/wallets/ledger'
import { recordActivity } from '../controls/activity'
import type { Tx } from '../database'
import { addNotice } from '../partners/notices'
import { holdDeposit } from './held-deposits'
import { postSet } from './ledger'

interface Movement {
  readonly id: string
  readonly amountMicroUsdc: bigint
}

type HeldMovement =
  | ({ readonly kind: 'deposit' | 'withdrawal' } & Movement)
  | { readonly kind: 'unreadable'; readonly id: string }

/** The verdict on a movement. Only deposits and held movements are booked. */
type Judged =
  | { readonly verdict: 'deposit'; readonly row: Movement }
  | { readonly verdict: 'held'; readonly row: HeldMovement; readonly why: string }
  | { readonly verdict: 'return' | 'not_ours' | 'awaited' | 'unresolved' }

interface DepositsToBook {
  readonly wallet: { readonly id: string; readonly partnerId: string; readonly environment: Environment }
  readonly judged: readonly Judged[]
  readonly createdBy: string
  /** The action for the activity list. Null if another entry already reports it. */
  readonly action: 'wallet.top_up' | 'wallet.credit' | null
  readonly at: Date
}

/** The movements that this call booked or held. Excludes those that earlier calls had booked or held. */
interface BookedDeposits {
  readonly booked: readonly Movement[]
  readonly held: readonly { readonly bankRef: string; readonly why: string }[]
}

export async function bookDeposits(tx: Tx, deposits: DepositsToBook): Promise<BookedDeposits> {
  const booked: Movement[] = []
  const held: { bankRef: string; why: string }[] = []
  for (const each of deposits.judged) {
    if (each.verdict === 'deposit' && (await book(tx, deposits, each.row))) booked.push(each.row)
    if (each.verdict === 'held' && (await hold(tx, deposits, each.row, each.why))) {
      held.push({ bankRef: each.row.id, why: each.why })
    }
  }
  return { booked, held }
}

async function book(tx: Tx, deposits: DepositsToBook, { id, amountMicroUsdc }: Movement): Promise<boolean> {
  const { wallet, action, createdBy, at } = deposits
  const about = { walletId: wallet.id, cause: 'deposit', causeRef: id, bankRef: id, payoutId: null, createdBy, at }
  const posted = await postSet(tx, { ...about, postings: topUpPostings(amountMicroUsdc) })
  if (posted.outcome !== 'posted') return false
  const { partnerId, environment } = wallet
  await addNotice(tx, { partnerId, environment, kind: 'top_up', about: id, at })
  if (action === null) return true
  const detail = `${formatUsdcExactly(amountMicroUsdc)} USDC`
  const entry = { partnerId, at, environment, action, status: null, madeBy: createdBy, detail, requestId: null }
  await recordActivity(tx, [{ ...entry, changes: 'something' }])
  return true
}

/**
 * Stores a held movement. Books a deposit in suspense, so that the ledger matches the bank and the wallet shows only
 * money that certainly belongs to the partner.
 */
async function hold(tx: Tx, deposits: DepositsToBook, row: HeldMovement, why: string): Promise<boolean> {
  const { wallet, createdBy, at } = deposits
  const amountMicroUsdc = row.kind === 'deposit' ? row.amountMicroUsdc : null
  if (amountMicroUsdc !== null) {
    const about = { walletId: wallet.id, cause: 'held_deposit', causeRef: row.id, bankRef: row.id, createdBy, at }
    const posted = await postSet(tx, { ...about, payoutId: null, postings: heldPostings(amountMicroUsdc) })
    if (posted.outcome !== 'posted') return false
  }
  return holdDeposit(tx, { walletId: wallet.id, bankRef: row.id, amountMicroUsdc, why, at })
}
