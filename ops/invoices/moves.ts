// `invoices void`, `mark-paid` and `mark-unpaid`: changes to one issued invoice, recorded in the activity list.

import type { Tx } from '../../db/database'
import { previewInvoice } from '../../db/invoices/issue'
import {
  type Moved,
  markInvoicePaid,
  markInvoiceUnpaid,
  type Paid,
  type Unpaid,
  type Voided,
  voidInvoice,
} from '../../db/invoices/moves'
import { findPartnerBySlug } from '../../db/partners/partners'
import type { InvoiceStatus } from '../../domain/invoices/invoice'
import { londonDayOf, type Month, monthInWords } from '../../domain/month'
import { type Answer, type Command, defineCommand, done, refused } from '../command'
import { type Ops, recordChange } from '../connect'
import { day, month, optional, reason as reasonKind, required } from '../options'
import { thePartner, unknownPartner } from '../partners/by-slug'

const which = {
  period: required(month, 'The month of the invoice.'),
  partner: thePartner,
}

const voidOne = defineCommand('invoices void', {
  about: 'Voids an open invoice; its charges are billed when the month is run again, or on the next invoice.',
  options: { ...which, reason: required(reasonKind, 'The reason; the partner sees it with the invoice.') },
  example: ['--period', '2026-10', '--partner', 'acme', '--reason', 'wrong address'],
  run: (ops, { reason, ...invoice }) =>
    move(ops, invoice, 'void', (tx, number) => voidInvoice(tx, { number, reason, at: ops.clock.now() })),
})

const markPaid = defineCommand('invoices mark-paid', {
  about: 'Records the payment of an open invoice.',
  options: { ...which, on: optional(day, 'The day of payment; the default is today.') },
  example: ['--period', '2026-10', '--partner', 'acme', '--on', '2026-11-12'],
  async run(ops, { on, ...invoice }) {
    const now = ops.clock.now()
    if (on !== undefined && on > londonDayOf(now)) return refused('invalid_request', '--on must not be in the future.')
    // Noon is on the same day in London and in UTC, in summer and winter.
    const at = on === undefined ? now : new Date(`${on}T12:00:00.000Z`)
    return move(ops, invoice, 'paid', (tx, number) => markInvoicePaid(tx, { number, at }))
  },
})

const markUnpaid = defineCommand('invoices mark-unpaid', {
  about: 'Undoes `invoices mark-paid`, so that the invoice is open again.',
  options: which,
  example: ['--period', '2026-10', '--partner', 'acme'],
  run: (ops, invoice) => move(ops, invoice, 'open', (tx, number) => markInvoiceUnpaid(tx, { number })),
})

export const commands: readonly Command[] = [voidOne, markPaid, markUnpaid]

const actions = {
  void: 'invoice.void',
  paid: 'invoice.mark_paid',
  open: 'invoice.mark_unpaid',
} as const satisfies Partial<Record<InvoiceStatus, string>>

async function move(
  ops: Ops,
  { period, partner: slugOfPartner }: { period: Month; partner: string },
  to: keyof typeof actions,
  change: (tx: Tx, number: string) => Promise<Moved | Paid | Unpaid | Voided>,
): Promise<Answer> {
  return ops.db.transaction(async (tx) => {
    const partner = await findPartnerBySlug(tx, slugOfPartner)
    if (partner === null) return unknownPartner(slugOfPartner)
    const found = await previewInvoice(tx, { partnerId: partner.id, period })
    if (found.outcome !== 'already') {
      return refused('not_found', `${slugOfPartner} has no invoice for ${monthInWords(period)} that is open or paid.`)
    }
    const { number } = found
    const moved = await change(tx, number)
    if (moved.outcome === 'moved') {
      const at = ops.clock.now()
      const about = { partnerId: partner.id, at, environment: null }
      await recordChange(ops, tx, { ...about, action: actions[to], detail: number })
      return done({ number, partner: slugOfPartner, period, status: to }, `${number} is now ${to}.`)
    }
    return refusalOf(number, to, moved)
  })
}

type NotMoved = Exclude<Moved | Paid | Unpaid | Voided, { outcome: 'moved' }>

function refusalOf(number: string, to: keyof typeof actions, moved: NotMoved): Answer {
  if (moved.outcome === 'not_found') return refused('not_found', `There is no invoice ${number}.`)
  if (moved.outcome === 'credit_used') {
    const sentence = `${moved.usedBy} uses credit that ${number} carried forward: void ${moved.usedBy} first.`
    return refused('invalid_state', sentence, { used_by: moved.usedBy })
  }
  if (moved.outcome === 'nothing_to_pay') {
    return refused('invalid_state', `${number} is for 0.00 GBP and was issued as paid: there is nothing to pay.`)
  }
  if (moved.outcome === 'before_issue') {
    return refused('invalid_request', `--on must not be before ${moved.issuedOn}, when ${number} was issued.`)
  }
  const { status } = moved
  if (status === to) return refused('invalid_state', `${number} is already ${status}.`, { status })
  const hint = status === 'paid' ? ': run `invoices mark-unpaid` first' : ''
  return refused('invalid_state', `${number} is ${status}${hint}.`, { status })
}
