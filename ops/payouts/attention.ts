// Payouts of all partners: lists those that need attention, shows one, and clears its attention.

import { attendPayout, listAttention, type WaitingPayout } from '../../db/payouts/attention'
import type { FailedCall } from '../../db/payouts/events'
import {
  findPayoutStory,
  type PayoutStory,
  type StoryEntry,
  type StoryEvent,
  type StoryPayout,
} from '../../db/payouts/story'
import { formatPence, formatUsdc } from '../../domain/money'
import { payoutWorkflowId } from '../../workflows/names'
import { type Command, defineCommand, done, refused, unknownPayout } from '../command'
import { recordChange } from '../connect'
import { chargeTable, presentPartnerCharge } from '../invoices/charges'
import { exampleId, note, oneOf, optional, required, thePayout } from '../options'
import { fields, shownAtOnce, table } from '../print'
import { namedPayout, withNamedPayout } from './find'
import { nextStepFor } from './next-step'

const attention = defineCommand('payout attention', {
  about: `Shows the payouts that need an operator, with the next step for each; at most ${shownAtOnce}, longest waiting first.`,
  async run({ db }) {
    const waiting = (await listAttention(db, shownAtOnce)).map(presentWaiting)
    if (waiting.length === 0) return done({ object: 'list', data: [] }, 'No payout needs an operator.')
    const header = ['ID', 'SINCE', 'PARTNER', 'ENVIRONMENT', 'STATUS', 'GBP', 'ATTENTION']
    const rows = waiting.map((each) => [
      each.id,
      each.since,
      each.partner,
      each.environment,
      each.status,
      each.amount_gbp,
      each.attention,
    ])
    const steps = new Map(waiting.map((each) => [each.attention, each.next_step]))
    const advice = [...steps].map(([code, step]) => `${code}: ${step}`)
    return done({ object: 'list', data: waiting }, [table(header, rows), '', ...advice].join('\n'))
  },
})

const show = defineCommand('payout show', {
  about: 'Shows the state of a payout in our database and at the bank, its timeline, ledger entries and charges.',
  ...namedPayout,
  run: withNamedPayout(async ({ db }, payoutId) => {
    const story = await findPayoutStory(db, payoutId)
    if (story === null) return unknownPayout(payoutId)
    const { events, entries, failedCalls, charges, ...payout } = presentStory(story)
    const parts = [
      fields(payout),
      table(
        ['AT', 'EVENT', 'STATUS', 'BY', 'DETAIL'],
        events.map((event) => [event.at, event.event, event.status, event.by, event.detail]),
      ),
      ...(entries.length > 0 ? [table(entryHeader, entries.map(Object.values<string>))] : []),
      ...(failedCalls.length > 0 ? [table(failedHeader, failedCalls.map(Object.values<string>))] : []),
      ...(charges.length > 0 ? [chargeTable(story.charges)] : []),
    ]
    return done({ ...payout, events, ledger: entries, failed_calls: failedCalls, charges }, parts.join('\n\n'))
  }),
})

const attended = defineCommand('payout attended', {
  about: 'Clears the attention of a payout after you have handled it; a condition that still holds raises it again.',
  options: {
    payout: thePayout,
    note: required(note, 'What you did, without names or account numbers; it stays in the timeline.'),
    'free-key': optional(
      oneOf(['yes']),
      'Frees a released key although the bank may have sent its payout: the next request with this key pays again.',
    ),
  },
  example: ['--payout', exampleId, '--note', 'The bank confirmed it by phone'],
  async run(ops, given) {
    const { db, clock, madeBy } = ops
    const disputedKey = given['free-key'] === undefined ? undefined : 'free'
    const about = { payoutId: given.payout, note: given.note, madeBy, at: clock.now(), disputedKey } as const
    const before = await db.transaction(async (tx) => {
      const was = await attendPayout(tx, about)
      // The partner can read its activity list, so the operator's note is stored only in the payout's timeline. A
      // partner cannot see a released payout.
      if (was !== null && was !== 'disputed' && was.releasedAt === null)
        await recordChange(ops, tx, { ...was, at: about.at, action: 'payout.attend', detail: given.payout })
      return was
    })
    if (before === 'disputed') return refused('invalid_state', disputed)
    if (before !== null) {
      const json = { id: given.payout, attended: before.attention }
      return done(json, `The attention ${before.attention} of the payout is cleared.`)
    }
    if ((await findPayoutStory(db, given.payout)) === null) return unknownPayout(given.payout)
    return refused('invalid_state', `The payout ${given.payout} does not need an operator.`)
  },
})

export const commands: readonly Command[] = [attention, show, attended]

const disputed =
  'The bank may have sent this payout although its key was released: bind its transfer with `payout bind`. Once the bank has ' +
  'confirmed that the recipient was not paid and will not be, repeat this with --free-key yes: the next request with the key then pays again.'

const unwritten = 'There is no runbook step for this code: ask an engineer to look at `payout show`.'

function presentWaiting(payout: WaitingPayout) {
  return {
    id: payout.id,
    partner: payout.slug,
    environment: payout.environment,
    status: statusOf(payout),
    amount_gbp: formatPence(payout.amountPence),
    attention: payout.attention,
    since: payout.since.toISOString(),
    next_step: nextStepFor(payout.attention) ?? unwritten,
  }
}

function presentStory({ payout, events, entries, failedCalls, charges }: PayoutStory) {
  return {
    ...presentPayout(payout),
    events: events.map(presentEvent),
    entries: entries.map(presentEntry),
    failedCalls: failedCalls.map(presentFailedCall),
    charges: charges.map(presentPartnerCharge),
  }
}

function presentPayout(payout: StoryPayout) {
  const { attention } = payout
  return {
    id: payout.id,
    partner: payout.slug,
    environment: payout.environment,
    idempotency_key: payout.idempotencyKey,
    status: statusOf(payout),
    failure_reason: payout.failureReason,
    attention,
    next_step: attention === null ? null : (nextStepFor(attention) ?? unwritten),
    amount_gbp: formatPence(payout.amountPence),
    fee_gbp: formatPence(payout.feePence),
    wallet_sent_usdc: formatUsdc(payout.walletSendsMicroUsdc),
    account_last4: payout.accountLast4,
    attempt: String(payout.attempt),
    verdict: payout.verdict,
    rail: payout.rail,
    bank_reference: payout.transferRef,
    transfer_state: payout.transferState,
    bank_key: payout.bankKey,
    workflow_id: payoutWorkflowId(payout),
    created_at: payout.createdAt.toISOString(),
    submit_started_at: payout.submitStartedAt?.toISOString() ?? null,
    answered_at: payout.answeredAt?.toISOString() ?? null,
    closed_at: (payout.closedAt ?? payout.releasedAt)?.toISOString() ?? null,
  }
}

/** A partner sees no payout for a released key, so operators see `refused` instead of a payout status. */
function statusOf({ status, releasedAt }: Pick<StoryPayout, 'status' | 'releasedAt'>): string {
  return releasedAt === null ? status : 'refused'
}

function presentEvent({ at, kind, status, madeBy, detail }: StoryEvent) {
  return { at: at.toISOString(), event: kind, status, by: madeBy, detail }
}

const entryHeader = ['AT', 'CAUSE', 'ACCOUNT', 'USDC']
const failedHeader = ['LAST FAILURE', 'FIRST FAILURE', 'FAILURES', 'ATTEMPT', 'CALL TO THE BANK', 'CAUSE']

function presentFailedCall({ attempt, operation, cause, failures, firstAt, lastAt }: FailedCall) {
  return {
    last_at: lastAt.toISOString(),
    first_at: firstAt.toISOString(),
    failures: String(failures),
    attempt: String(attempt),
    operation,
    cause,
  }
}

function presentEntry({ at, cause, account, amountMicroUsdc }: StoryEntry) {
  return { at: at.toISOString(), cause, account, usdc: exactUsdc(amountMicroUsdc) }
}

/** Shows the sign and all digits, because a bank's refund may have more than two decimals. */
function exactUsdc(microUsdc: bigint): string {
  const digits = (microUsdc < 0n ? -microUsdc : microUsdc).toString().padStart(7, '0')
  return `${microUsdc < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`
}
