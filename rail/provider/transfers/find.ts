// Looks up one payout's transfer. Returns "absent" only with proof, because the payout may then be refunded or sent
// again.
import {
  type FoundTransfer,
  RailRefused,
  RailUnavailable,
  type Refund,
  type WalletMovement,
  type WalletRefs,
} from '../../rail'
import { ask, part } from '../ask'
import type { Client } from '../client'
import { dateAt, readable, textAt, valueAt } from '../fields'
import { type Listing, readList } from '../lists'
import { readHistoryRow, readTransfer } from '../map'

interface WantedTransfer extends WalletRefs {
  readonly payoutId: string
  readonly since: Date
}

/** The largest expected lag of the bank's clock. */
const marginMs = 3_600_000
const passes = 4

/** Transfers of every kind share the bank's lists, so only rows with this payout's ID count. */
export async function findTransfer(client: Client, wanted: WantedTransfer): Promise<FoundTransfer> {
  let before: Listing<TransferRow> | null = null
  for (let pass = 0; pass < passes; pass += 1) {
    try {
      const now = await listTransfers(client, wanted)
      const ours = [...now.rows.values()].find(({ names }) => names === wanted.payoutId)
      if (ours !== undefined) return await readOurs(client, ours)
      if (before && agree(before, now)) return await askUnclear(client, wanted, now)
      before = now
    } catch (error) {
      // The response is unusable, perhaps because of a temporary fault, so the next pass starts over.
      if (!(error instanceof RailRefused)) throw error
      before = null
    }
  }
  return incomplete
}

const incomplete: FoundTransfer = { outcome: 'incomplete' }

interface TransferRow {
  readonly ref: string | null
  /** The payout ID in the row. Null if the row has none. Undefined if the row may belong to any payout. */
  readonly names: string | null | undefined
  readonly createdAt: Date | null
  readonly json: unknown
}

function listTransfers(client: Client, { customerRef, since }: WantedTransfer): Promise<Listing<TransferRow>> {
  return readList(client, {
    name: 'list transfers',
    path: `/customers/${part(customerRef)}/transfers`,
    read: readRow,
    isPast: (row) => isTooOld(row, { since }),
  })
}

function isTooOld({ createdAt }: TransferRow, { since }: { readonly since: Date }): boolean {
  return createdAt !== null && isBefore(createdAt, since)
}

function readRow(json: unknown): TransferRow {
  return {
    ref: readable(() => textAt(json, 'id')),
    names: namesOf(json),
    createdAt: readable(() => dateAt(json, 'created_at')),
    json,
  }
}

/**
 * Each of our transfers contains its payout's ID. A null field proves that a transfer belongs to no payout. A missing
 * field proves nothing, unless the currencies rule out a payout.
 */
function namesOf(json: unknown): string | null | undefined {
  const name = valueAt(json, 'client_reference_id')
  if (typeof name === 'string' || name === null) return name
  return mayBePayout(json) ? undefined : null
}

/** Transfers in other currencies are wires or on-chain withdrawals. */
function mayBePayout(json: unknown): boolean {
  return mayBe(valueAt(json, 'source.currency'), 'usdc') && mayBe(valueAt(json, 'destination.currency'), 'gbp')
}

function mayBe(value: unknown, currency: string): boolean {
  return typeof value !== 'string' || value.toLowerCase() === currency
}

/** Returns whether two complete reads have the same rows, except new ones at the top. */
function agree(before: Listing<unknown>, now: Listing<unknown>): boolean {
  if (!before.complete || !now.complete) return false
  const [earlier, later] = [[...before.rows.keys()], [...now.rows.keys()]]
  const made = earlier[0] === undefined ? later.length : later.indexOf(earlier[0])
  return later.slice(made).join() === earlier.join() && (earlier.length > 0 || later.length === 0)
}

/** Only the row with our payout's ID must be fully readable. */
async function readOurs(client: Client, { ref, json }: TransferRow): Promise<FoundTransfer> {
  const transfer = readable(() => readTransfer(json))
  if (transfer !== null) return { outcome: 'found', transfer }
  // The list may contain fewer fields than the transfer itself.
  const alone = ref === null ? null : await askTransfer(client, ref)
  const read = alone === null ? null : readable(() => readTransfer(alone.json))
  if (read !== null) return { outcome: 'found', transfer: read }
  return ref === null ? incomplete : { outcome: 'incomplete', transferRef: ref }
}

/**
 * Fetches each transfer that the list leaves unclear: rows that may belong to any payout, and withdrawals for transfers
 * that are missing from the list. The wallet's history is more reliable, because a transfer that the list omits still
 * has its withdrawal.
 */
async function askUnclear(
  client: Client,
  wanted: WantedTransfer,
  listed: Listing<TransferRow>,
): Promise<FoundTransfer> {
  const history = await readHistory(client, wanted)
  const unlisted = [...history.rows.values()].filter(({ ref }) => ref === null || !listed.rows.has(ref))
  const unclear = [...listed.rows.values()].filter(({ names }) => names === undefined)
  let isClear = history.complete
  for (const { ref } of [...unclear, ...unlisted.filter(mayPayOut)]) {
    const transfer = ref === null ? null : await askTransfer(client, ref)
    if (transfer?.names === wanted.payoutId) return readOurs(client, transfer)
    if (transfer === null || (transfer.names === undefined && !isTooOld(transfer, wanted))) isClear = false
  }
  return isClear ? { outcome: 'absent' } : incomplete
}

/** Returns null if the response is not a transfer. */
async function askTransfer(client: Client, ref: string): Promise<TransferRow | null> {
  try {
    return await ask(client, 'transfer', { method: 'GET', path: `/transfers/${part(ref)}` }, readRow)
  } catch (error) {
    if (error instanceof RailRefused) return null
    throw error
  }
}

interface Movement {
  readonly ref: string | null
  readonly type: unknown
  readonly currency: unknown
  readonly at: Date | null
}

function readHistory(client: Client, { walletRef, since }: WantedTransfer): Promise<Listing<Movement>> {
  return readList(client, {
    name: 'wallet history',
    path: `/wallets/${part(walletRef)}/history`,
    read: (json) => ({
      ref: readable(() => textAt(json, 'payment_route.transfer_id')),
      type: valueAt(json, 'type'),
      currency: valueAt(json, 'currency'),
      at: readable(() => dateAt(json, 'created_at')),
    }),
    isPast: ({ at }) => at !== null && isBefore(at, since),
  })
}

/** A payout withdraws USDC. Any other readable movement cannot be a payout. */
function mayPayOut({ type, currency }: Movement): boolean {
  return type !== 'deposit' && mayBe(currency, 'usdc')
}

/** Returns whether the time is certainly before `since`, even if the bank's clock lags behind ours. */
export function isBefore(at: Date, since: Date): boolean {
  return at.getTime() < since.getTime() - marginMs
}

interface WantedRefund extends WalletRefs {
  readonly transferRef: string
  readonly since: Date
}

/**
 * Finds the refund of a transfer in the wallet's history. Reads back only as far as the transfer, newest first, so a
 * recent refund is on the first page of a long history.
 */
export async function findRefund(client: Client, wanted: WantedRefund): Promise<Refund | null> {
  let refund: WalletMovement | null = null
  const { complete } = await readList(client, {
    name: 'wallet history',
    path: `/wallets/${part(wanted.walletRef)}/history`,
    read: readHistoryRow,
    isPast(movement) {
      if (movement.kind === 'deposit' && movement.transferRef === wanted.transferRef) refund = movement
      return refund !== null || (movement.at !== null && isBefore(movement.at, wanted.since))
    },
  })
  return read(refund, complete)
}

/**
 * A list that shifted during the read may have contained the refund, so this function throws instead of returning "no
 * refund".
 */
function read(refund: WalletMovement | null, complete: boolean): Refund | null {
  if (refund !== null) return { amountMicroUsdc: refund.amountMicroUsdc, movementRef: refund.id }
  if (!complete) throw new RailUnavailable('wallet history', { answer: 'the list changed while it was read' })
  return null
}
