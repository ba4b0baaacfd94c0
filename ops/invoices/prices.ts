// A partner's prices, and the standard prices for new partners. A change is a new list that applies from a given time,
// so billed months keep their prices.

import type { Tx } from '../../db/database'
import { changePrices, listPrices, removePlanned, type ValidPrices } from '../../db/invoices/price-lists'
import type { PriceList } from '../../domain/invoices/fees'
import { formatHundredths, formatMicropounds, formatPence } from '../../domain/money'
import { type Month, startOf } from '../../domain/month'
import { type Command, defineCommand, done, type ParsedOptions, type Refusal, refused } from '../command'
import { type Ops, recordChange } from '../connect'
import { month, optional, percent, price, priceToTheMicropound, required } from '../options'
import { onePartner, thePartner, withLockedPartner, withPartner } from '../partners/by-slug'
import { table } from '../print'

const changeable = {
  'payout-fixed': optional(price, 'Fixed fee of a payout.'),
  'payout-percent': optional(percent, 'Percentage fee of a payout.'),
  'bank-fixed': optional(price, "The bank's share of the fixed fee, taken inside the transfer."),
  'bank-percent': optional(percent, "The bank's share of the percentage fee."),
  'monthly-account': optional(price, 'Monthly fee while the live account is open.'),
  verification: optional(price, 'One-time fee of the business verification.'),
  'network-cost': optional(priceToTheMicropound, "Network cost, if the bank's receipt does not state it."),
  'network-markup': optional(percent, 'Markup on the network cost.'),
  'exception-markup': optional(percent, 'Markup on the cost of a return, recall or trace.'),
  'return-cost': optional(priceToTheMicropound, 'Cost of a return, which the bank does not state.'),
}

const planned = required(month, 'The month in which they take effect.')

const set = defineCommand('price set', {
  about:
    "Changes a partner's prices, from now or from a given month. Omitted prices stay, a list planned for that month is replaced, and past prices never change.",
  options: {
    partner: thePartner,
    from: optional(month, 'The first month with the new prices; the default is now.'),
    ...changeable,
  },
  example: ['--partner', 'acme', '--from', '2027-01', '--payout-fixed', '0.79', '--monthly-account', '10.00'],
  run: (ops, given) =>
    withLockedPartner(ops, given.partner, async (tx, partner) => {
      const changed = await change(ops, tx, partner.id, given)
      if (changed.outcome === 'refused') return changed
      const { at, detail } = changed
      await recordChange(ops, tx, { partnerId: partner.id, at, environment: null, action: 'price.update', detail })
      return presentPrices(given.partner, await listPrices(tx, partner.id))
    }),
})

const setDefault = defineCommand('price default set', {
  about:
    'Changes the prices with which new partners start, from now or from a given month. No existing partner is affected.',
  options: { from: optional(month, 'The first month with the new prices; the default is now.'), ...changeable },
  example: ['--from', '2027-01', '--payout-fixed', '0.89'],
  run: (ops, given) =>
    ops.db.transaction(async (tx) => {
      const changed = await change(ops, tx, null, given)
      return changed.outcome === 'refused' ? changed : presentPrices(null, await listPrices(tx, null))
    }),
})

const removeDefault = defineCommand('price default remove', {
  about: 'Removes the latest planned prices for new partners, unless they have already taken effect.',
  options: { from: planned },
  example: ['--from', '2027-01'],
  run: ({ db, clock }, { from }) =>
    db.transaction(async (tx) => {
      const removed = await removePlanned(tx, { partnerId: null, from: startOf(from), at: clock.now() })
      return removed === 'not_planned' ? notPlanned(from) : presentPrices(null, await listPrices(tx, null))
    }),
})

const showDefault = defineCommand('price default show', {
  about: 'Shows the past, current and planned prices with which new partners start.',
  run: async ({ db }) => presentPrices(null, await listPrices(db, null)),
})

const remove = defineCommand('price remove', {
  about: "Removes a partner's last planned prices, if they have not taken effect.",
  options: { partner: thePartner, from: planned },
  example: ['--partner', 'acme', '--from', '2027-01'],
  run: (ops, given) =>
    withLockedPartner(ops, given.partner, async (tx, partner) => {
      const [at, from] = [ops.clock.now(), startOf(given.from)]
      if ((await removePlanned(tx, { partnerId: partner.id, from, at })) === 'not_planned')
        return notPlanned(given.from)
      const detail = `from ${from.toISOString()}`
      await recordChange(ops, tx, { partnerId: partner.id, at, environment: null, action: 'price.remove', detail })
      return presentPrices(given.partner, await listPrices(tx, partner.id))
    }),
})

const list = defineCommand('price list', {
  about: "Shows a partner's past, current and planned prices.",
  ...onePartner,
  run: withPartner(async ({ db }, partner, given) => {
    return presentPrices(given.partner, await listPrices(db, partner.id))
  }),
})

export const commands: readonly Command[] = [set, remove, list, showDefault, setDefault, removeDefault]

function notPlanned(from: Month): Refusal {
  return refused(
    'invalid_state',
    `Cannot remove prices from ${from}: only the last planned prices can be removed, before they take effect.`,
  )
}

type Changed = { readonly outcome: 'changed'; readonly at: Date; readonly detail: string }

async function change(
  { clock, madeBy }: Ops,
  tx: Tx,
  partnerId: string | null,
  given: ParsedOptions<typeof changeable> & { readonly from: Month | undefined },
): Promise<Changed | Refusal> {
  const changes = changesOf(given)
  if (Object.keys(changes).length === 0) {
    const names = Object.keys(changeable).map((name) => `--${name}`)
    return refused('invalid_request', `Specify at least one of: ${names.join(', ')}.`)
  }
  const at = clock.now()
  const from = given.from === undefined ? at : startOf(given.from)
  if (from < at) return refused('invalid_request', `${given.from} has begun: past prices cannot change.`)
  const changed = await changePrices(tx, { partnerId, changes, from, at, madeBy })
  if (changed.outcome === 'planned') {
    const sentence = `Prices from ${changed.from.toISOString()} on are already planned: choose a later month, or remove them first.`
    return refused('invalid_state', sentence)
  }
  return { outcome: 'changed', at, detail: `from ${from.toISOString()}: ${describeChanges(changes)}` }
}

function changesOf(given: ParsedOptions<typeof changeable>): Partial<PriceList> {
  const wanted: { readonly [Price in keyof PriceList]: bigint | undefined } = {
    payoutFixedPence: given['payout-fixed'],
    payoutBasisPoints: given['payout-percent'],
    bankFixedPence: given['bank-fixed'],
    bankBasisPoints: given['bank-percent'],
    monthlyAccountPence: given['monthly-account'],
    verificationPence: given.verification,
    networkCostMicropounds: given['network-cost'],
    networkMarkupBasisPoints: given['network-markup'],
    exceptionMarkupBasisPoints: given['exception-markup'],
    returnCostMicropounds: given['return-cost'],
  }
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined))
}

function describeChanges(changes: Partial<PriceList>): string {
  const shown = presentPriceList(changes)
  return Object.entries(shown)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
}

function presentPrices(partner: string | null, lists: readonly ValidPrices[]) {
  const data = lists.map((each) => ({
    valid_from: each.validFrom.toISOString(),
    valid_until: each.validUntil?.toISOString() ?? null,
    ...presentPriceList(each),
    made_by: each.madeBy,
  }))
  const rows = lists.map((each, index) => [
    data[index]?.valid_from ?? null,
    data[index]?.valid_until ?? null,
    ...Object.values(presentPriceList(each)),
    each.madeBy,
  ])
  const header = [
    'FROM',
    'UNTIL',
    'PAYOUT',
    '%',
    'BANK',
    '%',
    'MONTHLY',
    'VERIFICATION',
    'NETWORK',
    '+%',
    'EXCEPTION +%',
    'RETURN',
    'BY',
  ]
  return done({ object: 'list', partner, data }, table(header, rows))
}

/** Omits prices that are not given. The order is fixed. */
function presentPriceList(prices: Partial<PriceList>): Record<string, string> {
  const shown: readonly [string, bigint | undefined, (value: bigint) => string][] = [
    ['payout_fixed_gbp', prices.payoutFixedPence, formatPence],
    ['payout_percent', prices.payoutBasisPoints, formatHundredths],
    ['bank_fixed_gbp', prices.bankFixedPence, formatPence],
    ['bank_percent', prices.bankBasisPoints, formatHundredths],
    ['monthly_account_gbp', prices.monthlyAccountPence, formatPence],
    ['verification_gbp', prices.verificationPence, formatPence],
    ['network_cost_gbp', prices.networkCostMicropounds, formatMicropounds],
    ['network_markup_percent', prices.networkMarkupBasisPoints, formatHundredths],
    ['exception_markup_percent', prices.exceptionMarkupBasisPoints, formatHundredths],
    ['return_cost_gbp', prices.returnCostMicropounds, formatMicropounds],
  ]
  return Object.fromEntries(shown.flatMap(([name, value, show]) => (value === undefined ? [] : [[name, show(value)]])))
}
