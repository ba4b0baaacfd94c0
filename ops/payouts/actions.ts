// Actions on one payout: wake it, record its outcome at the bank, bind a transfer, or erase its bank details. None of
// them sends money.

import { railStates } from '../../db/bank/rail-pauses'
import { shredRecipient } from '../../db/controls/retention'
import { recordPayoutEvent } from '../../db/payouts/events'
import { findOpenPayout, type OpenPayout } from '../../db/payouts/open'
import { findPayoutStory } from '../../db/payouts/story'
import { createRails } from '../../rail/rails'
import { createLog } from '../../runtime/log'
import { type Command, defineCommand, done, refused, unknownPayout } from '../command'
import { type Ops, recordChange } from '../connect'
import { exampleId, note, oneOf, onePayout, optional, reference, required, thePayout } from '../options'
import { withTemporal } from '../reach-temporal'
import { bindTransfer } from './by-hand/bind'
import { type ByHandDeps, resolveByHand } from './by-hand/resolve'

const timeouts = { connectMs: 2_000, callMs: 10_000 }

const retry = defineCommand('payout retry', {
  about: 'Wakes a payout now instead of at its next poll, and starts its workflow if that is missing.',
  ...onePayout,
  async run(ops, { payout: payoutId }) {
    const open = await findOpenPayout(ops.db, payoutId)
    if (open === null) return overOrUnknown(ops, payoutId)
    const how = await wake(ops, open, (detail) => recordRetry(ops, open, detail))
    const woken = how === 'woken' ? 'Its workflow was woken.' : 'It had no running workflow; a new one was started.'
    const rail = await pauseOf(ops, open)
    const json = { id: payoutId, workflow: how, rail: rail === null ? 'open' : 'paused' }
    return done(json, rail === null ? woken : `${woken} ${rail}`)
  },
})

const resolve = defineCommand('payout resolve', {
  about:
    'Records the outcome of a payout that may have been sent. Checks with the bank first, and pays nothing. With --outcome sent, the payout follows the transfer; with not-sent, its money returns to the wallet.',
  options: {
    payout: thePayout,
    outcome: required(oneOf(['sent', 'not-sent']), 'The outcome.'),
    transfer: optional(reference, "The bank's ID for the transfer; required with --outcome sent."),
    evidence: required(note, 'Your evidence, without names or account numbers; it stays in the timeline.'),
  },
  example: ['--payout', exampleId, '--outcome', 'not-sent', '--evidence', 'Bank case 4711: no such transfer'],
  async run(ops, { payout: payoutId, outcome, transfer, evidence }) {
    if ((outcome === 'sent') !== (transfer !== undefined)) {
      return refused('invalid_request', '--outcome sent needs --transfer, and not-sent does not take it.')
    }
    const story = await findPayoutStory(ops.db, payoutId)
    if (story === null) return unknownPayout(payoutId)
    const open = await findOpenPayout(ops.db, payoutId)
    const word = { payoutId, transferRef: transfer ?? null, evidence, by: ops.madeBy }
    const resolved = await withRails(ops, (deps) => resolveByHand(deps, word))
    if (resolved.outcome === 'refused') return refused('invalid_state', resolved.why)
    // The outcome is stored in the row. If the workflow cannot be reached now, it finds the outcome at its next poll.
    if (open !== null) await wake(ops, open).catch(() => {})
    const { status } = resolved
    const money = outcome === 'sent' ? 'it continues automatically' : 'its money is back in the wallet'
    return done({ id: payoutId, outcome, status }, `The payout is ${status}; ${money}.`)
  },
})

const bind = defineCommand('payout bind', {
  about:
    'Binds a transfer that the bank did send to the payout whose key was released. Checks at the bank that the transfer names this payout, debits the wallet again, and lets the payout settle as usual. Sends nothing.',
  options: {
    payout: thePayout,
    transfer: required(reference, "The bank's ID for the transfer."),
    evidence: required(note, 'Your evidence, without names or account numbers; it stays in the timeline.'),
  },
  example: ['--payout', exampleId, '--transfer', 'tr_8f14e45f', '--evidence', 'Bank case 4711: the payee was paid'],
  async run(ops, { payout: payoutId, transfer: transferRef, evidence }) {
    if ((await findPayoutStory(ops.db, payoutId)) === null) {
      return unknownPayout(payoutId)
    }
    const word = { payoutId, transferRef, evidence, by: ops.madeBy }
    const bound = await withRails(ops, (deps) => bindTransfer(deps, word))
    if (bound.outcome === 'refused') return refused('invalid_state', bound.why)
    const open = await findOpenPayout(ops.db, payoutId)
    // If Temporal cannot be reached now, the next sweep starts the workflow.
    if (open !== null) await wake(ops, open).catch(() => {})
    const { status } = bound
    return done(
      { id: payoutId, transfer: transferRef, status },
      `The payout is ${status} and follows the transfer ${transferRef}; from now on its Idempotency-Key replays it.`,
    )
  },
})

const shred = defineCommand('payout shred', {
  about:
    'Permanently erases the sealed bank details and notes of a final payout. Its Idempotency-Key still replays the response.',
  ...onePayout,
  async run(ops, { payout }) {
    const { db, clock, madeBy } = ops
    const keyring = ops.keyring()
    const shredded = await db.transaction(async (tx) => {
      const row = await shredRecipient(tx, keyring, payout)
      const at = clock.now()
      if (row === null) return null
      const { partnerId, environment } = row
      await recordPayoutEvent(tx, { payoutId: payout, at, kind: 'shredded', madeBy, detail: null })
      await recordChange(ops, tx, { partnerId, environment, at, action: 'payout.shred', detail: payout })
      return row
    })
    if (shredded !== null)
      return done({ id: payout, shredded: true }, `The bank details and notes of ${payout} are erased.`)
    const story = await findPayoutStory(db, payout)
    if (story === null) return unknownPayout(payout)
    const { status, closedAt } = story.payout
    if (closedAt === null && story.payout.releasedAt === null) {
      return refused('invalid_state', `The payout ${payout} is not final: it may still need its bank details.`, {
        status,
      })
    }
    return done({ id: payout, shredded: false }, `The bank details and notes of ${payout} are already erased.`)
  },
})

export const commands: readonly Command[] = [retry, resolve, bind, shred]

/** Explains why a woken payout does not continue. Null if the rail is not paused. */
async function pauseOf({ db }: Ops, { environment }: OpenPayout): Promise<string | null> {
  const rail = (await railStates(db)).find((each) => each.environment === environment)
  if (!rail?.pausedAt) return null
  const paused = `The ${environment} rail is paused, since ${rail.pausedAt.toISOString()} by ${rail.pausedBy ?? 'an unknown operator'}`
  return `${paused}: until \`rail resume\`, an unsent payout waits, and a sent one is only looked up.`
}

async function overOrUnknown({ db }: Ops, payoutId: string) {
  const story = await findPayoutStory(db, payoutId)
  if (story === null) return unknownPayout(payoutId)
  return refused('invalid_state', `The payout ${payoutId} is final: there is nothing left to do.`)
}

async function recordRetry(ops: Ops, open: OpenPayout, detail: 'started' | 'woken'): Promise<void> {
  const { payoutId, partnerId, environment } = open
  const at = ops.clock.now()
  await ops.db.transaction(async (tx) => {
    await recordPayoutEvent(tx, { payoutId, at, kind: 'retried', madeBy: ops.madeBy, detail })
    await recordChange(ops, tx, { partnerId, environment, at, action: 'payout.retry', detail: payoutId })
  })
}

function wake(
  ops: Ops,
  open: OpenPayout,
  record?: (how: 'started' | 'woken') => Promise<void>,
): Promise<'started' | 'woken'> {
  const settings = { queuePrefix: ops.taskQueuePrefix, pollMs: ops.payouts.pollMs }
  return withTemporal(ops, (temporal, { wakePayout }) => wakePayout({ temporal, ...settings }, open, record))
}

async function withRails<T>({ bank, db, clock, payouts }: Ops, work: (deps: ByHandDeps) => Promise<T>): Promise<T> {
  const rails = createRails({ bank, clock, timeouts })
  // No log is needed, because the command's output reports everything.
  const log = createLog({ level: 'silent', name: 'ops' })
  try {
    return await work({ db, clock, rails, log, limits: payouts })
  } finally {
    rails.close()
  }
}
