// KYC links, which lead a customer to the verification and the terms, and changes to customers.
import { randomUUID } from 'node:crypto'
import { type Call, get, isoTime, type Moment, type Outcome, post, type Route } from '../http/call'
import { invalid, notFound, Refusal } from '../http/errors'
import { optionalText, requiredChoice, requiredText, valueAt } from '../http/fields'
import { listPage } from '../http/lists'
import type { Customer, Endorsement, KycLink, Put } from '../storage/records'
import { recordEvent } from '../webhooks/events'
import { customerOf, fasterPayments, presentCustomer, presentRejections, statusOf } from './customers'

export const kycLinkRoutes: readonly Route[] = [
  post('/kyc_links', createKycLink),
  get('/kyc_links', listLinks),
  get('/kyc_links/:link', (call) => presentLink(call, linkOf(call))),
  get('/customers/:customer/kyc_link', (call) => ({ url: kycUrlOfExisting(call) })),
  get('/customers/:customer/tos_acceptance_link', (call) => ({ url: tosUrl(call, customerOf(call)) })),
]

/** Returns a change made on a page or through the control plane, and its events. */
export function changeCustomer(moment: Moment, before: Customer, change: Partial<Customer>): Put[] {
  const after: Customer = { ...before, ...change, updatedAt: moment.now }
  const link = moment.books.kycLinks.of(before.id)[0]
  const status: [string, string] = [statusOf(before), statusOf(after)]
  const kyc: [string, string] = [before.kycStatus, after.kycStatus]
  return [
    ['customers', after],
    ...recordEvent(moment, {
      category: 'customer',
      type: 'customer.updated.status_transitioned',
      objectId: after.id,
      status: status[1],
      object: presentCustomer(after),
      changes: { status },
      about: { customer_id: after.id },
    }),
    ...(link
      ? recordEvent(moment, {
          category: 'kyc_link',
          type: 'kyc_link.updated.status_transitioned',
          objectId: link.id,
          status: kyc[1],
          object: presentLinkOf(moment, link, after),
          changes: { kyc_status: kyc },
          about: { customer_id: after.id },
        })
      : []),
  ]
}

/** Approval grants the requested endorsements. No other status revokes granted ones. */
export function grantEndorsements(endorsements: readonly Endorsement[]): Endorsement[] {
  return endorsements.map(({ name }) => ({ name, status: 'approved' }))
}

export function isWebAddress(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol)
}

function createKycLink(call: Call): Outcome {
  const { bank, environment, now } = call
  const fullName = requiredText(call.body, 'full_name', { max: 256 })
  const email = requiredText(call.body, 'email', {
    max: 254,
    pattern: /^[^\s@]+@[^\s@]+$/,
    says: 'must be an email address',
  })
  refuseSecond(call, email)
  const type = requiredChoice(call.body, 'type', ['individual', 'business'])
  const redirectUri = optionalText(call.body, 'redirect_uri', { max: 2_048 })
  if (redirectUri !== null && !isWebAddress(redirectUri))
    throw invalid('redirect_uri', 'redirect_uri must be a web address.')
  const asked = readEndorsements(call.body).map((name) => ({ name, status: 'incomplete' }))
  const automatic = environment === 'sandbox' && bank.settings.sandboxKyc === 'automatic'
  const customer: Customer = {
    id: randomUUID(),
    type,
    fullName,
    email,
    rejections: [],
    createdAt: now,
    updatedAt: now,
    kycStatus: automatic ? 'approved' : 'not_started',
    tosStatus: automatic ? 'approved' : 'pending',
    endorsements: automatic ? grantEndorsements(asked) : asked,
  }
  const link: KycLink = { id: randomUUID(), customerId: customer.id, redirectUri, createdAt: now }
  const body = presentLinkOf(call, link, customer)
  const events = recordEvent(call, {
    category: 'kyc_link',
    type: 'kyc_link.created',
    objectId: link.id,
    status: customer.kycStatus,
    object: body,
    changes: {},
    about: { customer_id: customer.id },
  })
  return { status: 201, body, what: 'customer.created', puts: [['customers', customer], ['kycLinks', link], ...events] }
}

/** In live mode, an email address belongs to one customer. Test customers may share an address. */
function refuseSecond(call: Call, email: string): void {
  if (call.environment !== 'live') return
  const isSame = ({ customerId }: KycLink) =>
    call.books.customers.get(customerId)?.email.toLowerCase() === email.toLowerCase()
  const existing = call.books.kycLinks.all().find(isSame)
  if (existing === undefined) return
  const message = 'A KYC link exists for this email.'
  throw new Refusal(400, { code: 'duplicate_record', message, existing_kyc_link: presentLink(call, existing) })
}

/** Lists all links, or those for one email address. */
function listLinks(call: Call) {
  const email = call.query.get('email')
  const ofCustomer = (link: KycLink) => call.books.customers.get(link.customerId)?.email
  const links = call.books.kycLinks.all().filter((link) => email === null || ofCustomer(link) === email)
  return listPage(call, links, (link) => presentLink(call, link))
}

function readEndorsements(body: unknown): string[] {
  const asked = valueAt(body, 'endorsements') ?? []
  if (!Array.isArray(asked) || asked.length > 10)
    throw invalid('endorsements', 'endorsements must be a list of at most 10 names.')
  const names = asked.map((name: unknown) => {
    if (name === 'base' || name === fasterPayments) return name
    throw invalid('endorsements', `endorsements may contain only base and ${fasterPayments}.`)
  })
  return [...new Set(['base', ...names])]
}

function linkOf(call: Call): KycLink {
  const link = call.books.kycLinks.get(call.param('link'))
  if (!link) throw notFound('kyc_link')
  return link
}

function presentLink(call: Call, link: KycLink): Record<string, unknown> {
  const customer = call.books.customers.get(link.customerId)
  if (!customer) throw notFound('kyc_link')
  return presentLinkOf(call, link, customer)
}

function presentLinkOf(moment: Moment, link: KycLink, customer: Customer): Record<string, unknown> {
  const back = link.redirectUri === null ? '' : `?${new URLSearchParams({ redirect_uri: link.redirectUri }).toString()}`
  return {
    id: link.id,
    full_name: customer.fullName,
    email: customer.email,
    type: customer.type,
    kyc_link: `${moment.bank.pagesUrl}/pages/kyc/${customer.id}${back}`,
    tos_link: `${tosUrl(moment, customer)}${back}`,
    kyc_status: customer.kycStatus,
    rejection_reasons: presentRejections(customer),
    tos_status: customer.tosStatus,
    customer_id: customer.id,
    created_at: isoTime(link.createdAt),
  }
}

function kycUrlOfExisting(call: Call): string {
  const customer = customerOf(call)
  const query = new URLSearchParams()
  const endorsement = call.query.get('endorsement')
  if (endorsement !== null && endorsement !== 'base' && endorsement !== fasterPayments) {
    throw invalid('endorsement', `endorsement must be base or ${fasterPayments}.`, 'query')
  }
  if (endorsement !== null) query.set('endorsement', endorsement)
  const redirectUri = call.query.get('redirect_uri')
  if (redirectUri !== null && !isWebAddress(redirectUri))
    throw invalid('redirect_uri', 'redirect_uri must be a web address.', 'query')
  if (redirectUri !== null) query.set('redirect_uri', redirectUri)
  return `${call.bank.pagesUrl}/pages/kyc/${customer.id}${query.size > 0 ? `?${query.toString()}` : ''}`
}

function tosUrl(moment: Moment, customer: Customer): string {
  return `${moment.bank.pagesUrl}/pages/terms/${customer.id}`
}
