// PATCH /v1/account: the settings that admins can change: name, branding, contact addresses and email notifications.
import { type Static, Type } from 'typebox'
import type { Tx } from '../../db/database'
import { loadAccount } from '../../db/partners/accounts'
import { storeLogo } from '../../db/partners/logos'
import { lockPartner, lockPartnerBySlug, type PartnerChanges, updatePartner } from '../../db/partners/partners'
import { partnerNameMaxLength } from '../../domain/limits'
import { formatUsdc, type MicroUsdc, microUsdcPerCent, parseUsdc } from '../../domain/money'
import { noticeKinds, renamed, type SwitchableNotice } from '../../domain/partners/partner'
import { recordChange } from '../controls/record-change'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'
import { bodyOf } from '../http/requests/read-request'
import { type ApiRequest, ok, patch, personOf, type Reply } from '../http/route'
import { Body, Component, Email, Lines, MailedName, MoneyWithin, Nullable, Pattern } from '../http/schema'
import { checks } from '../http/steps'
import { type Confirmable, ConfirmCode, changeConfirmed, confirmRoute, noCodeNeeded } from '../sign-in/confirm-codes'
import { Account, exampleAccount, presentAccount } from './account'
import { logoHint, logoMaxLength, logoPattern, readLogo } from './logo'
import {
  exampleMailSettings,
  lowBalanceDescription,
  mailSettings,
  NotificationChanges,
  presentMailSettings,
} from './mail-settings'
import { tellAdmins } from './tell-admins'

const lowestLowBalance: MicroUsdc = microUsdcPerCent
const highestLowBalance: MicroUsdc = 1_000_000_000_000_000n
const lowBalanceRule = `from ${formatUsdc(lowestLowBalance)} to ${formatUsdc(highestLowBalance)}`
const lowBalanceRange = { least: lowestLowBalance / microUsdcPerCent, most: highestLowBalance / microUsdcPerCent }

const emailFields = {
  billing_email: Type.Optional(Nullable(Email({ description: 'The address for invoices.' }))),
  contact_email: Type.Optional(
    Nullable(Email({ description: 'Where we and the bank contact you about your account.' })),
  ),
}

const EmailsToConfirm = Body('EmailsToConfirm', emailFields)

const AccountChanges = Body('AccountChanges', {
  name: Type.Optional(
    MailedName({
      maxLength: partnerNameMaxLength,
      description:
        'Once business verification has started, a new name waits as `requested_name` until we approve it. To withdraw it, send the current name.',
    }),
  ),
  logo_url: Type.Optional(
    Nullable(
      Type.String({
        format: 'uri',
        pattern: '^https://',
        maxLength: 500,
        description:
          'The URL of an image on another site, returned unchanged. Our own pages show only a stored `logo`.',
        'x-hint': 'an https:// address',
      }),
    ),
  ),
  logo: Type.Optional(
    Nullable(
      Type.String({
        pattern: logoPattern,
        maxLength: logoMaxLength,
        description: `Shown on our pages; \`logo_url\` then refers to it. Format: ${logoHint}.`,
        'x-hint': logoHint,
      }),
    ),
  ),
  brand_color: Type.Optional(Nullable(Pattern('^#[0-9a-fA-F]{6}$', { 'x-hint': 'a colour such as #0f766e' }))),
  ...emailFields,
  billing_address: Type.Optional(
    Nullable(Lines({ maxLength: 500, description: 'The address as printed on invoices, line by line.' })),
  ),
  notifications: Type.Optional(NotificationChanges),
  low_balance_usdc: Type.Optional(
    Nullable(MoneyWithin(lowBalanceRange, { description: lowBalanceDescription, 'x-hint': lowBalanceRule })),
  ),
  confirm_code: ConfirmCode(
    'Required with billing_email or contact_email: the code from POST /v1/account/confirm-codes, for the same values of both.',
  ),
})

const ChangedAccount = Component('ChangedAccount', { ...Account.properties, ...mailSettings })

export const changeAccountRoute = patch('/v1/account', 'changeAccount', {
  steps: [...checks('account.update', { by: 'person', partner: 'active' }, { body: AccountChanges }), changeAccount],
  summary: 'Update the account',
  description:
    'Omitted fields do not change, and null removes a value. GET /v1/auth/session shows all fields. `billing_email` and ' +
    '`contact_email` need a `confirm_code`.',
  bodyExample: { brand_color: '#0f766e', billing_address: '1 High Street\nLondon' },
  reply: ok('The account.', ChangedAccount, { ...exampleAccount, ...exampleMailSettings }),
  errors: ['invalid_confirm_code'],
})

async function changeAccount(request: ApiRequest, deps: ApiDeps): Promise<Reply> {
  const { confirm_code, ...wanted } = bodyOf<typeof AccountChanges>(request)
  const changes = changesFrom(wanted)
  const logo = typeof wanted.logo === 'string' ? readLogo(wanted.logo) : wanted.logo
  const { email: by, partner, environment } = personOf(request)
  const at = deps.clock.now()
  const emails = emailsIn(wanted)
  const needed = emails === null ? null : boundToEmails(emails)
  const change = async (tx: Tx) => {
    const mutedMails = await mutedAfter(tx, partner.slug, wanted.notifications)
    const rename = await nameAfter(tx, partner.id, wanted.name)
    const after = await updatePartner(tx, partner.id, { ...changes, ...mutedMails, ...rename }, at)
    if (logo !== undefined) await storeLogo(tx, partner.id, logo)
    // Records only the names of the changed fields, because addresses must not be in the activity list.
    const recorded = { partnerId: partner.id, by, action: 'account.update', detail: Object.keys(wanted).join(', ') }
    await recordChange(tx, { ...recorded, status: 200 }, request, deps)
    if (emails !== null) await tellAdmins(tx, { partnerId: partner.id, by, happened: happenedTo(emails) }, deps)
    return after
  }
  const changed = await changeConfirmed({ needed, code: confirm_code }, change, request, deps)
  const account = await loadAccount(deps.db, { partnerId: partner.id, environment, at })
  return { body: { ...presentAccount(account), ...presentMailSettings(changed) }, activity: 'written' }
}

export const changeAccountConfirmCodeRoute = confirmRoute(changeAccountRoute, 'account.confirm', confirmEmails, {
  body: EmailsToConfirm,
  summary: 'Send a code to change the billing or contact email',
  bodyExample: { billing_email: 'billing@acme.example.com' },
})

async function confirmEmails(request: ApiRequest): Promise<Confirmable> {
  const wanted = bodyOf<typeof EmailsToConfirm>(request)
  const emails = emailsIn(wanted)
  if (emails === null) throw noCodeNeeded('Only billing_email and contact_email need a code.', { status: 'no_email' })
  return {
    bound: boundToEmails(emails),
    mail: happenedTo(emails),
    activity: { detail: Object.keys(wanted).join(', ') },
  }
}

type Emails = Static<typeof EmailsToConfirm>

/** Null if neither address changes. */
function emailsIn({ billing_email, contact_email }: Emails): Emails | null {
  const emails = {
    ...(billing_email === undefined ? {} : { billing_email }),
    ...(contact_email === undefined ? {} : { contact_email }),
  }
  return Object.keys(emails).length === 0 ? null : emails
}

/**
 * An omitted address does not change, and null removes it. These are different changes, so they need different codes.
 */
function boundToEmails(emails: Emails) {
  return { action: 'account.update', fields: { ...emails } }
}

function happenedTo({ billing_email, contact_email }: Emails) {
  return { what: 'emails_changed', billingEmail: billing_email, contactEmail: contact_email } as const
}

function changesFrom(wanted: Static<typeof AccountChanges>): PartnerChanges {
  const { logo_url, brand_color, billing_email, contact_email, billing_address, low_balance_usdc } = wanted
  return {
    ...(logo_url === undefined ? {} : { logoUrl: logo_url }),
    ...(brand_color === undefined ? {} : { brandColor: brand_color }),
    ...(billing_email === undefined ? {} : { billingEmail: billing_email }),
    ...(contact_email === undefined ? {} : { contactEmail: contact_email }),
    ...(billing_address === undefined ? {} : { billingAddress: billing_address }),
    ...(low_balance_usdc === undefined ? {} : { lowBalanceMicroUsdc: lowBalanceFrom(low_balance_usdc) }),
  }
}

function lowBalanceFrom(usdc: string | null): MicroUsdc | null {
  if (usdc === null) return null
  const amount = parseUsdc(usdc)
  if (amount === null || amount < lowestLowBalance || amount > highestLowBalance) {
    throw new ApiError('invalid_request', { details: { errors: [`low_balance_usdc (${lowBalanceRule})`] } })
  }
  return amount
}

/** Locks the partner, because its verification may start at the same time. */
async function nameAfter(tx: Tx, partnerId: string, name: string | undefined): Promise<PartnerChanges> {
  const partner = name === undefined ? null : await lockPartner(tx, partnerId)
  return name === undefined || partner === null ? {} : renamed(partner, name.trim())
}

/** Omitted switches do not change. Locks the partner, so that two concurrent changes both take effect. */
async function mutedAfter(
  tx: Tx,
  slug: string,
  switches: Static<typeof NotificationChanges> | undefined,
): Promise<PartnerChanges> {
  const partner = switches === undefined ? null : await lockPartnerBySlug(tx, slug)
  if (partner === null) return {}
  const isMuted = (kind: SwitchableNotice) => {
    const wanted = switches?.[kind]
    return wanted === undefined ? partner.mutedMails.includes(kind) : !wanted
  }
  return { mutedMails: noticeKinds.filter(isMuted) }
}
