// Opens, shows, suspends, reactivates and closes partners. settings.ts changes their settings.
import { closePartnerForGood } from '../../db/partners/close'
import { countUndeliverableNotices } from '../../db/partners/notices'
import { openPartner } from '../../db/partners/open'
import { listPartners, lockPartnerToStop, type PartnerRow, updatePartner } from '../../db/partners/partners'
import { environments } from '../../domain/environment'
import { formatPence } from '../../domain/money'
import { isReservedSlug, type PartnerStatus, shownScreening } from '../../domain/partners/partner'
import { wakeUnsent } from '../bank/rail'
import { type Answer, type Command, defineCommand, done, refused } from '../command'
import { type Ops, recordChange } from '../connect'
import { email, exactUsdc, optional, partnerName, reason, required, slug } from '../options'
import { fields, table } from '../print'
import { tryTemporal } from '../reach-temporal'
import { onePartner, thePartner, unknownPartner, withPartner } from './by-slug'

const create = defineCommand('partner create', {
  about: "Opens a partner's account, with an admin who can sign in, both wallets and the sandbox's test money.",
  options: {
    name: required(partnerName, "The business's name."),
    slug: required(slug, 'The short name in URLs and commands; it never changes.'),
    email: required(email, 'The admin, who is also the contact.'),
  },
  example: ['--name', 'Acme Ltd', '--slug', 'acme', '--email', 'ada@acme.test'],
  async run(ops, { name, slug, email }) {
    const opened = await openPartner(ops, { name, slug, email, createdBy: ops.madeBy })
    if (opened.outcome === 'slug_taken') return slugTaken(slug)
    await connectSoon(ops, opened.partner.id)
    return done(presentPartner(opened.partner), describePartner(opened.partner))
  },
})

const show = defineCommand('partner show', {
  about: "Shows a partner's status, settings and verification, and its undeliverable notices.",
  ...onePartner,
  run: withPartner(async ({ db }, partner) => {
    const waiting = await countUndeliverableNotices(db, partner.id)
    const warning = `Notices that cannot be delivered because no admin has signed in and there is no contact email: ${waiting}.`
    const text = [describePartner(partner), ...(waiting === 0 ? [] : [warning])].join('\n')
    return done({ ...presentPartner(partner), waiting_notices: waiting }, text)
  }),
})

const list = defineCommand('partner list', {
  about: 'Shows every partner, by slug.',
  async run({ db }) {
    const partners = await listPartners(db)
    const rows = partners.map(({ slug, status, verificationStatus, name, requestedName }) => [
      slug,
      status,
      verificationStatus,
      name,
      requestedName ?? '',
    ])
    const headings = ['SLUG', 'STATUS', 'VERIFICATION', 'NAME', 'REQUESTED NAME']
    const text = rows.length > 0 ? table(headings, rows) : 'There are no partners yet.'
    return done({ object: 'list', data: partners.map(presentPartner) }, text)
  },
})

const suspend = defineCommand('partner suspend', {
  about:
    'Stops sending payouts of a partner to the bank: new ones are refused, unsent ones wait; its keys can still read.',
  ...onePartner,
  run: (ops, given) => moveStatus(ops, given.partner, { from: 'active', to: 'suspended', action: 'partner.suspend' }),
})

const reactivate = defineCommand('partner reactivate', {
  about: 'Lets a suspended partner pay out again; its waiting payouts are sent.',
  ...onePartner,
  async run(ops, given) {
    const move = { from: 'suspended', to: 'active', action: 'partner.reactivate' } as const
    const answer = await moveStatus(ops, given.partner, move)
    if (answer.outcome === 'done') await wakeUnsent(ops, environments, 'A partner is active again')
    return answer
  },
})

const close = defineCommand('partner close', {
  about:
    'Closes a partner permanently: revokes its keys, ends its sessions, and bills the month of closing as its last. Refused while anything is unfinished.',
  options: {
    partner: thePartner,
    reason: required(reason, 'The reason; the partner sees it in its activity list.'),
    remaining: optional(
      exactUsdc,
      'The exact balance of the live wallet, if it cannot be paid out; it stays there and is owed to the partner.',
    ),
  },
  example: ['--partner', 'acme', '--reason', 'Terminated by the partner, ticket 4711'],
  async run(ops, { partner: slug, reason, remaining = 0n }) {
    const { madeBy: by, closedPartnerReadDays: readDays } = ops
    const closed = await closePartnerForGood(ops, { slug, reason, remainingMicroUsdc: remaining, by, readDays })
    switch (closed.outcome) {
      case 'not_found':
        return unknownPartner(slug)
      case 'refused':
        return refused('invalid_state', `${slug} cannot be closed yet: ${closed.obstacles.join('; ')}.`)
      case 'already_closed':
        return done(presentPartner(closed.partner), `${slug} is already closed. ${readableSentence(closed.partner)}`)
      case 'closed': {
        const ended = `${slug} is closed. Keys revoked: ${closed.keys}. Sessions ended: ${closed.sessions}.`
        return done(presentPartner(closed.partner), `${ended} ${readableSentence(closed.partner)}`)
      }
    }
  },
})

export function slugTaken(slug: string): Answer {
  const sentence = isReservedSlug(slug) ? `The slug ${slug} is reserved.` : `The slug ${slug} is already taken.`
  return refused('slug_taken', sentence)
}

/** Starts connecting a new partner's sandbox to its bank. If that fails, the next sweep starts it. */
export async function connectSoon(ops: Ops, partnerId: string): Promise<void> {
  if (ops.bank.sandbox === null) return
  const queue = { queuePrefix: ops.taskQueuePrefix }
  await tryTemporal(ops, (temporal, { startConnectSandbox }) => startConnectSandbox({ temporal, ...queue }, partnerId))
}

export const commands: readonly Command[] = [create, show, list, suspend, reactivate, close]

/** Uses the API's field names. */
export function presentPartner(partner: PartnerRow) {
  return {
    object: 'partner',
    id: partner.id,
    slug: partner.slug,
    name: partner.name,
    requested_name: partner.requestedName,
    status: partner.status,
    contact_email: partner.contactEmail,
    billing_email: partner.billingEmail,
    billing_address: partner.billingAddress,
    enabled_countries: partner.enabledCountries,
    payout_limits_gbp: {
      min: formatPence(partner.minPayoutPence),
      max_per_payout: formatPence(partner.maxPayoutPence),
    },
    rate_limits_per_second: { sandbox: partner.rateLimitSandbox, live: partner.rateLimitLive },
    business_verification: {
      status: partner.verificationStatus,
      provider_status: partner.providerStatus,
      continue_url: partner.continueUrl,
      terms_url: partner.termsUrl,
      reasons: partner.verificationReasons,
    },
    screening: shownScreening(partner),
    closed_at: partner.closedAt?.toISOString() ?? null,
    readable_until: partner.readableUntil?.toISOString() ?? null,
    created_at: partner.createdAt.toISOString(),
    updated_at: partner.updatedAt.toISOString(),
  }
}

export function describePartner(partner: PartnerRow): string {
  const { payout_limits_gbp: limits, rate_limits_per_second: rates } = presentPartner(partner)
  return fields({
    partner: partner.slug,
    name: partner.name,
    'requested name': partner.requestedName,
    id: partner.id,
    status: partner.status,
    'contact email': partner.contactEmail,
    'billing email': partner.billingEmail,
    'billing address': partner.billingAddress?.replaceAll('\n', ', ') ?? null,
    countries: partner.enabledCountries.join(', '),
    'payouts (GBP)': `${limits.min} to ${limits.max_per_payout}`,
    'rate limits (/s)': `sandbox ${rates.sandbox ?? 'default'}, live ${rates.live ?? 'default'}`,
    verification: partner.verificationStatus,
    'refused because': partner.verificationReasons.join(' ') || null,
    screening: shownScreening(partner),
    opened: partner.createdAt.toISOString(),
    closed: partner.closedAt?.toISOString() ?? null,
    'readable until': partner.readableUntil?.toISOString() ?? null,
  })
}

function readableSentence({ readableUntil }: PartnerRow): string {
  const until = readableUntil?.toISOString()
  return until === undefined ? 'Its members cannot sign in.' : `Its admins can sign in and read until ${until}.`
}

interface Move {
  readonly from: PartnerStatus
  readonly to: PartnerStatus
  readonly action: string
}

async function moveStatus(ops: Ops, slug: string, { from, to, action }: Move): Promise<Answer> {
  return ops.db.transaction(async (tx) => {
    const partner = await lockPartnerToStop(tx, slug)
    if (partner === null) return unknownPartner(slug)
    const { id: partnerId, status } = partner
    if (status === to) return refused('invalid_state', `${slug} is already ${to}.`, { status })
    if (status !== from) return refused('invalid_state', `${slug} is ${status}, not ${from}.`, { status })
    const at = ops.clock.now()
    const moved = await updatePartner(tx, partnerId, { status: to }, at)
    await recordChange(ops, tx, { partnerId, at, environment: null, action, detail: null })
    return done(presentPartner(moved), `${slug} is now ${to}.`)
  })
}
