// Proves a page of wallets, one after the other: one that can not be proved does not keep the others from being proved.
import { listWalletsToProve, type WalletToProve } from '../../db/proof-wallets'
import type { ProofPage, Proved } from '../../workflows/proof-steps'
import type { ProofDeps } from './deps'
import { type ProvedWallet, proveWallet } from './prove-wallet'

/** After so many wallets in a row whose bank is silent, it is away: the next proof asks it again. */
const silentAtMost = 5

export async function proveWallets(
  deps: ProofDeps,
  page: ProofPage,
): Promise<Proved & { readonly next: string | null }> {
  const wallets = await listWalletsToProve(deps.db, page)
  const done: ProvedWallet[] = []
  let silent = 0
  for (const wallet of wallets) {
    const proved = await proveOne(deps, wallet)
    if (proved !== null) done.push(proved)
    if (proved?.outcome !== 'no_bank') silent = proved?.outcome === 'no_answer' ? silent + 1 : 0
    if (silent === silentAtMost) return { ...sumOf(done, wallets.length), next: null }
  }
  const last = wallets.length < page.limit ? undefined : wallets.at(-1)
  return { ...sumOf(done, wallets.length), next: last?.id ?? null }
}

async function proveOne(deps: ProofDeps, wallet: WalletToProve): Promise<ProvedWallet | null> {
  try {
    return await proveWallet(deps, wallet)
  } catch (error) {
    deps.log.error({ err: error, wallet_id: wallet.id }, 'a wallet could not be proved')
    return null
  }
}

function sumOf(done: readonly ProvedWallet[], wallets: number): Proved {
  const answered = done.filter(({ outcome }) => outcome !== 'no_answer')
  return {
    wallets,
    drifts: done.reduce((total, { drifts }) => total + drifts, 0),
    fresh: done.reduce((total, { fresh }) => total + fresh, 0),
    busy: done.filter(({ outcome }) => outcome === 'busy').length,
    failed: wallets - answered.length,
  }
}
