// Reconciles a page of wallets, one after the other. A wallet that fails does not stop the others.

import { passAccepted, type Recorded, recordDriftCheck } from '../../../db/controls/proof/drifts'
import { verifyLedger } from '../../../db/controls/proof/ledger'
import { findTotalsDrifts } from '../../../db/controls/proof/totals'
import type { ProofOutcome } from '../../../db/controls/proof/wallets'
import { listWalletsToProve, markProved, type WalletToProve } from '../../../db/controls/proof/wallets'
import { idleSince } from '../../../db/wallets/readings'
import { formatDriftText, ledgerDrifts } from '../../../domain/controls/drift'
import { ListTooLong, RailRefused, RailUnavailable } from '../../../rail/rail'
import type { ProofPage, Proved } from '../../../workflows/controls/proof'
import { type Judged, judgeSnapshots } from './judge'
import type { ProofDeps, WalletWithBankRefs } from './snapshot'

interface ProofScope {
  readonly depth?: ProofDepth
  /**
   * Whether to reconcile sandboxes without recent activity. The scheduled proof skips them. A proof that an operator
   * starts includes them.
   */
  readonly idleSandboxes?: 'skipped' | 'included'
}

/** Well below the activity's timeout. The next page continues with the remaining wallets. */
const pageAtMostMs = 5 * 60_000

/** Reconciles one page of the scheduled proof. */
export function proveWallets(deps: ProofDeps, page: ProofPage): Promise<Proved & { readonly next: string | null }> {
  return provePage(deps, page, { idleSandboxes: 'skipped' })
}

/**
 * Stops calling a bank that does not answer, because each call would wait for the full timeout. Still verifies our own
 * books for the remaining wallets, including those on the next pages. So an unresponsive bank costs one timeout, not
 * one per page.
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

/**
 * Makes a second call, because a timeout on one wallet does not prove that the bank is unavailable. A few slow
 * wallets must not prevent the comparison of all others.
 */
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

/** `changes`: the rows changed since the checkpoint, and every row once per `fullEveryMs`. `full`: every row now. */
export type ProofDepth = 'changes' | 'full'

interface ProvedWallet {
  readonly outcome: ProofOutcome
  /** The bank did not answer, so it may be unavailable for all wallets. */
  readonly isSilent: boolean
  readonly drifts: number
  readonly fresh: number
}

/**
 * Verifies our books for one wallet without calling the bank, then compares them with the bank's, and records drifts.
 * Drifts in our own books are recorded even if the bank is unavailable. Never throws, so that the next wallet is
 * reconciled.
 */
export async function proveWallet(
  deps: ProofDeps,
  wallet: WalletToProve,
  { bank, depth }: { readonly bank: 'there' | 'away'; readonly depth: ProofDepth },
): Promise<ProvedWallet> {
  const found: Recorded[] = []
  let decided: Pick<ProvedWallet, 'outcome' | 'isSilent'> = { outcome: 'failed', isSilent: false }
  try {
    const books = await proveBooks(deps, wallet, depth)
    found.push(books)
    const judged = await judgeBank(deps, wallet, { bank, unnamedMicroUsdc: books.unnamedMicroUsdc })
    found.push(await recordJudged(deps, wallet, judged))
    decided = judged
  } catch (error) {
    deps.log.error({ err: error, wallet_id: wallet.id }, 'cannot reconcile wallet')
    await markFailed(deps, wallet)
  }
  const { outcome, isSilent } = decided
  const [drifts, fresh] = [found.flatMap(({ open }) => open).length, found.reduce((sum, one) => sum + one.fresh, 0)]
  return { outcome, isSilent, drifts, fresh }
}

async function proveBooks(
  deps: ProofDeps,
  { id: walletId }: WalletToProve,
  depth: ProofDepth,
): Promise<Recorded & { readonly unnamedMicroUsdc: bigint }> {
  const { db, clock, limits } = deps
  const proved = await db.transaction(async (tx) => {
    const at = clock.now()
    const fullSince = depth === 'full' ? never : lastFullVerificationDue(walletId, at, limits.fullEveryMs)
    const { findings: ledger, unnamedMicroUsdc, since } = await verifyLedger(tx, { walletId, fullSince, at })
    const findings = [...ledger, ...(await findTotalsDrifts(tx, { walletId, since, at }))]
    const recorded = await recordDriftCheck(tx, { walletId, kinds: ledgerDrifts, findings, at })
    return { ...recorded, unnamedMicroUsdc }
  })
  logOpen(deps, walletId, proved)
  return proved
}

/** A time later than every checkpoint. */
const never = new Date(8_640_000_000_000_000)

/**
 * The latest time at which a full verification of this wallet was due. Each wallet has its own time, which spreads
 * the load evenly.
 */
export function lastFullVerificationDue(walletId: string, at: Date, everyMs: number): Date {
  const phase = Math.floor((parseInt(walletId.slice(-8), 16) / 2 ** 32) * everyMs)
  return new Date(Math.floor((at.getTime() - phase) / everyMs) * everyMs + phase)
}

async function recordJudged(deps: ProofDeps, { id: walletId }: WalletToProve, judged: Judged): Promise<Recorded> {
  const { db, clock } = deps
  const { outcome, kinds, findings, passed, settled } = judged
  const at = clock.now()
  const recorded = await db.transaction(async (tx) => {
    const looked = await recordDriftCheck(tx, { walletId, kinds, findings, at })
    const isPassed = await passAccepted(tx, passed, at)
    await markProved(tx, { walletId, outcome, mark: isPassed ? settled : null, at })
    return looked
  })
  logOpen(deps, walletId, recorded)
  return recorded
}

async function markFailed({ db, clock, log }: ProofDeps, { id: walletId }: WalletToProve): Promise<void> {
  try {
    await db.transaction((tx) => markProved(tx, { walletId, outcome: 'failed', mark: null, at: clock.now() }))
  } catch (error) {
    log.warn({ err: error, wallet_id: walletId }, 'cannot record that a wallet was not reconciled')
  }
}

function logOpen({ log }: ProofDeps, walletId: string, { open }: Recorded): void {
  for (const { kind, subject, expected, found } of open) {
    const said = { expected: formatDriftText(kind, expected), found: formatDriftText(kind, found) }
    const facts = { wallet_id: walletId, kind, subject, ...said }
    log.error(facts, 'open drift; see `ops proof list`')
  }
}

async function judgeBank(
  deps: ProofDeps,
  wallet: WalletToProve,
  { bank, unnamedMicroUsdc }: { readonly bank: 'there' | 'away'; readonly unnamedMicroUsdc: bigint },
): Promise<Judged & Pick<ProvedWallet, 'isSilent'>> {
  const nothing = { kinds: [], findings: [], settled: null, passed: [], isSilent: false }
  if (wallet.isIdle) return { ...nothing, outcome: 'idle' }
  if (!hasBankRefs(wallet)) return { ...nothing, outcome: 'no_bank' }
  if (bank === 'away') return { ...nothing, outcome: 'no_answer' }
  try {
    return { ...(await judgeSnapshots(deps, wallet, unnamedMicroUsdc)), isSilent: false }
  } catch (error) {
    if (!(error instanceof RailUnavailable)) throw error
    deps.log.warn({ err: error, wallet_id: wallet.id }, 'cannot compare wallet with its bank')
    if (error instanceof ListTooLong) return { ...nothing, outcome: 'too_long' }
    return { ...nothing, outcome: 'no_answer', isSilent: !(error instanceof RailRefused) }
  }
}

function hasBankRefs(wallet: WalletToProve): wallet is WalletToProve & WalletWithBankRefs {
  return wallet.rail !== 'simulated' && wallet.customerRef !== null && wallet.walletRef !== null
}
