// What our own tables know of a payout, as sentences.

import type { PayoutBankEvent } from '../../../db/bank/events'
import type { PartnerCharge } from '../../../db/invoices/charges'
import type { CaseRow } from '../../../db/payouts/cases/cases'
import type { PayoutStory, ToldEntry, ToldEvent, ToldPayout } from '../../../db/payouts/story'
import { causeOf } from '../../../domain/invoices/invoice'
import { formatMicropounds, formatPence, formatUsdcExactly } from '../../../domain/money'
import { ended, type Told } from './story'

interface Known extends PayoutStory {
  readonly bankEvents: readonly PayoutBankEvent[]
  readonly cases: readonly CaseRow[]
}

export function toldByDatabase({ payout, events, entries, charges, bankEvents, cases }: Known): Told[] {
  return [
    ...events.map((event) => toldEvent(event, payout)),
    ...toldByRow(payout),
    ...setsOf(entries).map(toldSet),
    ...bankEvents.map(toldBankEvent),
    ...cases.flatMap(toldCase),
    ...charges.map(toldCharge),
  ]
}

function toldEvent({ at, kind, madeBy, detail }: ToldEvent, payout: ToldPayout): Told {
  const sentence = eventSentences[kind]
  const text = sentence?.(madeBy, detail ?? 'no reason given', payout) ?? `${kind} by ${madeBy}: ${detail ?? '-'}.`
  return { at, from: 'timeline', text, ...writtenBy(kind) }
}

type EventSentence = (by: string, detail: string, payout: ToldPayout) => string

const eventSentences: Readonly<Record<string, EventSentence>> = {
  requested: (by, _, { amountPence, accountLast4 }) =>
    `${by} asked to pay ${formatPence(amountPence)} GBP to the account that ends with ${accountLast4 ?? '????'}.`,
  sent: () => 'The bank has accepted it.',
  unconfirmed: () => 'The answer of the bank was lost: it may have been sent or not, and its money stays set aside.',
  completed: () => 'The bank says that the money has arrived: it is completed.',
  failed: (_, detail) => `It has failed: ${ended(detail)}`,
  cancelled: () => 'It was cancelled before anything was sent.',
  returned: (_, detail) => `The bank has sent the money back: ${ended(detail)}`,
  attention: (_, detail) => `People were asked to look, because of ${detail}.`,
  attended: (by, detail) => `${by} has dealt with it: ${ended(detail)}`,
  resolved: (by, detail) => `${by} has said what became of it: ${ended(detail)}`,
  shredded: (by) => `${by} erased its bank details, for good.`,
  retried: (by, detail) => `${by} asked for it to go on now: its workflow was ${detail}.`,
  cancel_asked: (by) => `${by} asked to take it back unless it was sent.`,
  case_opened: (by, detail) => `${by} opened a ${detail}.`,
  case_resolved: (by, detail) => `${by} ended a case, ${detail}.`,
}

function writtenBy(what: string): Pick<Told, 'writtenBy'> {
  const steps = stepsThatWrite[what]
  return steps === undefined ? {} : { writtenBy: steps }
}

const [sending, polling] = ['submitToRail', ['pollSettlement', 'pollReturn']] as const
/** Only steps that run inside the workflow's task; of the others the server itself knows when they have ended. */
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

function toldByRow(payout: ToldPayout): Told[] {
  const { attempt, bankKey, submitStartedAt, answeredAt, releasedAt, verdict, rail, transferRef } = payout
  const as = transferRef === null ? '' : `; its transfer is ${transferRef}`
  const told = [
    [
      submitStartedAt,
      'called',
      `The first call to the bank by ${rail} began, in attempt ${attempt}, under the bank key ${bankKey}${as}.`,
    ],
    [answeredAt, 'answered', 'Who asked for it was answered that it is pending: from here on it is there for good.'],
    [
      releasedAt,
      'released',
      `Attempt ${attempt} was refused as ${verdict ?? 'payout_not_created'}, and the key was given back.`,
    ],
  ] as const
  return told.flatMap(([at, what, text]) => (at === null ? [] : [{ at, from: 'row', text, ...writtenBy(what) }]))
}

interface LedgerSet {
  readonly at: Date
  readonly cause: string
  readonly entries: ToldEntry[]
}

/** The entries of one set are beside each other, and sum up to nothing. */
function setsOf(entries: readonly ToldEntry[]): LedgerSet[] {
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

function toldSet({ at, cause, entries }: LedgerSet): Told {
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

function toldBankEvent({ receivedAt: at, category, objectRef, objectState, outcome }: PayoutBankEvent): Told {
  const became = outcome === null ? 'nobody has seen to it yet' : `it was ${outcome}`
  const text = `The bank sent an event: ${category} ${objectRef ?? '-'} is ${objectState ?? 'in no state'}; ${became}.`
  return { at, from: 'bank', text }
}

function toldCharge(charge: PartnerCharge): Told {
  const amount = `${formatMicropounds(charge.amountMicropounds)} GBP`
  const what = charge.kind === 'credit' ? `Credited ${amount}` : `Charged ${amount} as ${charge.kind}`
  const where = charge.invoiceNumber === null ? 'on no invoice yet' : `on invoice ${charge.invoiceNumber}`
  const text = `${what}, because of ${causeOf(charge).cause}, in ${charge.month}: ${where}.`
  return { at: charge.createdAt, from: 'charge', text, ...writtenBy(causeOf(charge).cause) }
}

/** What was said in it, case show tells. */
function toldCase({ id, kind, openedAt, dueAt, overdueAt, resolvedAt, outcome }: CaseRow): Told[] {
  const told = [
    [openedAt, `The ${kind} is the case ${id}, due ${dueAt.toISOString()}.`],
    [overdueAt, `The case ${id} was late, and people were told.`],
    [resolvedAt, `The case ${id} ended as ${outcome ?? '-'}.`],
  ] as const
  return told.flatMap(([at, text]) => (at === null ? [] : [{ at, from: 'case', text }]))
}
