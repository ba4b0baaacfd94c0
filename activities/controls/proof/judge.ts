// What two looks at a wallet agree on: only what is there twice is a drift.
import { setTimeout as wait } from 'node:timers/promises'
import type { ProofMark, ProofOutcome, WalletToProve } from '../../../db/controls/proof/wallets'
import { type DriftKind, type Finding, movementDrifts } from '../../../domain/controls/drift'
import { type BankedWallet, type Look, lookAtWallet, type ProofDeps } from './look'

export interface Judged {
  readonly outcome: ProofOutcome
  /** The kinds that this decides: what is not found of them is gone. */
  readonly kinds: readonly DriftKind[]
  readonly findings: readonly Finding[]
  readonly settled: ProofMark | null
  readonly passed: readonly Finding[]
}

const looksAtMost = 4

export async function judgeLooks(
  deps: ProofDeps,
  wallet: WalletToProve & BankedWallet,
  unnamedMicroUsdc: bigint,
): Promise<Judged> {
  const { pauseMs, quietMs } = deps.patience
  let before = await lookAtWallet(deps, wallet, unnamedMicroUsdc)
  if (before.findings.length === 0 && differenceOf(before) === 0n && before.toldMicroUsdc === bankOf(before)) {
    return judged(before, [], 'equal')
  }
  for (let looks = 2; ; looks += 1) {
    await wait(pauseMs)
    const now = await lookAtWallet(deps, wallet, unnamedMicroUsdc)
    const twice = now.findings.filter((one) => before.findings.some((other) => isSame(one, other)))
    const balance = judgeBalance(wallet, before, now, quietMs)
    if (balance === 'equal') return judged(now, twice, 'equal')
    if (balance !== 'undecided') return judged(now, [...twice, balance], 'drift')
    if (looks === looksAtMost) return judged(now, twice, 'busy')
    before = now
  }
}

function judged({ settled, passed }: Look, findings: readonly Finding[], balance: 'equal' | 'drift' | 'busy'): Judged {
  const outcome = balance === 'equal' && findings.length > 0 ? 'drift' : balance
  const kinds: readonly DriftKind[] = balance === 'busy' ? movementDrifts : [...movementDrifts, 'bank_balance']
  return { outcome, kinds, findings, settled, passed }
}

/** First the bank's movements against our books, which payouts under way cannot disturb; then its balance against its own movements. */
function judgeBalance(wallet: BankedWallet, before: Look, now: Look, quietMs: number): 'equal' | 'undecided' | Finding {
  const difference = differenceOf(now)
  if (difference !== differenceOf(before)) return 'undecided'
  if (difference !== 0n) return balanceFinding(wallet, now.expectedMicroUsdc, bankOf(now))
  const [one, other] = [offsets(before, now, quietMs), offsets(now, now, quietMs)]
  if (one.has(0n) || other.has(0n)) return 'equal'
  const [offset] = [...one].filter((each) => other.has(each)).toSorted((a, b) => (size(a) < size(b) ? -1 : 1))
  return offset === undefined ? 'undecided' : balanceFinding(wallet, bankOf(now), bankOf(now) + offset)
}

/**
 * By how much the balance that a look was told is off what the bank's movements amounted to, at each moment that it may be of:
 * a balance may be behind its movements by a little, and under load it is of a moment between the look's history and the next one's.
 */
function offsets({ toldMicroUsdc, askedAt, history }: Look, latest: Look, quietMs: number): ReadonlySet<bigint> {
  const young = latest.history.findIndex(({ at }) => at !== null && at.getTime() >= askedAt.getTime() - quietMs)
  const first = Math.min(history.length, young === -1 ? latest.history.length : young)
  return new Set(latest.runningMicroUsdc.slice(first).map((sum) => toldMicroUsdc - sum))
}

function differenceOf(look: Look): bigint {
  return bankOf(look) - look.expectedMicroUsdc
}

/** What the bank's own movements amount to. */
function bankOf({ runningMicroUsdc }: Look): bigint {
  return runningMicroUsdc.at(-1) ?? 0n
}

function size(amount: bigint): bigint {
  return amount < 0n ? -amount : amount
}

function isSame(one: Finding, other: Finding): boolean {
  return one.kind === other.kind && one.subject === other.subject
}

function balanceFinding({ id }: BankedWallet, expected: bigint, found: bigint): Finding {
  const amounts = { expected: String(expected), found: String(found), size: String(found - expected) }
  return { kind: 'bank_balance', walletId: id, subject: id, ...amounts }
}
