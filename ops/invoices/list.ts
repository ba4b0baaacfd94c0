// `invoices list`: invoices of all partners with their status, and the open and overdue totals.
import { type PartnerInvoice, searchInvoices } from '../../db/invoices/invoices'
import { findPartnerBySlug } from '../../db/partners/partners'
import { formatPence } from '../../domain/money'
import { londonDayOf, monthInWords } from '../../domain/month'
import { type Command, defineCommand, done } from '../command'
import { flag, month, optional } from '../options'
import { onlyPartner, unknownPartner } from '../partners/by-slug'
import { shownAtOnce, table } from '../print'

const list = defineCommand('invoices list', {
  about: `Shows invoices with their status, due date and mailing date; at most the newest ${shownAtOnce}.`,
  options: {
    period: optional(month, 'Only this month.'),
    partner: onlyPartner,
    open: optional(flag, 'Only open invoices.'),
    overdue: optional(flag, 'Only open invoices that are overdue.'),
  },
  example: ['--overdue', '--partner', 'acme'],
  async run({ db, clock }, { period, partner, open, overdue }) {
    if (partner !== undefined && (await findPartnerBySlug(db, partner)) === null) return unknownPartner(partner)
    const only = overdue ? 'overdue' : open ? 'open' : undefined
    const matches = await searchInvoices(db, { period, slug: partner, only, now: clock.now() }, shownAtOnce + 1)
    const invoices = matches.slice(-shownAtOnce)
    const isCut = matches.length > shownAtOnce
    const json = { object: 'list', data: invoices.map(presentInvoice), has_more: isCut }
    const what = only === undefined ? 'invoices' : `${only} invoices`
    const when = period === undefined ? '' : ` for ${monthInWords(period)}`
    if (invoices.length === 0) return done(json, `There are no ${what}${when}.`)
    const header = ['NUMBER', 'PARTNER', 'PERIOD', 'STATUS', 'TOTAL GBP', 'ISSUED', 'DUE', 'PAID', 'VOID', 'MAILED']
    const cut = isCut ? [`Only the newest ${shownAtOnce} are shown: add --period or --partner.`] : []
    return done(json, [table(header, invoices.map(rowOf)), ...cut, sumsOf(invoices)].join('\n'))
  },
})

export const commands: readonly Command[] = [list]

function presentInvoice(invoice: PartnerInvoice) {
  const { number, slug: partner, status, totalPence, issuedAt, dueAt, paidAt, voidedAt, mailedAt } = invoice
  return {
    period: invoice.period,
    number,
    partner,
    status,
    total_gbp: formatPence(totalPence),
    issued_at: issuedAt.toISOString(),
    due_at: dueAt.toISOString(),
    overdue_days: invoice.overdueDays,
    paid_at: paidAt?.toISOString() ?? null,
    voided_at: voidedAt?.toISOString() ?? null,
    mailed_at: mailedAt?.toISOString() ?? null,
  }
}

function rowOf(invoice: PartnerInvoice): (string | null)[] {
  const { number, slug: partner, period, totalPence, issuedAt, dueAt, paidAt, voidedAt, mailedAt } = invoice
  const status = invoice.overdueDays === null ? invoice.status : `${invoice.overdueDays} d overdue`
  const days = [issuedAt, dueAt, paidAt, voidedAt, mailedAt].map((time) => time && londonDayOf(time))
  return [number, partner, period, status, formatPence(totalPence), ...days]
}

/** Totals of the shown invoices. */
function sumsOf(invoices: readonly PartnerInvoice[]): string {
  const sum = (some: readonly PartnerInvoice[]) =>
    `${some.length}, ${formatPence(some.reduce((total, { totalPence }) => total + totalPence, 0n))} GBP`
  const open = invoices.filter(({ status }) => status === 'open')
  return `Open: ${sum(open)}. Overdue: ${sum(open.filter(({ overdueDays }) => overdueDays !== null))}.`
}
