// `charge list`: the charges of a partner, month, payout or invoice, with their sums. `invoices credit`: reduces a
// partner's next invoice.
import { presentCharge } from '../../api/invoices/present-charge'
import { newId } from '../../db/id'
import {
  addCharge,
  type ChargeFilters,
  type ChargeSum,
  findCharge,
  type PartnerCharge,
  searchCharges,
  sumCharges,
} from '../../db/invoices/charges'
import { findPartnerBySlug } from '../../db/partners/partners'
import { correctionPrefix } from '../../domain/invoices/invoice'
import { formatMicropounds, formatPence, micropoundsFromPence, penceFromMicropounds } from '../../domain/money'
import { londonMonthOf, monthInWords } from '../../domain/month'
import { type Command, defineCommand, done, refused } from '../command'
import { recordChange } from '../connect'
import {
  correctionAmount,
  invoiceNumber,
  month,
  optional,
  reason as reasonKind,
  reference as referenceKind,
  required,
  slug,
  uuid,
} from '../options'
import { thePartner, unknownPartner, withLockedPartner } from '../partners/by-slug'
import { columns, table } from '../print'

const shownAtOnce = 500

const list = defineCommand('charge list', {
  about: `Lists charges with their invoices and totals. Shows at most the newest ${shownAtOnce} that match all options.`,
  options: {
    partner: optional(slug, 'Only charges of this partner.'),
    period: optional(month, 'Only charges of this month; a late charge may be on a later invoice.'),
    payout: optional(uuid, 'Only charges of this payout.'),
    invoice: optional(invoiceNumber, 'Only charges on this invoice, even if it is void.'),
  },
  example: ['--partner', 'acme', '--period', '2026-10'],
  async run({ db }, { partner: wanted, period, payout, invoice }) {
    if (wanted === undefined && payout === undefined && invoice === undefined) {
      return refused('invalid_request', 'Specify --partner, --payout or --invoice.')
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

const credit = defineCommand('invoices credit', {
  about: 'Credits an amount to a partner, on the invoice of this month or on the next one with an amount to pay.',
  options: {
    partner: thePartner,
    amount: required(correctionAmount, 'The amount.'),
    reason: required(reasonKind, 'The reason; the partner sees it on the invoice and in its activity list.'),
    reference: optional(referenceKind, 'Your own reference. A second credit with the same reference has no effect.'),
  },
  example: ['--partner', 'acme', '--amount', '12.50', '--reason', 'charged twice', '--reference', 'case-17'],
  async run(ops, { partner: wanted, amount, reason, reference }) {
    return withLockedPartner(ops, wanted, async (tx, partner) => {
      const at = ops.clock.now()
      const cause = {
        partnerId: partner.id,
        kind: 'credit',
        causeRef: `${correctionPrefix}${reference ?? newId(at)}`,
      } as const
      const json = { object: 'credit', partner: wanted, amount_gbp: formatPence(amount), reference: reference ?? null }

      const given = await findCharge(tx, cause)
      if (given !== null) {
        const before = formatPence(penceFromMicropounds(given))
        if (given === micropoundsFromPence(amount)) return done(json, `${wanted} was already credited ${before} GBP.`)
        return refused(
          'invalid_state',
          `The reference ${reference} was used for a credit of ${before} GBP: use another --reference.`,
        )
      }
      const amountMicropounds = micropoundsFromPence(amount)
      await addCharge(tx, { ...cause, payoutId: null, amountMicropounds, at, description: reason })
      const detail = `${formatPence(amount)} GBP: ${reason}`
      await recordChange(ops, tx, { partnerId: partner.id, at, environment: null, action: 'invoice.credit', detail })
      const from = monthInWords(londonMonthOf(at))
      return done(json, `${wanted} is credited ${formatPence(amount)} GBP on the invoice for ${from} or a later month.`)
    })
  },
})

export const commands: readonly Command[] = [list, credit]
