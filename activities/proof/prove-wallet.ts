// Proves one wallet: our books against themselves, then against the bank's; what two looks agree on is written down.
import { passAccepted, recordLook } from '../../db/drifts'
import type { ProofOutcome } from '../../db/entities/drift'
import { findLedgerDrifts } from '../../db/proof-ledger'
import { markProved, type WalletToProve } from '../../db/proof-wallets'
import { ledgerDrifts } from '../../domain/drift'
import { RailRefused, RailUnavailable } from '../../rail/rail'
import type { BankedWallet, ProofDeps } from './deps'
import { type Judged, judgeLooks } from './judge'

export interface ProvedWallet {
  readonly outcome: ProofOutcome
  /** The bank is there, and had no usable answer about this wallet. */
  readonly isRefused: boolean
  readonly drifts: number
  readonly fresh: number
}

export async function proveWallet(deps: ProofDeps, wallet: WalletToProve): Promise<ProvedWallet> {
  const { db, clock, log } = deps
  const { findings: ofLedger, unnamedMicroUsdc } = await db.transaction((tx) => findLedgerDrifts(tx, wallet.id))
  const ofBank = await judgeBank(deps, wallet, unnamedMicroUsdc)
  const walletId = wallet.id
  const { outcome, isRefused } = ofBank
  const at = clock.now()
  const { fresh, open } = await db.transaction(async (tx) => {
    const kinds = [...ledgerDrifts, ...ofBank.kinds]
    const recorded = await recordLook(tx, { walletId, kinds, findings: [...ofLedger, ...ofBank.findings], at })
    const isPassed = await passAccepted(tx, ofBank.passed, at)
    await markProved(tx, { walletId, outcome, mark: isPassed ? ofBank.settled : null, at })
    return recorded
  })
  for (const { kind, subject, expected, found } of open) {
    const facts = { wallet_id: walletId, kind, subject, expected, found }
    log.error(facts, 'our books drift: somebody has to look (ops proof)')
  }
  return { outcome, isRefused, drifts: open.length, fresh }
}

async function judgeBank(
  deps: ProofDeps,
  wallet: WalletToProve,
  unnamedMicroUsdc: bigint,
): Promise<Judged & Pick<ProvedWallet, 'isRefused'>> {
  const nothing = { kinds: [], findings: [], settled: null, passed: [], isRefused: false }
  if (!isBanked(wallet)) return { ...nothing, outcome: 'no_bank' }
  try {
    return { ...(await judgeLooks(deps, wallet, unnamedMicroUsdc)), isRefused: false }
  } catch (error) {
    if (!(error instanceof RailUnavailable)) throw error
    deps.log.warn({ err: error, wallet_id: wallet.id }, 'a wallet could not be proved: its bank does not answer')
    return { ...nothing, outcome: 'no_answer', isRefused: error instanceof RailRefused }
  }
}

function isBanked(wallet: WalletToProve): wallet is WalletToProve & BankedWallet {
  return wallet.rail !== 'simulated' && wallet.customerRef !== null && wallet.walletRef !== null
}
