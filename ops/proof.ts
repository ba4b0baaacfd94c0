// The proof by hand: runs it now, or shows what the last ones have found.
import { runProof } from '../activities/proof/run'
import { type Drift, listDrifts } from '../db/drifts'
import { listNotCompared, type NotCompared } from '../db/proof-overdue'
import { createLog } from '../log'
import { createRails } from '../rail/rails'
import type { Proved } from '../workflows/proof-steps'
import { type Answer, type Command, defineCommand, done, found } from './command'
import type { Ops } from './connect'
import { table } from './print'

const shownAtOnce = 200
const goneShown = 20
const timeouts = { connectMs: 2_000, callMs: 10_000 }

const runNow = defineCommand({
  noun: 'proof',
  verb: 'run',
  whenAlone: 'runs',
  about:
    'Compares our books with themselves and with the bank’s now, and shows every drift; exits with 1 when there is one that nobody has accepted, or when a wallet could not be proved.',
  options: {},
  example: [],
  async run(ops) {
    const proved = await prove(ops)
    const { json, sections, isOpen } = await whatIsKnown(ops)
    const text = [sentenceOf(proved, json.data.length, json.accepted.length), ...sections].join('\n')
    const told = { object: 'proof', ...proved, ...json }
    return !isOpen && proved.failed === 0 ? done(told, text) : found(told, text)
  },
})

const list = defineCommand({
  noun: 'proof',
  verb: 'list',
  about: `Shows the drifts that the last proof has found (at most ${shownAtOnce}, the longest known first), those that people have accepted, the last ${goneShown} that are gone, and wallets that were not compared. Exits with 1 when one is open.`,
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

async function prove({ db, clock, bank, proof }: Ops): Promise<Proved> {
  const rails = createRails({ bank, clock, timeouts })
  try {
    return await runProof({ db, clock, rails, patience: proof, log: createLog({ level: 'silent', name: 'ops' }) })
  } finally {
    rails.close()
  }
}

async function whatIsKnown({ db }: Ops) {
  const open = (await listDrifts(db, 'open', shownAtOnce)).map(presentDrift)
  const accepted = (await listDrifts(db, 'accepted', shownAtOnce)).map(presentAccepted)
  const notCompared = (await listNotCompared(db, shownAtOnce)).map(presentNotCompared)
  const sections = [
    ...section('Open', driftHeader, open),
    ...section('Accepted', acceptedHeader, accepted),
    ...section('Not compared', ['PARTNER', 'ENVIRONMENT', 'WHY', 'LAST LOOK', 'LAST COMPARED'], notCompared),
  ]
  return { json: { data: open, accepted, not_compared: notCompared }, sections, isOpen: open.length > 0 }
}

function sentenceOf({ wallets, busy, failed }: Proved, open: number, accepted: number): string {
  const parts = [`Proved ${wallets} wallets: ${open === 0 ? 'no drift' : `${open} drifts`}.`]
  if (accepted > 0) parts.push(`${accepted} more are accepted.`)
  if (busy > 0) parts.push(`In ${busy} no two looks agreed: their balance was not compared with the bank’s.`)
  if (failed > 0)
    parts.push(`${failed} could not be proved, because their bank did not answer or for what the worker’s log says.`)
  return parts.join(' ')
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
    expected: drift.expected,
    found: drift.found,
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
