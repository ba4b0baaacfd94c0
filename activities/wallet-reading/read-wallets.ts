// Reads a page of wallets, a few at a time: one that can not be read does not keep the others from being read.
import { listWalletsToRead, type WalletToRead } from '../../db/wallet-readings'
import { RailUnavailable } from '../../rail/rail'
import type { WalletPage, WalletRead, WalletsRead } from '../../workflows/wallet-reading-steps'
import { readFound, type WalletReadingDeps } from './read-wallet'

const atOnce = 5

export async function readWallets(deps: WalletReadingDeps, page: WalletPage): Promise<WalletsRead> {
  const wallets = await listWalletsToRead(deps.db, page)
  const done: WalletRead[] = []
  for (let from = 0; from < wallets.length; from += atOnce) {
    const some = wallets.slice(from, from + atOnce)
    const outcomes = await Promise.all(some.map((wallet) => readOne(deps, wallet)))
    done.push(...outcomes.filter((outcome) => typeof outcome === 'object'))
    // A bank that answers for none of them is away: to ask it for all the others would take the time of the next reading.
    if (outcomes.every((outcome) => outcome === 'no answer')) return sumOf(done, wallets.length, null)
  }
  const last = wallets.length < page.limit ? undefined : wallets.at(-1)
  return sumOf(done, wallets.length, last?.id ?? null)
}

async function readOne(deps: WalletReadingDeps, wallet: WalletToRead): Promise<WalletRead | 'no answer' | 'trouble'> {
  try {
    return await readFound(deps, wallet)
  } catch (error) {
    deps.log.warn({ err: error, wallet_id: wallet.id }, 'the history of a wallet could not be read')
    return error instanceof RailUnavailable ? 'no answer' : 'trouble'
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
