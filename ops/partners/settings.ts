// `partner set` changes a partner's settings. `partner approve-name` and `refuse-name` decide about a requested name.
import { type PartnerRow, updatePartner } from '../../db/partners/partners'
import { formatPence } from '../../domain/money'
import { type Answer, type Command, defineCommand, done, type ParsedOptions, type Refusal, refused } from '../command'
import { type Ops, recordChange } from '../connect'
import {
  addressOrNone,
  countryList,
  emailOrNone,
  optional,
  partnerName,
  payoutAmount,
  rateLimit,
  required,
} from '../options'
import { onePartner, thePartner, withLockedPartner } from './by-slug'
import { describePartner, presentPartner } from './lifecycle'

const settings = {
  min: optional(payoutAmount, 'The smallest payout.'),
  'max-per-payout': optional(payoutAmount, 'The largest payout.'),
  countries: optional(countryList, 'Countries that the partner may pay to.'),
  'billing-email': optional(emailOrNone, 'Recipient of the invoices.'),
  'billing-address': optional(addressOrNone, 'Address on invoices, below the name.'),
  'contact-email': optional(emailOrNone, 'Recipient of all other emails.'),
  name: optional(partnerName, "The business's name."),
  'rate-limit-sandbox': optional(rateLimit, 'Requests per second in the sandbox.'),
  'rate-limit-live': optional(rateLimit, 'Requests per second in live.'),
}

const setPartner = defineCommand('partner set', {
  about: "Changes a partner's limits, countries, emails, billing address, name or rate limits. Omitted settings stay.",
  options: { partner: thePartner, ...settings },
  example: '--partner acme --min 2.50 --max-per-payout 5000.00 --countries GB --billing-email bills@acme.test'.split(
    ' ',
  ),
  async run(ops, given) {
    if (Object.keys(given).every((name) => name === 'partner')) {
      const names = Object.keys(settings).map((name) => `--${name}`)
      return refused('invalid_request', `Specify at least one of: ${names.join(', ')}.`)
    }
    return withLockedPartner(ops, given.partner, async (tx, before) => {
      const wanted = settingsOf(before, given)
      const { minPayoutPence: min, maxPayoutPence: max } = wanted
      if (min > max) {
        const sentence = `The smallest payout, ${formatPence(min)}, would exceed the largest, ${formatPence(max)}.`
        return refused('invalid_request', sentence)
      }
      const differences = differencesBetween(before, wanted)
      if (differences.length === 0) return done(presentPartner(before), describePartner(before))

      const at = ops.clock.now()
      // When an operator sets a name, an open request for another name is closed too.
      const request = wanted.name === before.name ? {} : { requestedName: null }
      const after = await updatePartner(tx, before.id, { ...wanted, ...request }, at)
      const detail = differences.join(', ')
      await recordChange(ops, tx, { partnerId: before.id, at, environment: null, action: 'partner.update', detail })
      return done(presentPartner(after), describePartner(after))
    })
  },
})

const approveName = defineCommand('partner approve-name', {
  about: 'Approves the name that a partner requested; emails and invoices show it from then on.',
  options: {
    partner: thePartner,
    name: required(partnerName, 'The name that you checked, because another one may have been requested since.'),
  },
  example: ['--partner', 'acme', '--name', 'Acme Payments Ltd'],
  run: (ops, given) =>
    decideName(ops, given.partner, 'partner.name_approve', ({ slug, requestedName }) =>
      requestedName === given.name
        ? { name: given.name }
        : refused('invalid_state', `${slug} requested another name: see \`partner show\`.`),
    ),
})

const refuseName = defineCommand('partner refuse-name', {
  about: 'Refuses the name that a partner requested; the partner keeps its name.',
  ...onePartner,
  run: (ops, given) => decideName(ops, given.partner, 'partner.name_refuse', () => ({})),
})

export const commands: readonly Command[] = [setPartner, approveName, refuseName]

function decideName(
  ops: Ops,
  slug: string,
  action: string,
  decide: (partner: PartnerRow) => { readonly name?: string } | Refusal,
): Promise<Answer> {
  return withLockedPartner(ops, slug, async (tx, partner) => {
    if (partner.requestedName === null) return refused('invalid_state', `${slug} has not requested another name.`)
    const decision = decide(partner)
    if ('outcome' in decision) return decision
    const at = ops.clock.now()
    const after = await updatePartner(tx, partner.id, { ...decision, requestedName: null }, at)
    await recordChange(ops, tx, { partnerId: partner.id, at, environment: null, action, detail: null })
    return done(presentPartner(after), describePartner(after))
  })
}

type Settings = ReturnType<typeof settingsOf>

// A destructuring default applies to an omitted option but not to null, the parsed value of "none" and "default".
function settingsOf(before: PartnerRow, given: ParsedOptions<typeof settings>) {
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

// The partner's activity list shows this text, so it contains no names or addresses.
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
