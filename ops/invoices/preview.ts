// `invoices preview`: shows what a run of the month would bill, line by line, and writes nothing.
import { type Previewed, previewInvoice } from '../../db/invoices/issue'
import { countInvoiced, listPartnersToBill, type PartnerToBill } from '../../db/invoices/partners-to-bill'
import { findPartnerBySlug } from '../../db/partners/partners'
import { formatMicropounds, formatPence } from '../../domain/money'
import { isOver, londonMonthOf, type Month, monthInWords } from '../../domain/month'
import { type Command, defineCommand, done, refused } from '../command'
import type { Ops } from '../connect'
import { month, required } from '../options'
import { onlyPartner, unknownPartner } from '../partners/by-slug'
import { columns } from '../print'

const preview = defineCommand('invoices preview', {
  about: 'Shows what a run of the month would bill, line by line. Writes nothing.',
  options: { period: required(month, 'The month; for the current month, the bill so far.'), partner: onlyPartner },
  example: ['--period', '2026-10', '--partner', 'acme'],
  async run(ops, { period, partner: wanted }) {
    if (period > londonMonthOf(ops.clock.now())) {
      return refused('invalid_request', `${monthInWords(period)} has not begun yet.`)
    }
    const one = wanted === undefined ? undefined : await findPartnerBySlug(ops.db, wanted)
    if (one === null && wanted !== undefined) return unknownPartner(wanted)
    const partners = one ? [one] : await allPartnersToBill(ops, period)
    const before = one ? 0 : await countInvoiced(ops.db, period)
    const previews: Preview[] = []
    for (const partner of partners) {
      const previewed = await previewInvoice(ops.db, { partnerId: partner.id, period })
      previews.push({ partner: partner.slug, previewed })
    }
    return done({ object: 'list', data: previews.map((each) => present(period, each)) }, describe(previews))

    function describe(all: readonly Preview[]): string {
      const bills = all.flatMap(({ previewed }) => (previewed.outcome === 'new' ? [previewed.invoice.totalPence] : []))
      const sum = formatPence(bills.reduce((total, pence) => total + pence, 0n))
      const so = isOver(period, ops.clock.now()) ? '' : ' so far'
      const end = `${monthInWords(period)}${so}: ${bills.length} to bill, ${sum} GBP in total`
      const known = before > 0 ? `; ${before} already have an invoice` : ''
      return [...all.map(textOf), `${end}${known}. Nothing was written.`].join('\n\n')
    }
  },
})

export const commands: readonly Command[] = [preview]

interface Preview {
  readonly partner: string
  readonly previewed: Previewed
}

async function allPartnersToBill({ db }: Ops, period: Month): Promise<PartnerToBill[]> {
  const all: PartnerToBill[] = []
  for (;;) {
    const page = await listPartnersToBill(db, { period, after: all.at(-1)?.id ?? null, limit: pageSize })
    all.push(...page)
    if (page.length < pageSize) return all
  }
}

const pageSize = 500

function present(period: Month, { partner, previewed }: Preview) {
  if (previewed.outcome === 'nothing') return { partner, period, outcome: previewed.outcome }
  if (previewed.outcome === 'already') {
    const { outcome, number, totalPence } = previewed
    return { partner, period, outcome, number, total_gbp: formatPence(totalPence) }
  }
  const { lines, totalPence, carriedPence } = previewed.invoice
  return {
    partner,
    period,
    outcome: previewed.outcome,
    lines: lines.map(({ kind, description, quantity, unitAmountMicropounds, amountPence }) => ({
      kind,
      description,
      quantity,
      unit_amount_gbp: formatMicropounds(unitAmountMicropounds),
      amount_gbp: formatPence(amountPence),
    })),
    total_gbp: formatPence(totalPence),
    carried_forward_gbp: formatPence(carriedPence),
  }
}

function textOf({ partner, previewed }: Preview): string {
  if (previewed.outcome === 'nothing') return `${partner}: nothing to bill.`
  if (previewed.outcome === 'already') {
    return `${partner}: already has ${previewed.number}, ${formatPence(previewed.totalPence)} GBP.`
  }
  const { lines, totalPence, carriedPence } = previewed.invoice
  const rows = lines.map(({ kind, description, quantity, unitAmountMicropounds, amountPence }) => {
    const sign = kind === 'credit' ? '-' : ''
    const unit = `${sign}${formatMicropounds(unitAmountMicropounds)}`
    return [`  ${description}`, String(quantity), unit, `${sign}${formatPence(amountPence)}`]
  })
  const sum = (name: string, pence: bigint) => [`  ${name}`, '', '', formatPence(pence)]
  const carried = carriedPence > 0n ? [sum('Credit carried forward', carriedPence)] : []
  const head = ['  DESCRIPTION', 'QUANTITY', 'UNIT GBP', 'AMOUNT GBP']
  return `${partner}\n${columns([head, ...rows, sum('Total', totalPence), ...carried])}`
}
