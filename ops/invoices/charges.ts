// `charge list`: the charges of a partner, month, payout or invoice, with their sums.
import { presentCharge } from '../../api/invoices/present-charge'
import {
  type ChargeFilters,
  type ChargeSum,
  type PartnerCharge,
  searchCharges,
  sumCharges,
} from '../../db/invoices/charges'
import { findPartnerBySlug } from '../../db/partners/partners'
import { formatMicropounds } from '../../domain/money'
import { type Command, defineCommand, done, refused } from '../command'
import { invoiceNumber, month, optional, slug, uuid } from '../options'
import { unknownPartner } from '../partners/by-slug'
import { columns, table } from '../print'

const shownAtOnce = 500

const list = defineCommand('charge list', {
  about: `Shows charges with their invoice and their sums; at most the newest ${shownAtOnce} that match all options.`,
  options: {
    partner: optional(slug, 'Of this partner.'),
    period: optional(month, 'Of this month; a late charge may be on a later invoice.'),
    payout: optional(uuid, 'Of this payout.'),
    invoice: optional(invoiceNumber, 'On this invoice, even if it is void.'),
  },
  example: ['--partner', 'acme', '--period', '2026-10'],
  async run({ db }, { partner: wanted, period, payout, invoice }) {
    if (wanted === undefined && payout === undefined && invoice === undefined) {
      return refused('invalid_request', 'Give --partner, --payout or --invoice.')
    }
    const partner = wanted === undefined ? undefined : await findPartnerBySlug(db, wanted)
    if (partner === null && wanted !== undefined) return unknownPartner(wanted)
    const filters: ChargeFilters = { partnerId: partner?.id, month: period, payoutId: payout, invoiceNumber: invoice }
    const [charges, sums] = [await searchCharges(db, filters, shownAtOnce), await sumCharges(db, filters)]
    const count = sums.reduce((total, each) => total + each.count, 0)
    const json = { object: 'list', data: charges.map(presentPartnerCharge), has_more: count > charges.length }
    if (count === 0) return done(json, 'There are no such charges.')
    const more =
      count > charges.length ? [`Only the newest ${charges.length} of ${count} are shown; the sums include all.`] : []
    return done(json, [chargeTable(charges), ...more, sumTable(sums)].join('\n\n'))
  },
})

export const chargeCommands: readonly Command[] = [list]

export function presentPartnerCharge(charge: PartnerCharge) {
  return { ...presentCharge(charge), partner: charge.slug, invoice: charge.invoiceNumber }
}

/** Shows credits with a minus sign. */
export function chargeTable(charges: readonly PartnerCharge[]): string {
  const header = ['AT', 'PARTNER', 'MONTH', 'KIND', 'GBP', 'CAUSE', 'ABOUT', 'INVOICE']
  return table(header, charges.map(rowOf))
}

function rowOf(charge: PartnerCharge): (string | null)[] {
  const { created_at, month: of, kind, cause, payout_id, case_id, description } = presentCharge(charge)
  const about = case_id === null ? (payout_id ?? description) : `case ${case_id}`
  return [created_at, charge.slug, of, kind, signed(kind, charge.amountMicropounds), cause, about, charge.invoiceNumber]
}

function sumTable(sums: readonly ChargeSum[]): string {
  return columns(
    sums.map(({ kind, count, sumMicropounds }) => [kind, String(count), `${signed(kind, sumMicropounds)} GBP`]),
  )
}

function signed(kind: PartnerCharge['kind'], micropounds: bigint): string {
  return `${kind === 'credit' ? '-' : ''}${formatMicropounds(micropounds)}`
}
