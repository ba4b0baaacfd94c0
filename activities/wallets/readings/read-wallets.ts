// Reads a page of wallets, a few at a time: one that cannot be read does not keep the others from being read.
import { findWalletsReadTo, saveWalletsReadTo } from '../../../db/bank/readings'
import { listWalletsToRead, type WalletToRead } from '../../../db/wallets/readings'
import { RailRefused, RailUnavailable } from '../../../rail/rail'
import type { WalletRead } from '../../../workflows/wallets/reading'
import type { WalletPage, WalletsRead } from '../../../workflows/wallets/readings'
import { readFound, type WalletReadingDeps } from './read-wallet'

const atOnce = 5

/** A reading that ran out of time, or of a bank, is gone on with by the next one: its first page begins where that stopped. */
export async function readWallets(deps: WalletReadingDeps, page: WalletPage): Promise<WalletsRead> {
  const { environment, limit } = page
  const after = page.after ?? (await findWalletsReadTo(deps.db, environment))
  const wallets = await listWalletsToRead(deps.db, { environment, after, limit, at: deps.clock.now() })
  const isLastPage = wallets.length < limit
  const done: WalletRead[] = []
  for (let from = 0; from < wallets.length; from += atOnce) {
    const some = wallets.slice(from, from + atOnce)
    const outcomes = await Promise.all(some.map((wallet) => readOne(deps, wallet)))
    done.push(...outcomes.filter((outcome) => typeof outcome === 'object'))
    // Also past those that could not be read: they must not keep the others from being read for ever.
    const isLast = isLastPage && from + atOnce >= wallets.length
    await saveWalletsReadTo(deps.db, environment, isLast ? null : (some.at(-1)?.id ?? null))
    // A bank that answers for none of them is away: to ask it for all the others would take the time of the next reading.
    if (outcomes.every((outcome) => outcome === 'no answer')) return sumOf(done, wallets.length, null)
  }
  if (wallets.length === 0) await saveWalletsReadTo(deps.db, environment, null)
  return sumOf(done, wallets.length, isLastPage ? null : (wallets.at(-1)?.id ?? null))
}

async function readOne(deps: WalletReadingDeps, wallet: WalletToRead): Promise<WalletRead | 'no answer' | 'trouble'> {
  try {
    return await readFound(deps, wallet)
  } catch (error) {
    const isAway = error instanceof RailUnavailable && !(error instanceof RailRefused)
    deps.log[isAway ? 'warn' : 'error'](
      { err: error, wallet_id: wallet.id },
      'the history of a wallet could not be read',
    )
    return isAway ? 'no answer' : 'trouble'
  }
}

function sumOf(done: readonly WalletRead[], wallets: number, next: string | null): WalletsRead {
  const sum = (name: keyof WalletRead) => done.reduce((total, each) => total + each[name], 0)
  return {
    booked: sum('booked'),
    held: sum('held'),
    returns: sum('returns'),
    unresolved: sum('unresolved'),
    read: done.length,
    failed: wallets - done.length,
    next,
  }
}
