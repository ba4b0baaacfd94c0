// The proof by hand: runs it now, or shows what the last ones have found.
import { runProof } from '../activities/proof/run'
import { type Drift, listDrifts } from '../db/drifts'
import { createLog } from '../log'
import { createRails } from '../rail/rails'
import type { Proved } from '../workflows/proof-steps'
import { type Answer, type Command, defineCommand, done, found } from './command'
import type { Ops } from './connect'
import { table } from './print'

const shownAtOnce = 200
const timeouts = { connectMs: 2_000, callMs: 10_000 }

const runNow = defineCommand({
  noun: 'proof',
  verb: 'run',
  whenAlone: 'runs',
  about:
    'Compares our books with themselves and with the bank’s now, and shows every drift; exits with 1 when there is one, or when a wallet could not be proved.',
  options: {},
  example: [],
  async run(ops) {
    const proved = await prove(ops)
    const drifts = (await listDrifts(ops.db, 'open', shownAtOnce)).map(presentDrift)
    const json = { object: 'proof', ...proved, data: drifts }
    const text = [sentenceOf(proved, drifts.length), ...shown(drifts)].join('\n')
    return drifts.length === 0 && proved.failed === 0 ? done(json, text) : found(json, text)
  },
})

const list = defineCommand({
  noun: 'proof',
  verb: 'list',
  about: `Shows the drifts that the last proof has found; at most ${shownAtOnce}, the longest known first. Exits with 1 when there is one.`,
  options: {},
  example: [],
  async run({ db }): Promise<Answer> {
    const drifts = (await listDrifts(db, 'open', shownAtOnce)).map(presentDrift)
    const json = { object: 'list', data: drifts }
    return drifts.length === 0 ? done(json, 'No drift is known.') : found(json, shown(drifts).join('\n'))
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

function sentenceOf({ wallets, busy, failed }: Proved, drifts: number): string {
  const parts = [`Proved ${wallets} wallets: ${drifts === 0 ? 'no drift' : `${drifts} drifts`}.`]
  if (busy > 0) parts.push(`In ${busy} money moved all the while: their balance was not compared with the bank’s.`)
  if (failed > 0)
    parts.push(`${failed} could not be proved, because their bank did not answer or for what the worker’s log says.`)
  return parts.join(' ')
}

function shown(drifts: readonly ReturnType<typeof presentDrift>[]): string[] {
  if (drifts.length === 0) return []
  const header = ['KIND', 'PARTNER', 'ENVIRONMENT', 'SUBJECT', 'EXPECTED', 'FOUND', 'SINCE', 'LAST SEEN']
  return [
    table(
      header,
      drifts.map((drift) => Object.values(drift)),
    ),
  ]
}

// The order of the fields is the order of the list's columns.
function presentDrift(drift: Drift) {
  return {
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
