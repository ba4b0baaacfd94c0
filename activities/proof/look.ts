// One look at a wallet: our books, then the bank, then our books again, so that it is known whether anything moved meanwhile.
import {
  type BookedPayout,
  findBookedMovements,
  listSentPayouts,
  readBooks,
  type WalletToProve,
} from '../../db/proof-wallets'
import { assert } from '../../domain/assert'
import type { HistoryRow, ListedTransfer } from '../../rail/rail'
import { type Compared, compare } from './compare'
import type { BankedWallet, ProofDeps, ProofRail } from './deps'
import { whoseTransfers } from './whose-transfers'

export interface Look extends Pick<Compared, 'findings' | 'settled' | 'expectedMicroUsdc'> {
  readonly foundMicroUsdc: bigint
  /** Nothing of ours changed while the bank was asked. */
  readonly isSteady: boolean
  /** And nothing had just before it. */
  readonly isQuiet: boolean
  /** The same in two looks when nothing has changed between them. */
  readonly state: string
}

export async function lookAtWallet(deps: ProofDeps, wallet: WalletToProve & BankedWallet): Promise<Look> {
  const { db, clock, patience } = deps
  const rail = deps.rails[wallet.rail]
  const since = wallet.provedToAt
  const books = await booksOf(deps, wallet)
  const sent = await listSentPayouts(db, wallet, since)
  const history = await rail.walletHistory({ ...refsOf(wallet), after: wallet.provedTo })
  const listed = await rail.transfersSince({ ...refsOf(wallet), since })
  const { usdcMicro } = await rail.wallet(refsOf(wallet))
  const whose = await whoseTransfers({ db, rail }, wallet, { history, listed })
  const booked = await findBookedMovements(
    db,
    wallet.id,
    history.map(({ id }) => id),
  )
  const unsent = await withoutTransfer(rail, sent, { history, listed })
  const after = await booksOf(deps, wallet)

  const now = clock.now().getTime()
  const bookedBefore = new Date(now - patience.graceMs)
  const compared = compare({
    walletId: wallet.id,
    books,
    history,
    listed,
    whose,
    booked,
    sent,
    unsent,
    since,
    bookedBefore,
  })
  const movedAt = Math.max(0, after.changedAt?.getTime() ?? 0, history.at(-1)?.at?.getTime() ?? 0)
  const isSteady = books.state === after.state
  return {
    ...compared,
    foundMicroUsdc: usdcMicro,
    isSteady,
    isQuiet: isSteady && now - movedAt >= patience.quietMs,
    state: `${after.state} ${history.at(-1)?.id ?? ''} ${usdcMicro}`,
  }
}

async function booksOf({ db }: ProofDeps, { id }: BankedWallet) {
  const books = await readBooks(db, id)
  assert(books !== null, 'a wallet stays where it is')
  return books
}

function refsOf({ customerRef, walletRef }: BankedWallet) {
  return { customerRef, walletRef }
}

/** Our books named the transfer before the bank was asked, so the bank must know it. */
async function withoutTransfer(
  rail: ProofRail,
  sent: readonly BookedPayout[],
  { history, listed }: { history: readonly HistoryRow[]; listed: readonly ListedTransfer[] },
): Promise<ReadonlySet<string>> {
  const inHistory = history.flatMap((row) => (row.kind === 'withdrawal' ? (row.transferRef ?? []) : []))
  const refs = new Set([...inHistory, ...listed.map(({ ref }) => ref)])
  const unsent = new Set<string>()
  for (const { id, transferRef, status } of sent) {
    if (transferRef === null) {
      if (status !== 'pending' && status !== 'failed' && status !== 'cancelled') unsent.add(id)
    } else if (!refs.has(transferRef) && (await rail.payoutOf(transferRef)) !== id) unsent.add(id)
  }
  return unsent
}
