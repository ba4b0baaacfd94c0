// Compares consecutive snapshots of a wallet, at most four. A difference is a drift only if two in a row show it.
import { setTimeout as wait } from 'node:timers/promises'
import type { ProofMark, ProofOutcome, WalletToProve } from '../../../db/controls/proof/wallets'
import { type DriftKind, type Finding, movementDrifts } from '../../../domain/controls/drift'
import { type ProofDeps, type Snapshot, takeSnapshot, type WalletWithBankRefs } from './snapshot'

export interface Judged {
  readonly outcome: ProofOutcome
  /** The kinds of drift that this check can find. An open drift of these kinds that is not found again is closed. */
  readonly kinds: readonly DriftKind[]
  readonly findings: readonly Finding[]
  readonly settled: ProofMark | null
  readonly passed: readonly Finding[]
}

const snapshotsAtMost = 4

export async function judgeSnapshots(
  deps: ProofDeps,
  wallet: WalletToProve & WalletWithBankRefs,
  unnamedMicroUsdc: bigint,
): Promise<Judged> {
  const { pauseMs, balanceLagMs } = deps.limits
  let before = await takeSnapshot(deps, wallet, unnamedMicroUsdc)
  if (before.findings.length === 0 && differenceOf(before) === 0n && before.bankMicroUsdc === bankOf(before)) {
    return judged(before, [], 'equal')
  }
  for (let taken = 2; ; taken += 1) {
    await wait(pauseMs)
    const now = await takeSnapshot(deps, wallet, unnamedMicroUsdc)
    const twice = now.findings.filter((one) => before.findings.some((other) => isSame(one, other)))
    const balance = judgeBalance(wallet, before, now, balanceLagMs)
    if (balance === 'equal') return judged(now, twice, 'equal')
    if (balance !== 'undecided') return judged(now, [...twice, balance], 'drift')
    if (taken === snapshotsAtMost) return judged(now, twice, 'busy')
    before = now
  }
}

function judged(
  { settled, passed }: Snapshot,
  findings: readonly Finding[],
  balance: 'equal' | 'drift' | 'busy',
): Judged {
  const outcome = balance === 'equal' && findings.length > 0 ? 'drift' : balance
  const kinds: readonly DriftKind[] = balance === 'busy' ? movementDrifts : [...movementDrifts, 'bank_balance']
  return { outcome, kinds, findings, settled, passed }
}

/**
 * Compares the bank's movements with our books, which is safe while payouts are in progress. Then compares the bank's
 * balance with the sum of its movements.
 */
function judgeBalance(
  wallet: WalletWithBankRefs,
  before: Snapshot,
  now: Snapshot,
  balanceLagMs: number,
): 'equal' | 'undecided' | Finding {
  const difference = differenceOf(now)
  if (difference !== differenceOf(before)) return 'undecided'
  if (difference !== 0n) return balanceFinding(wallet, now.expectedMicroUsdc, bankOf(now))
  const [one, other] = [offsets(before, now, balanceLagMs), offsets(now, now, balanceLagMs)]
  if (one.has(0n) || other.has(0n)) return 'equal'
  const [offset] = [...one].filter((each) => other.has(each)).toSorted((a, b) => (size(a) < size(b) ? -1 : 1))
  return offset === undefined ? 'undecided' : balanceFinding(wallet, bankOf(now), bankOf(now) + offset)
}

/**
 * The differences between the bank's balance and the sum of its movements, for each moment that the balance may
 * reflect. A balance may lag behind the movements, and under load it may reflect a moment between the histories of two
 * snapshots.
 */
function offsets(
  { bankMicroUsdc, askedAt, history }: Snapshot,
  latest: Snapshot,
  balanceLagMs: number,
): ReadonlySet<bigint> {
  const young = latest.history.findIndex(({ at }) => at !== null && at.getTime() >= askedAt.getTime() - balanceLagMs)
  const first = Math.min(history.length, young === -1 ? latest.history.length : young)
  return new Set(latest.runningMicroUsdc.slice(first).map((sum) => bankMicroUsdc - sum))
}

function differenceOf(snapshot: Snapshot): bigint {
  return bankOf(snapshot) - snapshot.expectedMicroUsdc
}

/** The sum of all movements that the bank reported. */
function bankOf({ runningMicroUsdc }: Snapshot): bigint {
  return runningMicroUsdc.at(-1) ?? 0n
}

function size(amount: bigint): bigint {
  return amount < 0n ? -amount : amount
}

function isSame(one: Finding, other: Finding): boolean {
  return one.kind === other.kind && one.subject === other.subject
}

function balanceFinding({ id }: WalletWithBankRefs, expected: bigint, found: bigint): Finding {
  const amounts = { expected: String(expected), found: String(found), size: String(found - expected) }
  return { kind: 'bank_balance', walletId: id, subject: id, ...amounts }
}
