// Proves a page of wallets, one after the other: one that can not be proved does not keep the others from being proved.
import { markUnanswered } from '../../db/proof-overdue'
import { listWalletsToProve, type WalletToProve } from '../../db/proof-wallets'
import { RailRefused, RailUnavailable } from '../../rail/rail'
import type { ProofPage, Proved } from '../../workflows/proof-steps'
import type { ProofDeps } from './deps'
import { type ProvedWallet, proveWallet } from './prove-wallet'

/** After so many wallets in a row whose bank is silent, the bank itself is asked whether it is there. */
const silentAtMost = 5
/** Well before the activity's own time is over, the rest of a page is left to the next one. */
const pageAtMostMs = 5 * 60_000

export async function proveWallets(
  deps: ProofDeps,
  page: ProofPage,
): Promise<Proved & { readonly next: string | null }> {
  const { db, clock } = deps
  const wallets = await listWalletsToProve(db, page)
  const endBy = clock.now().getTime() + pageAtMostMs
  const done: (ProvedWallet | null)[] = []
  let silent = 0
  for (const wallet of wallets) {
    const proved = await proveOne(deps, wallet)
    done.push(proved)
    if (proved?.outcome !== 'no_bank') silent = isSilent(proved) ? silent + 1 : 0
    if (silent === silentAtMost) {
      silent = 0
      if (await isAway(deps, wallet)) {
        const unasked = await markUnanswered(db, { environment: page.environment, after: wallet.id, at: clock.now() })
        return { ...sumOf(done, unasked), next: null }
      }
    }
    if (clock.now().getTime() >= endBy) return { ...sumOf(done, 0), next: wallet.id }
  }
  const last = wallets.length < page.limit ? undefined : wallets.at(-1)
  return { ...sumOf(done, 0), next: last?.id ?? null }
}

async function proveOne(deps: ProofDeps, wallet: WalletToProve): Promise<ProvedWallet | null> {
  try {
    return await proveWallet(deps, wallet)
  } catch (error) {
    deps.log.error({ err: error, wallet_id: wallet.id }, 'a wallet could not be proved')
    return null
  }
}

function isSilent(proved: ProvedWallet | null): boolean {
  return proved?.outcome === 'no_answer' && !proved.isRefused
}

/** A few wallets that the bank never gets to the end of must not hide all others. */
async function isAway({ rails }: ProofDeps, { rail }: WalletToProve): Promise<boolean> {
  try {
    await rails[rail].rate()
    return false
  } catch (error) {
    if (!(error instanceof RailUnavailable)) throw error
    return !(error instanceof RailRefused)
  }
}

function sumOf(done: readonly (ProvedWallet | null)[], unasked: number): Proved {
  const proved = done.flatMap((each) => each ?? [])
  const answered = proved.filter(({ outcome }) => outcome !== 'no_answer')
  return {
    wallets: done.length + unasked,
    drifts: proved.reduce((total, { drifts }) => total + drifts, 0),
    fresh: proved.reduce((total, { fresh }) => total + fresh, 0),
    busy: proved.filter(({ outcome }) => outcome === 'busy').length,
    failed: done.length + unasked - answered.length,
  }
}
