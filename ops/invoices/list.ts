// `invoices list`: the invoices of a month with their status.
import { type InvoiceOfMonth, listInvoicesOfMonth } from '../../db/invoices/invoices'
import { findPartnerBySlug } from '../../db/partners/partners'
import { formatPence } from '../../domain/money'
import { londonDayOf, monthInWords } from '../../domain/month'
import { defineCommand, done } from '../command'
import { month, required } from '../options'
import { onlyPartner, unknownPartner } from '../partners/by-slug'
import { table } from '../print'

export const list = defineCommand('invoices list', {
  about: 'Shows the invoices of a month: open, paid or void, and whether they were mailed.',
  options: { period: required(month, 'The month.'), partner: onlyPartner },
  example: ['--period', '2026-10', '--partner', 'acme'],
  async run({ db }, { period, partner }) {
    if (partner !== undefined && (await findPartnerBySlug(db, partner)) === null) return unknownPartner(partner)
    const invoices = await listInvoicesOfMonth(db, { period, slug: partner ?? null })
    const json = { object: 'list', data: invoices.map((invoice) => ({ period, ...presentInvoice(invoice) })) }
    if (invoices.length === 0) return done(json, `There are no invoices for ${monthInWords(period)}.`)
    const header = ['NUMBER', 'PARTNER', 'STATUS', 'TOTAL GBP', 'ISSUED', 'DUE', 'PAID', 'VOID', 'MAILED']
    return done(json, table(header, invoices.map(rowOf)))
  },
})

function presentInvoice(invoice: InvoiceOfMonth) {
  const { number, slug: partner, status, totalPence, issuedAt, dueAt, paidAt, voidedAt, mailedAt } = invoice
  return {
    number,
    partner,
    status,
    total_gbp: formatPence(totalPence),
    issued_at: issuedAt.toISOString(),
    due_at: dueAt.toISOString(),
    paid_at: paidAt?.toISOString() ?? null,
    voided_at: voidedAt?.toISOString() ?? null,
    mailed_at: mailedAt?.toISOString() ?? null,
  }
}

function rowOf(invoice: InvoiceOfMonth): (string | null)[] {
  const { number, slug: partner, status, totalPence, issuedAt, dueAt, paidAt, voidedAt, mailedAt } = invoice
  const days = [issuedAt, dueAt, paidAt, voidedAt, mailedAt].map((time) => time && londonDayOf(time))
  return [number, partner, status, formatPence(totalPence), ...days]
}
