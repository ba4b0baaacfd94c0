// Proves one wallet: our books against themselves, then against the bank's; what two looks agree on is written down.
import { setTimeout as wait } from 'node:timers/promises'
import { recordLook } from '../../db/drifts'
import type { ProofOutcome } from '../../db/entities/drift'
import { findLedgerDrifts } from '../../db/proof-ledger'
import { markProved, type WalletToProve } from '../../db/proof-wallets'
import { type DriftKind, type Finding, ledgerDrifts, movementDrifts } from '../../domain/drift'
import { RailUnavailable } from '../../rail/rail'
import type { BankedWallet, ProofDeps } from './deps'
import { type Look, lookAtWallet } from './look'

export interface ProvedWallet {
  readonly outcome: ProofOutcome
  readonly drifts: number
  readonly fresh: number
}

export async function proveWallet(deps: ProofDeps, wallet: WalletToProve): Promise<ProvedWallet> {
  const { db, clock, log } = deps
  const ofLedger = await db.transaction((tx) => findLedgerDrifts(tx, wallet.id))
  const ofBank = await judgeBank(deps, wallet)
  const findings = [...ofLedger, ...ofBank.findings]
  const kinds = [...ledgerDrifts, ...ofBank.kinds]
  const { outcome, settled } = ofBank
  const at = clock.now()
  const fresh = await db.transaction(async (tx) => {
    const walletId = wallet.id
    await markProved(tx, { walletId, outcome, provedTo: settled?.id ?? null, provedToAt: settled?.at ?? null, at })
    return recordLook(tx, { walletId, kinds, findings, at })
  })
  for (const { kind, subject, expected, found } of findings) {
    log.error(
      { wallet_id: wallet.id, kind, subject, expected, found },
      'our books drift: somebody has to look (ops proof)',
    )
  }
  return { outcome, drifts: findings.length, fresh }
}

interface Judged {
  readonly outcome: ProofOutcome
  /** The kinds that this decides: what is not found of them is gone. */
  readonly kinds: readonly DriftKind[]
  readonly findings: readonly Finding[]
  readonly settled: Look['settled']
}

async function judgeBank(deps: ProofDeps, wallet: WalletToProve): Promise<Judged> {
  const nothing = { kinds: [], findings: [], settled: null }
  if (!isBanked(wallet)) return { ...nothing, outcome: 'no_bank' }
  try {
    return await judgeLooks(deps, wallet)
  } catch (error) {
    if (!(error instanceof RailUnavailable)) throw error
    deps.log.warn({ err: error, wallet_id: wallet.id }, 'a wallet could not be proved: its bank does not answer')
    return { ...nothing, outcome: 'no_answer' }
  }
}

function isBanked(wallet: WalletToProve): wallet is WalletToProve & BankedWallet {
  return wallet.rail !== 'simulated' && wallet.customerRef !== null && wallet.walletRef !== null
}

const looksAtMost = 4

/** Only what is there twice is a drift; a balance also needs that nothing moved in between. */
async function judgeLooks(deps: ProofDeps, wallet: WalletToProve & BankedWallet): Promise<Judged> {
  let before = await lookAtWallet(deps, wallet)
  if (before.findings.length === 0 && isEqual(before)) return judged(before, [], 'equal')
  for (let looks = 2; looks <= looksAtMost; looks += 1) {
    await wait(deps.patience.pauseMs)
    const now = await lookAtWallet(deps, wallet)
    const twice = now.findings.filter((one) => before.findings.some((other) => isSame(one, other)))
    if (isEqual(now)) return judged(now, twice, 'equal')
    if (isDifferent(before, now)) return judged(now, [...twice, balanceOf(wallet, now)], 'drift')
    if (looks === looksAtMost) return judged(now, twice, 'busy')
    before = now
  }
  throw new Error('the last look decides')
}

function judged({ settled }: Look, findings: readonly Finding[], balance: 'equal' | 'drift' | 'busy'): Judged {
  const outcome = balance === 'equal' && findings.length > 0 ? 'drift' : balance
  const kinds: readonly DriftKind[] = balance === 'busy' ? movementDrifts : [...movementDrifts, 'bank_balance']
  return { outcome, kinds, findings, settled }
}

function isEqual({ isSteady, expectedMicroUsdc, foundMicroUsdc }: Look): boolean {
  return isSteady && expectedMicroUsdc === foundMicroUsdc
}

function isDifferent(before: Look, now: Look): boolean {
  const areQuiet = before.isQuiet && now.isQuiet && before.state === now.state
  return areQuiet && before.expectedMicroUsdc === now.expectedMicroUsdc && now.expectedMicroUsdc !== now.foundMicroUsdc
}

function isSame(one: Finding, other: Finding): boolean {
  return one.kind === other.kind && one.subject === other.subject
}

function balanceOf({ id }: BankedWallet, { expectedMicroUsdc, foundMicroUsdc }: Look): Finding {
  const [expected, found] = [String(expectedMicroUsdc), String(foundMicroUsdc)]
  return { kind: 'bank_balance', walletId: id, subject: id, expected, found }
}
