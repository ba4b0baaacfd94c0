// Reads changed transfers, the transfers out of one wallet, and the payout ID in a transfer.
import type { Clock } from '../../../runtime/clock'
import type { ChangedTransfer, ListedTransfer, WalletRefs } from '../../rail'
import { ask, isNotFound, part, readAnswer } from '../ask'
import type { Client } from '../client'
import { dateAt, listAt, optionalTextAt, readable, textAt, valueAt } from '../fields'
import { readWholeList, walkList } from '../lists'
import { readTransfer } from '../map'
import { isBefore } from './find'

const changesPerPage = 100
/** Banks return a payment within 90 days. Older transfers no longer change. */
const walkedMs = 91 * 86_400_000
const name = 'changed transfers'

/**
 * Yields the transfers that changed since `at`. Makes one request if they fit on a page. Otherwise scans all transfers
 * that can still be returned. The list contains transfers of every kind. An unreadable one does not stop the scan.
 */
export async function* changedSince(client: Client, clock: Clock, at: Date): AsyncGenerator<ChangedTransfer> {
  for await (const { changed, updatedAt } of changes(client, clock, at)) {
    if (updatedAt === null || updatedAt >= at) yield changed
  }
}

/** A date is null if it is unreadable. */
interface Listed {
  readonly changed: ChangedTransfer
  readonly createdAt: Date | null
  readonly updatedAt: Date | null
}

/** The bank cannot page through changes, so more than one page of changes requires a scan of the list, newest first. */
async function* changes(client: Client, clock: Clock, at: Date): AsyncGenerator<Listed> {
  const path = `/transfers?limit=${changesPerPage}&updated_after_ms=${Math.max(0, at.getTime() - 1)}`
  const page = await ask(client, name, { method: 'GET', path }, (body) => listAt(body, 'data').map(readListed))
  if (page.length < changesPerPage) {
    yield* page
    return
  }
  const oldest = clock.now().getTime() - walkedMs
  const isPast = ({ createdAt }: Listed) => createdAt !== null && createdAt.getTime() < oldest
  yield* walkList(client, { name, path: '/transfers', read: readListed, isPast })
}

function readListed(row: unknown): Listed {
  const [createdAt, updatedAt] = ['created_at', 'updated_at'].map((path) => readable(() => dateAt(row, path)))
  const transfer = readable(() => readTransfer(row))
  const changed: ChangedTransfer =
    transfer === null ? { outcome: 'unreadable', payoutId: payoutNamedBy(row) } : { outcome: 'read', transfer }
  return { changed, createdAt: createdAt ?? null, updatedAt: updatedAt ?? null }
}

function payoutNamedBy(row: unknown): string | null {
  const isPayout = valueAt(row, 'source.currency') === 'usdc' && valueAt(row, 'destination.currency') === 'gbp'
  const named = valueAt(row, 'client_reference_id')
  return isPayout && typeof named === 'string' ? named : null
}

/**
 * Lists the transfers out of a wallet since the given time, including those that are not payouts or are partly
 * unreadable.
 */
export async function transfersSince(
  client: Client,
  { customerRef, walletRef, since }: WalletRefs & { since: Date | null },
): Promise<ListedTransfer[]> {
  const rows = await readWholeList(client, {
    name: 'list transfers',
    path: `/customers/${part(customerRef)}/transfers`,
    read: (row) => ({
      listed: { ref: textAt(row, 'id'), payoutId: optionalTextAt(row, 'client_reference_id') },
      from: valueAt(row, 'source.bridge_wallet_id'),
      createdAt: dateAt(row, 'created_at'),
    }),
    isPast: ({ createdAt }) => since !== null && isBefore(createdAt, since),
  })
  return [...rows.values()].flatMap(({ listed, from }) => (from === walletRef ? [listed] : []))
}

/** Returns the payout ID in a transfer, or null if there is none or the bank has no such transfer. */
export async function payoutOf(client: Client, transferRef: string): Promise<string | null> {
  const answer = await client.call({ method: 'GET', path: `/transfers/${part(transferRef)}` })
  if (isNotFound(answer)) return null
  return readAnswer('transfer', answer, (body) => optionalTextAt(body, 'client_reference_id'))
}
