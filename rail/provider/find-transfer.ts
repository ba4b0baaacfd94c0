// Looks for the transfer of a payout whose outcome nobody knows; says "absent" only on proof, because money follows.
import type { FoundTransfer, HistoryRow, Transfer, WalletRefs } from '../rail'
import { ask, part } from './ask'
import type { Client } from './client'
import { dateAt } from './fields'
import { type Listing, readList } from './lists'
import { readHistoryRow, readTransfer } from './map'

export interface WantedTransfer extends WalletRefs {
  readonly payoutId: string
  readonly since: Date
}

/** How far the bank's clock may be behind ours. */
const marginMs = 3_600_000
const passes = 4

export async function findTransfer(client: Client, wanted: WantedTransfer): Promise<FoundTransfer> {
  let before: Listing<DatedTransfer> | null = null
  for (let pass = 0; pass < passes; pass += 1) {
    const now = await listTransfers(client, wanted)
    const found = [...now.rows.values()].find(({ transfer }) => transfer.payoutId === wanted.payoutId)
    if (found) return { outcome: 'found', transfer: found.transfer }
    if (before && agree(before, now)) return askHistory(client, wanted, now)
    before = now
  }
  return { outcome: 'incomplete' }
}

interface DatedTransfer {
  readonly transfer: Transfer
  readonly createdAt: Date
}

function listTransfers(client: Client, { customerRef, since }: WantedTransfer): Promise<Listing<DatedTransfer>> {
  return readList(client, {
    name: 'list transfers',
    path: `/customers/${part(customerRef)}/transfers`,
    read: (row) => ({ transfer: readTransfer(row), createdAt: dateAt(row, 'created_at') }),
    isPast: ({ createdAt }) => isBefore(createdAt, since),
  })
}

/** Two complete readings that saw the same rows, but for those made in between, which are on top. */
function agree(before: Listing<unknown>, now: Listing<unknown>): boolean {
  if (!before.complete || !now.complete) return false
  const [earlier, later] = [[...before.rows.keys()], [...now.rows.keys()]]
  const made = earlier[0] === undefined ? later.length : later.indexOf(earlier[0])
  return later.slice(made).join() === earlier.join() && (earlier.length > 0 || later.length === 0)
}

/** What left the wallet is the better witness: a transfer that a list leaves out still has its withdrawal. */
async function askHistory(
  client: Client,
  wanted: WantedTransfer,
  listed: Listing<DatedTransfer>,
): Promise<FoundTransfer> {
  const history = await readHistory(client, wanted)
  if (!history.complete) return { outcome: 'incomplete' }
  for (const row of history.rows.values()) {
    if (isDeposit(row)) continue
    const transferRef = row.kind === 'unreadable' ? null : row.transferRef
    if (transferRef === null) return { outcome: 'incomplete' }
    if (listed.rows.has(transferRef)) continue
    const transfer = await ask(
      client,
      'transfer',
      { method: 'GET', path: `/transfers/${part(transferRef)}` },
      readTransfer,
    )
    if (transfer.payoutId === wanted.payoutId) return { outcome: 'found', transfer }
  }
  return { outcome: 'absent' }
}

function isDeposit(row: HistoryRow): boolean {
  return (row.kind === 'unreadable' ? row.looksLike : row.kind) === 'deposit'
}

function readHistory(client: Client, { walletRef, since }: WantedTransfer): Promise<Listing<HistoryRow>> {
  return readList(client, {
    name: 'wallet history',
    path: `/wallets/${part(walletRef)}/history`,
    read: readHistoryRow,
    isPast: ({ at }) => at !== null && isBefore(at, since),
  })
}

/** Whether the bank can not have made it after `since`, by whichever of the two clocks. */
export function isBefore(at: Date, since: Date): boolean {
  return at.getTime() < since.getTime() - marginMs
}
