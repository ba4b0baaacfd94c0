// Describes a payout from our own tables, as sentences.

import type { PayoutBankEvent } from '../../../db/bank/events'
import type { PartnerCharge } from '../../../db/invoices/charges'
import type { CaseRow } from '../../../db/payouts/cases/cases'
import type { FailedCall } from '../../../db/payouts/events'
import type { PayoutStory, StoryEntry, StoryEvent, StoryPayout } from '../../../db/payouts/story'
import { causeOf } from '../../../domain/invoices/invoice'
import { formatMicropounds, formatPence, formatUsdcExactly } from '../../../domain/money'
import { asSentence, type Line } from './story'

interface Known extends PayoutStory {
  readonly bankEvents: readonly PayoutBankEvent[]
  readonly cases: readonly CaseRow[]
}

export function linesFromDatabase({ payout, events, entries, failedCalls, charges, bankEvents, cases }: Known): Line[] {
  return [
    ...events.map((event) => eventLine(event, payout)),
    ...rowLines(payout),
    ...setsOf(entries).map(setLine),
    ...bankEvents.map(bankEventLine),
    ...failedCalls.map(failedCallLine),
    ...cases.flatMap(caseLines),
    ...charges.map(chargeLine),
  ]
}

function eventLine({ at, kind, madeBy, detail }: StoryEvent, payout: StoryPayout): Line {
  const sentence = eventSentences[kind]
  const text = sentence?.(madeBy, detail ?? 'no reason given', payout) ?? `${kind} by ${madeBy}: ${detail ?? '-'}.`
  return { at, from: 'timeline', text, ...writtenBy(kind) }
}

type EventSentence = (by: string, detail: string, payout: StoryPayout) => string

const eventSentences: Readonly<Record<string, EventSentence>> = {
  requested: (by, _, { amountPence, accountLast4 }) =>
    `${by} requested ${formatPence(amountPence)} GBP to the account that ends in ${accountLast4 ?? '????'}.`,
  sent: () => 'The bank has accepted it.',
  unconfirmed: () => 'The bank has not confirmed it: it may or may not have been sent, so its money stays on hold.',
  completed: () => 'The bank reports that the money has arrived: it is completed.',
  failed: (_, detail) => `It failed: ${asSentence(detail)}`,
  cancelled: () => 'It was cancelled before anything was sent.',
  returned: (_, detail) => `The bank returned the money: ${asSentence(detail)}`,
  attention: (_, detail) => `It needs an operator because of ${detail}.`,
  attended: (by, detail) => `${by} cleared the attention: ${asSentence(detail)}`,
  resolved: (by, detail) => `${by} recorded the outcome: ${asSentence(detail)}`,
  shredded: (by) => `${by} erased its bank details.`,
  retried: (by, detail) => `${by} retried it: its workflow was ${detail}.`,
  cancel_asked: (by) => `${by} requested its cancellation.`,
  case_opened: (by, detail) => `${by} opened a ${detail}.`,
  case_resolved: (by, detail) => `${by} resolved a case, ${detail}.`,
}

function writtenBy(what: string): Pick<Line, 'writtenBy'> {
  const steps = stepsThatWrite[what]
  return steps === undefined ? {} : { writtenBy: steps }
}

const [sending, polling] = ['submitToRail', ['pollSettlement', 'pollReturn']] as const
/** Lists only local activities, because the server records when the other steps end. */
const stepsThatWrite: Readonly<Record<string, readonly string[]>> = {
  debit: ['debitPayout'],
  called: [sending],
  sent: [sending],
  unconfirmed: [sending],
  failed: [sending, ...polling],
  reversal: [sending, 'cancelPayout'],
  cancelled: ['cancelPayout'],
  completed: polling,
  paid_out: polling,
  returned: polling,
  return: polling,
  refund: polling,
  payout_completed: polling,
  payout_returned: polling,
}

function rowLines(payout: StoryPayout): Line[] {
  const { attempt, bankKey, submitStartedAt, answeredAt, releasedAt, verdict, rail, transferRef } = payout
  const as = transferRef === null ? '' : `; its transfer is ${transferRef}`
  const lines = [
    [
      submitStartedAt,
      'called',
      `Attempt ${attempt} began its first call to the bank on ${rail}, with the bank key ${bankKey}${as}.`,
    ],
    [answeredAt, 'answered', 'The API answered `pending`, so the payout is acknowledged from here on.'],
    [
      releasedAt,
      'released',
      `Attempt ${attempt} was refused as ${verdict ?? 'payout_not_created'}, and the key was released.`,
    ],
  ] as const
  return lines.flatMap(([at, what, text]) => (at === null ? [] : [{ at, from: 'row', text, ...writtenBy(what) }]))
}

interface LedgerSet {
  readonly at: Date
  readonly cause: string
  readonly entries: StoryEntry[]
}

/** The entries of one set are adjacent and sum to zero. */
function setsOf(entries: readonly StoryEntry[]): LedgerSet[] {
  const sets: LedgerSet[] = []
  let sum = 0n
  for (const entry of entries) {
    const open = sum === 0n ? undefined : sets.at(-1)
    if (open === undefined) sets.push({ at: entry.at, cause: entry.cause, entries: [entry] })
    else open.entries.push(entry)
    sum += entry.amountMicroUsdc
  }
  return sets
}

function setLine({ at, cause, entries }: LedgerSet): Line {
  const side = (isOut: boolean) =>
    entries
      .filter(({ amountMicroUsdc }) => amountMicroUsdc < 0n === isOut)
      .map(
        ({ account, amountMicroUsdc: sum }) =>
          `${formatUsdcExactly(sum < 0n ? -sum : sum)} USDC ${isOut ? 'from' : 'to'} ${account}`,
      )
      .join(' and ')
  return { at, from: 'ledger', text: `Booked as ${cause}: ${side(true)}, ${side(false)}.`, ...writtenBy(cause) }
}

function bankEventLine({ receivedAt: at, category, objectRef, objectState, outcome }: PayoutBankEvent): Line {
  const became = outcome === null ? 'it has not been handled yet' : `it was ${outcome}`
  const text = `The bank sent an event: ${category} ${objectRef ?? '-'} is ${objectState ?? 'without a state'}; ${became}.`
  return { at, from: 'bank', text }
}

function failedCallLine(failed: FailedCall): Line {
  const { attempt, firstAt, lastAt, failures } = failed
  const until = failures === 1 ? '' : `, the last time at ${lastAt.toISOString()}`
  return { at: firstAt, from: 'bank', text: `In attempt ${attempt}, ${failedCallText(failed)}${until}.` }
}

/** Describes the bank's response or the connection error. */
export function failedCallText({ operation, cause, failures }: FailedCall): string {
  const what = failedOperations[operation] ?? operation
  const times = failures === 1 ? 'once' : `${failures} times`
  return cause.startsWith('HTTP ')
    ? `the bank answered ${cause} to ${what} ${times}`
    : `${what} failed ${times} (${cause})`
}

const failedOperations: Readonly<Record<string, string>> = {
  register_recipient: 'the registration of the recipient',
  submit_transfer: 'the transfer',
  list_transfers: 'the lookup of the transfer',
  read_transfer: 'the poll of the transfer',
}

function chargeLine(charge: PartnerCharge): Line {
  const amount = `${formatMicropounds(charge.amountMicropounds)} GBP`
  const what = charge.kind === 'credit' ? `Credited ${amount}` : `Charged ${amount} as ${charge.kind}`
  const where = charge.invoiceNumber === null ? 'on no invoice yet' : `on invoice ${charge.invoiceNumber}`
  const text = `${what}, because of ${causeOf(charge).cause}, in ${charge.month}: ${where}.`
  return { at: charge.createdAt, from: 'charge', text, ...writtenBy(causeOf(charge).cause) }
}

/** Omits the notes, which `case show` prints. */
function caseLines({ id, kind, openedAt, dueAt, overdueAt, resolvedAt, outcome }: CaseRow): Line[] {
  const lines = [
    [openedAt, `The ${kind} has case ID ${id} and is due ${dueAt.toISOString()}.`],
    [overdueAt, `The case ${id} was overdue, and operators were notified.`],
    [resolvedAt, `The case ${id} ended as ${outcome ?? '-'}.`],
  ] as const
  return lines.flatMap(([at, text]) => (at === null ? [] : [{ at, from: 'case', text }]))
}
