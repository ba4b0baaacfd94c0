// `partner set` changes a partner's settings; `partner approve-name` and `refuse-name` decide about a name that it asked for.
import { lockPartnerBySlug, type PartnerRow, updatePartner } from '../../db/partners/partners'
import { formatPence } from '../../domain/money'
import {
  type Answer,
  type Command,
  defineCommand,
  done,
  type Given,
  type Refusal,
  refused,
  unknownPartner,
} from '../command'
import type { Ops } from '../connect'
import { recordChange } from '../controls/record-change'
import {
  addressOrNone,
  countryList,
  emailOrNone,
  optional,
  partnerName,
  payoutAmount,
  rateLimit,
  required,
  slug,
} from '../options'
import { describePartner, presentPartner } from './lifecycle'

const settings = {
  min: optional(payoutAmount, 'The smallest payout.'),
  'max-per-payout': optional(payoutAmount, 'The largest payout.'),
  countries: optional(countryList, 'Where it may pay to.'),
  'billing-email': optional(emailOrNone, 'Who gets the invoices.'),
  'billing-address': optional(addressOrNone, 'What invoices are addressed to, below the name.'),
  'contact-email': optional(emailOrNone, 'Who gets everything else.'),
  name: optional(partnerName, "The business's name."),
  'rate-limit-sandbox': optional(rateLimit, 'Requests per second in the sandbox.'),
  'rate-limit-live': optional(rateLimit, 'Requests per second in live.'),
}

export const setPartner = defineCommand({
  noun: 'partner',
  verb: 'set',
  about: "Changes a partner's limits, countries, emails, billing address, name or rate limits; what is left out stays.",
  options: { partner: required(slug, 'Which partner.'), ...settings },
  example: '--partner acme --min 2.50 --max-per-payout 5000.00 --countries GB --billing-email bills@acme.test'.split(
    ' ',
  ),
  async run(ops, given) {
    if (Object.keys(given).every((name) => name === 'partner')) {
      const names = Object.keys(settings).map((name) => `--${name}`)
      return refused('invalid_request', `Say what to set, at least one of: ${names.join(', ')}.`)
    }
    return ops.db.transaction(async (tx) => {
      const before = await lockPartnerBySlug(tx, given.partner)
      if (before === null) return unknownPartner(given.partner)
      const wanted = settingsOf(before, given)
      const { minPayoutPence: min, maxPayoutPence: max } = wanted
      if (min > max) {
        const sentence = `The smallest payout, ${formatPence(min)}, would be above the largest, ${formatPence(max)}.`
        return refused('invalid_request', sentence)
      }
      const differences = differencesBetween(before, wanted)
      if (differences.length === 0) return done(presentPartner(before), describePartner(before))

      const at = ops.clock.now()
      // A name that an operator sets answers the request for one.
      const request = wanted.name === before.name ? {} : { requestedName: null }
      const after = await updatePartner(tx, before.id, { ...wanted, ...request }, at)
      const detail = differences.join(', ')
      await recordChange(ops, tx, { partnerId: before.id, at, environment: null, action: 'partner.update', detail })
      return done(presentPartner(after), describePartner(after))
    })
  },
})

const approveName = defineCommand({
  noun: 'partner',
  verb: 'approve-name',
  about: 'Gives a partner the name that it asked for; mails and invoices show it from then on.',
  options: {
    partner: required(slug, 'Which partner.'),
    name: required(partnerName, 'The name that you checked: another one may have been requested since.'),
  },
  example: ['--partner', 'acme', '--name', 'Acme Payments Ltd'],
  run: (ops, given) =>
    decideName(ops, given.partner, 'partner.name_approve', ({ slug, requestedName }) =>
      requestedName === given.name
        ? { name: given.name }
        : refused('invalid_state', `${slug} asked for another name, as partner show shows.`),
    ),
})

const refuseName = defineCommand({
  noun: 'partner',
  verb: 'refuse-name',
  about: 'Refuses the name that a partner asked for; it keeps its name.',
  options: { partner: required(slug, 'Which partner.') },
  example: ['--partner', 'acme'],
  run: (ops, given) => decideName(ops, given.partner, 'partner.name_refuse', () => ({})),
})

export const nameCommands: readonly Command[] = [approveName, refuseName]

function decideName(
  ops: Ops,
  slug: string,
  action: string,
  decide: (partner: PartnerRow) => { readonly name?: string } | Refusal,
): Promise<Answer> {
  return ops.db.transaction(async (tx) => {
    const partner = await lockPartnerBySlug(tx, slug)
    if (partner === null) return unknownPartner(slug)
    if (partner.requestedName === null) return refused('invalid_state', `${slug} has not asked for another name.`)
    const decision = decide(partner)
    if ('outcome' in decision) return decision
    const at = ops.clock.now()
    const after = await updatePartner(tx, partner.id, { ...decision, requestedName: null }, at)
    await recordChange(ops, tx, { partnerId: partner.id, at, environment: null, action, detail: null })
    return done(presentPartner(after), describePartner(after))
  })
}

type Settings = ReturnType<typeof settingsOf>

// A default stands in for what was left out, and not for null, which "none" and "default" are read as.
function settingsOf(before: PartnerRow, given: Given<typeof settings>) {
  const {
    min: minPayoutPence = before.minPayoutPence,
    'max-per-payout': maxPayoutPence = before.maxPayoutPence,
    countries: enabledCountries = before.enabledCountries,
    'billing-email': billingEmail = before.billingEmail,
    'billing-address': billingAddress = before.billingAddress,
    'contact-email': contactEmail = before.contactEmail,
    name = before.name,
    'rate-limit-sandbox': rateLimitSandbox = before.rateLimitSandbox,
    'rate-limit-live': rateLimitLive = before.rateLimitLive,
  } = given
  const limits = { minPayoutPence, maxPayoutPence, rateLimitSandbox, rateLimitLive }
  return { ...limits, enabledCountries, billingEmail, billingAddress, contactEmail, name }
}

// The partner reads this in its activity list, where what people are called and written to has no place.
function differencesBetween(before: Settings, after: Settings): string[] {
  const compare = (name: string, show: (settings: Settings) => string) => {
    const [from, to] = [show(before), show(after)]
    return from === to ? [] : [`${name} ${from} -> ${to}`]
  }
  return [
    ...compare('min', (of) => formatPence(of.minPayoutPence)),
    ...compare('max_per_payout', (of) => formatPence(of.maxPayoutPence)),
    ...compare('countries', (of) => of.enabledCountries.join(' ')),
    ...compare('rate_limit_sandbox', (of) => String(of.rateLimitSandbox ?? 'default')),
    ...compare('rate_limit_live', (of) => String(of.rateLimitLive ?? 'default')),
    ...(before.name === after.name ? [] : ['name']),
    ...(before.billingEmail === after.billingEmail ? [] : ['billing_email']),
    ...(before.billingAddress === after.billingAddress ? [] : ['billing_address']),
    ...(before.contactEmail === after.contactEmail ? [] : ['contact_email']),
  ]
}
