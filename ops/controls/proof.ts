// Runs a proof now, or shows the drifts that earlier proofs found.
import type { ProofDepth } from '../../activities/controls/proof/prove-wallets'
import { runProof } from '../../activities/controls/proof/run'
import { type Drift, listDrifts } from '../../db/controls/proof/drifts'
import { listUncomparedWallets, type UncomparedWallet } from '../../db/controls/proof/overdue'
import { type DriftKind, formatDriftText } from '../../domain/controls/drift'
import { createRails } from '../../rail/rails'
import { createLog } from '../../runtime/log'
import type { Proved } from '../../workflows/controls/proof'
import { type Answer, type Command, defineCommand, done, foundProblem } from '../command'
import type { Ops } from '../connect'
import { flag, optional } from '../options'
import { shownAtOnce, table } from '../print'

const goneShown = 20
const timeouts = { connectMs: 2_000, callMs: 10_000 }

const runNow = defineCommand('proof run', {
  whenAlone: 'runs',
  about:
    'Checks our books, compares them with the bank’s, and shows every drift; exits with 1 if a drift is not accepted or a wallet could not be reconciled.',
  options: {
    full: optional(flag, 'Verifies every row of our own books, not only the changes since the last verification.'),
  },
  example: ['--full'],
  async run(ops, { full }) {
    const { proved, errors } = await prove(ops, full === undefined ? 'changes' : 'full')
    const { json, sections, isOpen } = await currentDrifts(ops)
    const text = [sentenceOf(proved, errors, json.data.length, json.accepted.length), ...sections].join('\n')
    const told = { object: 'proof', ...proved, errors, ...json }
    return !isOpen && proved.failed === 0 ? done(told, text) : foundProblem(told, text)
  },
})

const list = defineCommand('proof list', {
  about: `Shows open drifts with the next step for each kind (at most ${shownAtOnce}, oldest first), accepted ones, the last ${goneShown} that were resolved, and wallets that were not compared. Exits with 1 when a drift is open.`,
  async run(ops): Promise<Answer> {
    const { json, sections, isOpen } = await currentDrifts(ops)
    const gone = (await listDrifts(ops.db, 'gone', goneShown)).map(presentGone)
    const told = { object: 'list', ...json, gone }
    const lines = isOpen ? sections : ['No drift is open.', ...sections]
    const text = [...lines, ...section('Gone', goneHeader, gone)].join('\n')
    return isOpen ? foundProblem(told, text) : done(told, text)
  },
})

export const commands: readonly Command[] = [runNow, list]

/** Also returns the errors that a worker would log, except for a bank that does not answer. */
async function prove(
  { db, clock, bank, proof }: Ops,
  depth: ProofDepth,
): Promise<{ proved: Proved; errors: readonly string[] }> {
  const rails = createRails({ bank, clock, timeouts })
  const errors: string[] = []
  const destination = {
    write(line: string) {
      const { err } = JSON.parse(line)
      if (typeof err?.message === 'string') errors.push(err.message)
    },
  }
  try {
    const log = createLog({ level: 'error', name: 'ops' }, destination)
    return { proved: await runProof({ db, clock, rails, limits: proof, log }, depth), errors }
  } finally {
    rails.close()
  }
}

async function currentDrifts({ db }: Ops) {
  const open = (await listDrifts(db, 'open', shownAtOnce)).map(presentDrift)
  const data = open.map((drift) => ({ ...drift, next_step: driftSteps[drift.kind] }))
  const accepted = (await listDrifts(db, 'accepted', shownAtOnce)).map(presentAccepted)
  const notCompared = (await listUncomparedWallets(db, shownAtOnce)).map(presentNotCompared)
  const steps = [...new Set(open.map(({ kind }) => kind))].map((kind) => `${kind}: ${driftSteps[kind]}`)
  const sections = [
    ...section('Open', driftHeader, open),
    ...steps,
    ...section('Accepted', acceptedHeader, accepted),
    ...section('Not compared', ['PARTNER', 'ENVIRONMENT', 'WHY', 'LAST READ', 'LAST COMPARED'], notCompared),
  ]
  return { json: { data, accepted, not_compared: notCompared }, sections, isOpen: open.length > 0 }
}

function sentenceOf(
  { wallets, busy, failed }: Proved,
  errors: readonly string[],
  open: number,
  accepted: number,
): string {
  const all = counted(wallets, 'wallet')
  const drifts = open === 0 ? 'no drift' : counted(open, 'drift')
  const parts = [
    failed === 0 ? `Reconciled ${all}: ${drifts}.` : `Reconciled ${wallets - failed} of ${all}; ${drifts} known.`,
  ]
  if (accepted > 0) parts.push(`${accepted} more ${accepted === 1 ? 'is' : 'are'} accepted.`)
  if (busy > 0)
    parts.push(`For ${counted(busy, 'wallet')} no two reads agreed: the balance was not compared with the bank’s.`)
  const silent = failed - errors.length
  if (silent > 0)
    parts.push(
      `The bank did not answer for ${counted(silent, 'wallet')}: nothing was compared, and open drifts stay open.`,
    )
  if (errors.length > 0)
    parts.push(
      `${counted(errors.length, 'wallet')} could not be reconciled because of an error: ${[...new Set(errors)].join('; ').replace(/\.$/, '')}.`,
    )
  return parts.join(' ')
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function section(title: string, header: readonly string[], rows: readonly Readonly<Record<string, string | null>>[]) {
  if (rows.length === 0) return []
  const lines = rows.map((row) => Object.values(row))
  return [`${title}:`, table(header, lines)]
}

const driftHeader = ['ID', 'KIND', 'PARTNER', 'ENVIRONMENT', 'SUBJECT', 'EXPECTED', 'FOUND', 'SINCE', 'LAST SEEN']
const acceptedHeader = [...driftHeader, 'ACCEPTED', 'BY', 'REASON']
const goneHeader = [...driftHeader, 'GONE']

// The order of the fields is the order of the list's columns.
function presentDrift(drift: Drift) {
  return {
    id: drift.id,
    kind: drift.kind,
    partner: drift.partner,
    environment: drift.environment,
    subject: drift.subject,
    expected: formatDriftText(drift.kind, drift.expected),
    found: formatDriftText(drift.kind, drift.found),
    first_seen_at: drift.firstSeenAt.toISOString(),
    last_seen_at: drift.lastSeenAt.toISOString(),
  }
}

function presentAccepted(drift: Drift) {
  const { acceptedAt, acceptedBy, reason } = drift
  return { ...presentDrift(drift), accepted_at: isoOf(acceptedAt), accepted_by: acceptedBy, reason }
}

function presentGone(drift: Drift) {
  return { ...presentDrift(drift), gone_at: isoOf(drift.resolvedAt) }
}

function presentNotCompared({ partner, environment, outcome, lookedAt, comparedAt }: UncomparedWallet) {
  const looks = { last_look_at: isoOf(lookedAt), last_compared_at: isoOf(comparedAt) }
  return { partner, environment, why: outcome, ...looks }
}

function isoOf(at: Date | null): string | null {
  return at?.toISOString() ?? null
}

/** Next step for each kind of drift; docs/operations/books.md has the same table. */
export const driftSteps: Readonly<Record<DriftKind, string>> = {
  wallet_balance:
    'The balance of a wallet is not the sum of its entries, so a row was changed by hand. Pause the rail of its environment, and ask an engineer to find the row with `audit verify`.',
  suspense_balance:
    'The suspense balance is not the sum of the deposits in `deposit list`. Compare the two, deposit by deposit, and ask an engineer to correct the difference.',
  set_sum:
    'A ledger set does not sum to zero, or has entries of another wallet. Pause the rail of its environment, and ask an engineer to find the changed rows with `audit verify`.',
  payout_ledger:
    'The ledger entries of a payout do not match its status. Compare `payout explain` with the transfer at the bank, and ask an engineer to correct the books to match the bank.',
  payout_row:
    'A payout’s row does not match its wallet, its quote or its timeline, so it was changed by hand. See `payout show`, and ask an engineer to find the change with `audit verify`.',
  payout_charge:
    'The charges or credits of a live payout do not match its row. Compare `payout show` with its charges, and ask an engineer to find the changed row with `audit verify`. Correct the next invoice with `invoices credit`.',
  payout_totals:
    "The totals behind usage and recipients do not match the payouts of a month, so a row was changed by hand. Ask an engineer to find the change with `audit verify`. Then run SELECT rebuild_payout_totals('<partner id>') in psql, which counts again. No money is affected.",
  entry_without_movement:
    'Money was credited without a movement at the bank. Find out who booked it and why. If finance knows the reason, accept the drift. Otherwise ask an engineer to reverse the booking.',
  transfer_without_payout:
    'The bank has sent money that belongs to none of our payouts. It may have paid one of them twice. Pause the rail of its environment, and ask the bank who ordered the transfer. Have it recalled, or accept the drift once it is explained.',
  transfer_amount:
    'The bank has sent a different amount than the payout states. Compare the bank’s receipt with `payout show`, and settle the difference with the bank. Then accept the drift.',
  payout_without_transfer:
    'A payout counts as sent, but the bank has no transfer for it. Ask the bank for the transfer that `payout show` names. Do not pay again before the bank answers.',
  deposit_not_booked:
    'Money arrived at the bank and is neither booked nor held. Check that workers run and read this wallet. If the drift remains after the next read, ask an engineer to check the worker’s log.',
  deposit_amount:
    'A deposit is booked with a different amount than the bank’s. Compare the bank’s movement with the booking, and ask an engineer to book the difference.',
  booking_without_movement:
    'The number of bookings for earlier bank movements has changed, so one was added or removed. Ask an engineer to find it with `audit verify`.',
  bank_balance:
    'The bank’s balance differs by an amount that no single movement explains. Compare the bank’s statement with the wallet’s entries, from the last day on which both agreed. Ask the bank about the difference.',
  silent_payout:
    'A payout has not changed for too long. `payout explain` shows what it is waiting for. Ask the bank about its transfer. The drift ends when the payout changes.',
  not_compared:
    'This wallet has not been compared with the bank for too long. `proof list` shows the reason. For no_answer, ask the bank for this wallet’s history. For busy, too_long or failed, ask an engineer to check the worker’s log.',
}
