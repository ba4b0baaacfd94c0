// What ops does to one payout: wakes it now, or says with evidence what became of it at the bank. Neither ever pays.
import { bindTransfer } from '../../activities/payouts/by-hand/bind'
import { type HandDeps, resolveByHand } from '../../activities/payouts/by-hand/resolve'
import { railStates } from '../../db/bank/rail-pauses'
import { tellPayout } from '../../db/payouts/events'
import { findOpenPayout, type OpenPayout } from '../../db/payouts/open'
import { findPayoutStory } from '../../db/payouts/story'
import { createRails } from '../../rail/rails'
import { createLog } from '../../runtime/log'
import { type Command, defineCommand, done, refused } from '../command'
import type { Ops } from '../connect'
import { recordChange } from '../controls/record-change'
import { note, oneOf, optional, reference, required, uuid } from '../options'
import { withTemporal } from '../reach-temporal'

const exampleId = '019aa3d0-7e1c-7c4b-9f0e-3a52d1c8e6b4'
const timeouts = { connectMs: 2_000, callMs: 10_000 }

const retry = defineCommand({
  noun: 'payout',
  verb: 'retry',
  about: 'Wakes a payout now instead of at its next look by itself, and starts its workflow where that is missing.',
  options: { payout: required(uuid, 'Which payout.') },
  example: ['--payout', exampleId],
  async run(ops, { payout: payoutId }) {
    const open = await findOpenPayout(ops.db, payoutId)
    if (open === null) return overOrUnknown(ops, payoutId)
    const how = await wake(ops, open)
    const at = ops.clock.now()
    await ops.db.transaction(async (tx) => {
      const { partnerId, environment } = open
      await tellPayout(tx, { payoutId, at, kind: 'retried', madeBy: ops.madeBy, detail: how })
      await recordChange(ops, tx, { partnerId, environment, at, action: 'payout.retry', detail: payoutId })
    })
    const woken = how === 'woken' ? 'Its workflow is awake.' : 'It had no workflow that gets on, and has one now.'
    const rail = await pauseOf(ops, open)
    const json = { id: payoutId, workflow: how, rail: rail === null ? 'open' : 'paused' }
    return done(json, rail === null ? woken : `${woken} ${rail}`)
  },
})

const resolve = defineCommand({
  noun: 'payout',
  verb: 'resolve',
  about:
    'Says what became of a payout of which nobody knows whether it was sent. The bank is asked first, and nothing is paid: sent follows the transfer, not-sent gives the money back to the wallet.',
  options: {
    payout: required(uuid, 'Which payout.'),
    outcome: required(oneOf(['sent', 'not-sent']), 'What became of it.'),
    transfer: optional(reference, "The bank's id of its transfer; needed for sent."),
    evidence: required(note, 'What you go by, without names and account numbers; it stays in the timeline.'),
  },
  example: ['--payout', exampleId, '--outcome', 'not-sent', '--evidence', 'The bank wrote in case 4711: none'],
  async run(ops, { payout: payoutId, outcome, transfer, evidence }) {
    if ((outcome === 'sent') !== (transfer !== undefined)) {
      return refused('invalid_request', 'Say --transfer with --outcome sent, and only with that.')
    }
    const story = await findPayoutStory(ops.db, payoutId)
    if (story === null) return refused('not_found', `There is no payout ${payoutId}.`)
    const open = await findOpenPayout(ops.db, payoutId)
    const word = { payoutId, transferRef: transfer ?? null, evidence, by: ops.madeBy }
    const resolved = await withRails(ops, (deps) => resolveByHand(deps, word))
    if (resolved.outcome === 'refused') return refused('invalid_state', resolved.why)
    // The row has it: a workflow that cannot be reached now finds it at its next look.
    if (open !== null) await wake(ops, open).catch(() => {})
    const { status } = resolved
    const money = outcome === 'sent' ? 'it goes on by itself' : 'its money is back in the wallet'
    return done({ id: payoutId, outcome, status }, `The payout is ${status}; ${money}.`)
  },
})

const bind = defineCommand({
  noun: 'payout',
  verb: 'bind',
  about:
    'Binds a transfer that the bank did send to the payout whose key was released. Checks at the bank that the transfer names this payout, debits the wallet again, and lets the payout settle as usual. Sends nothing.',
  options: {
    payout: required(uuid, 'Which payout.'),
    transfer: required(reference, "The bank's id of the transfer."),
    evidence: required(note, 'How you know it, without names and account numbers; it stays in the timeline.'),
  },
  example: ['--payout', exampleId, '--transfer', 'tr_8f14e45f', '--evidence', 'Bank case 4711: the payee was paid'],
  async run(ops, { payout: payoutId, transfer: transferRef, evidence }) {
    if ((await findPayoutStory(ops.db, payoutId)) === null) {
      return refused('not_found', `There is no payout ${payoutId}.`)
    }
    const word = { payoutId, transferRef, evidence, by: ops.madeBy }
    const bound = await withRails(ops, (deps) => bindTransfer(deps, word))
    if (bound.outcome === 'refused') return refused('invalid_state', bound.why)
    const open = await findOpenPayout(ops.db, payoutId)
    // The next sweep starts the workflow where Temporal cannot be reached now.
    if (open !== null) await wake(ops, open).catch(() => {})
    const { status } = bound
    return done(
      { id: payoutId, transfer: transferRef, status },
      `The payout is ${status} and follows the transfer ${transferRef}; its key replays it from now on.`,
    )
  },
})

export const payoutActionCommands: readonly Command[] = [retry, resolve, bind]

/** Why a payout that is awake gets no further; null where the rail is open. */
async function pauseOf({ db }: Ops, { environment }: OpenPayout): Promise<string | null> {
  const rail = (await railStates(db)).find((each) => each.environment === environment)
  if (!rail?.pausedAt) return null
  const paused = `The rail of ${environment} is paused, since ${rail.pausedAt.toISOString()} by ${rail.pausedBy ?? 'somebody'}`
  return `${paused}: until rail resume it waits if it was not sent, and is only asked about if it was.`
}

async function overOrUnknown({ db }: Ops, payoutId: string) {
  const story = await findPayoutStory(db, payoutId)
  if (story === null) return refused('not_found', `There is no payout ${payoutId}.`)
  return refused('invalid_state', `The payout ${payoutId} is over: nothing is left to do for it.`)
}

function wake(ops: Ops, open: OpenPayout): Promise<'started' | 'woken'> {
  const settings = { queuePrefix: ops.taskQueuePrefix, pollMs: ops.payouts.pollMs }
  return withTemporal(ops, (temporal, { wakePayout }) => wakePayout({ temporal, ...settings }, open))
}

async function withRails<T>({ bank, db, clock, payouts }: Ops, work: (deps: HandDeps) => Promise<T>): Promise<T> {
  const rails = createRails({ bank, clock, timeouts })
  // What would be logged is answered instead: this process's output is the answer.
  const log = createLog({ level: 'silent', name: 'ops' })
  try {
    return await work({ db, clock, rails, log, patience: payouts })
  } finally {
    rails.close()
  }
}
