// The proof by hand: runs it now, or shows what the last ones have found.
import type { ProofDepth } from '../../activities/controls/proof/prove-wallets'
import { runProof } from '../../activities/controls/proof/run'
import { type Drift, listDrifts } from '../../db/controls/proof/drifts'
import { listNotCompared, type NotCompared } from '../../db/controls/proof/overdue'
import { saidInUsdc } from '../../domain/controls/drift'
import { createRails } from '../../rail/rails'
import { createLog } from '../../runtime/log'
import type { Proved } from '../../workflows/controls/proof'
import { type Answer, type Command, defineCommand, done, found } from '../command'
import type { Ops } from '../connect'
import { flag, optional } from '../options'
import { table } from '../print'
import { driftSteps } from './drift-step'

const shownAtOnce = 200
const goneShown = 20
const timeouts = { connectMs: 2_000, callMs: 10_000 }

const runNow = defineCommand({
  noun: 'proof',
  verb: 'run',
  whenAlone: 'runs',
  about:
    'Compares our books with themselves and with the bank’s now, and shows every drift; exits with 1 when there is one that nobody has accepted, or when a wallet could not be proved.',
  options: {
    full: optional(flag, 'Verifies every row of our own books, not only what changed since the last verification.'),
  },
  example: ['--full'],
  async run(ops, { full }) {
    const { proved, errors } = await prove(ops, full === undefined ? 'changes' : 'full')
    const { json, sections, isOpen } = await whatIsKnown(ops)
    const text = [sentenceOf(proved, errors, json.data.length, json.accepted.length), ...sections].join('\n')
    const told = { object: 'proof', ...proved, errors, ...json }
    return !isOpen && proved.failed === 0 ? done(told, text) : found(told, text)
  },
})

const list = defineCommand({
  noun: 'proof',
  verb: 'list',
  about: `Shows the drifts that the last proof has found, with what to do about each kind (at most ${shownAtOnce}, the longest known first), those that people have accepted, the last ${goneShown} that are gone, and wallets that were not compared. Exits with 1 when one is open.`,
  options: {},
  example: [],
  async run(ops): Promise<Answer> {
    const { json, sections, isOpen } = await whatIsKnown(ops)
    const gone = (await listDrifts(ops.db, 'gone', goneShown)).map(presentGone)
    const told = { object: 'list', ...json, gone }
    const lines = isOpen ? sections : ['No drift is open.', ...sections]
    const text = [...lines, ...section('Gone', goneHeader, gone)].join('\n')
    return isOpen ? found(told, text) : done(told, text)
  },
})

export const proofCommands: readonly Command[] = [runNow, list]

/** With what else than a silent bank kept a wallet from being proved, which its log would tell. */
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
    return { proved: await runProof({ db, clock, rails, patience: proof, log }, depth), errors }
  } finally {
    rails.close()
  }
}

async function whatIsKnown({ db }: Ops) {
  const open = (await listDrifts(db, 'open', shownAtOnce)).map(presentDrift)
  const data = open.map((drift) => ({ ...drift, next_step: driftSteps[drift.kind] }))
  const accepted = (await listDrifts(db, 'accepted', shownAtOnce)).map(presentAccepted)
  const notCompared = (await listNotCompared(db, shownAtOnce)).map(presentNotCompared)
  const steps = [...new Set(open.map(({ kind }) => kind))].map((kind) => `${kind}: ${driftSteps[kind]}`)
  const sections = [
    ...section('Open', driftHeader, open),
    ...steps,
    ...section('Accepted', acceptedHeader, accepted),
    ...section('Not compared', ['PARTNER', 'ENVIRONMENT', 'WHY', 'LAST LOOK', 'LAST COMPARED'], notCompared),
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
  const parts = [failed === 0 ? `Proved ${all}: ${drifts}.` : `Proved ${wallets - failed} of ${all}; ${drifts} known.`]
  if (accepted > 0) parts.push(`${accepted} more ${accepted === 1 ? 'is' : 'are'} accepted.`)
  if (busy > 0) parts.push(`In ${busy} no two looks agreed: their balance was not compared with the bank’s.`)
  const silent = failed - errors.length
  if (silent > 0)
    parts.push(
      `The bank did not answer about ${counted(silent, 'wallet')}: what was open there stays open, and nothing was compared.`,
    )
  if (errors.length > 0)
    parts.push(
      `${counted(errors.length, 'wallet')} could not be proved because of an error: ${[...new Set(errors)].join('; ').replace(/\.$/, '')}.`,
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
    expected: saidInUsdc(drift.kind, drift.expected),
    found: saidInUsdc(drift.kind, drift.found),
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

function presentNotCompared({ partner, environment, outcome, lookedAt, comparedAt }: NotCompared) {
  const looks = { last_look_at: isoOf(lookedAt), last_compared_at: isoOf(comparedAt) }
  return { partner, environment, why: outcome, ...looks }
}

function isoOf(at: Date | null): string | null {
  return at?.toISOString() ?? null
}
