// Proves a page of wallets, one after the other: one that cannot be proved does not keep the others from being proved.
import { listWalletsToProve, type WalletToProve } from '../../../db/controls/proof/wallets'
import { idleSince } from '../../../db/wallets/readings'
import { RailRefused, RailUnavailable } from '../../../rail/rail'
import type { ProofPage, Proved } from '../../../workflows/controls/proof'
import type { ProofDeps } from './look'
import { type ProofDepth, type ProvedWallet, proveWallet } from './prove-wallet'

interface ProofScope {
  readonly depth?: ProofDepth
  /** Skipped by the schedule, included when an operator asks for a proof. */
  readonly idleSandboxes?: 'skipped' | 'included'
}

/** Well before the activity's own time is over, the rest of a page is left to the next one. */
const pageAtMostMs = 5 * 60_000

/** As the schedule does it. */
export function proveWallets(deps: ProofDeps, page: ProofPage): Promise<Proved & { readonly next: string | null }> {
  return provePage(deps, page, { idleSandboxes: 'skipped' })
}

/**
 * Once the bank is away it is not asked about the wallets behind, which would take its time-out for each of them: their own books are
 * proved all the same, and those of the next pages with them, so that a bank that hangs is met once in a page's time and not in each page.
 */
export async function provePage(
  deps: ProofDeps,
  page: ProofPage,
  { depth = 'changes', idleSandboxes = 'included' }: ProofScope = {},
): Promise<Proved & { readonly next: string | null }> {
  const { db, clock } = deps
  const endBy = clock.now().getTime() + pageAtMostMs
  const done: ProvedWallet[] = []
  let bank: 'there' | 'away' = 'there'
  let next = page.after
  do {
    const since = idleSandboxes === 'skipped' ? idleSince(clock.now()) : null
    const wallets = await listWalletsToProve(db, { ...page, after: next, idleSince: since })
    for (const wallet of wallets) {
      const proved = await proveWallet(deps, wallet, { bank, depth })
      done.push(proved)
      if (proved.isSilent && (await isAway(deps, wallet))) bank = 'away'
      if (clock.now().getTime() >= endBy) return { ...sumOf(done), next: wallet.id }
    }
    next = wallets.length < page.limit ? null : (wallets.at(-1)?.id ?? null)
  } while (bank === 'away' && next !== null)
  return { ...sumOf(done), next }
}

/** A few wallets that the bank never gets to the end of must not hide all others. */
async function isAway({ rails }: ProofDeps, { rail }: WalletToProve): Promise<boolean> {
  try {
    await rails[rail].rate()
    return false
  } catch (error) {
    return error instanceof RailUnavailable && !(error instanceof RailRefused)
  }
}

const notCompared: ReadonlySet<string> = new Set<ProvedWallet['outcome']>(['no_answer', 'too_long', 'failed'])

function sumOf(done: readonly ProvedWallet[]): Proved {
  return {
    wallets: done.length,
    drifts: done.reduce((total, { drifts }) => total + drifts, 0),
    fresh: done.reduce((total, { fresh }) => total + fresh, 0),
    busy: done.filter(({ outcome }) => outcome === 'busy').length,
    failed: done.filter(({ outcome }) => notCompared.has(outcome)).length,
  }
}
