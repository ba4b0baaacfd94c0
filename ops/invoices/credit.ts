// `invoices credit`: reduces a partner's next invoice.

import { newId } from '../../db/id'
import { addCharge, findCharge } from '../../db/invoices/charges'
import { correctionPrefix } from '../../domain/invoices/invoice'
import { formatPence, micropoundsFromPence, penceFromMicropounds } from '../../domain/money'
import { londonMonthOf, monthInWords } from '../../domain/month'
import { defineCommand, done, refused } from '../command'
import { recordChange } from '../controls/record-change'
import { correctionAmount, optional, reason as reasonKind, reference as referenceKind, required } from '../options'
import { thePartner, withLockedPartner } from '../partners/by-slug'

export const credit = defineCommand('invoices credit', {
  about: 'Credits an amount to a partner, on the invoice of this month or on the next one with an amount to pay.',
  options: {
    partner: thePartner,
    amount: required(correctionAmount, 'The amount.'),
    reason: required(reasonKind, 'The reason; the partner sees it on the invoice and in its activity list.'),
    reference: optional(referenceKind, 'Your own reference. A repeat with the same reference credits nothing more.'),
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
