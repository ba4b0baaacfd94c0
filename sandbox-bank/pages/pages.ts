// The pages where people prove who they are and accept the terms, by pressing a button.
import type { Bank } from '../bank'
import type { Reply } from '../http/answer'
import { type Moment, momentAt } from '../http/call'
import { notFound, refusal } from '../http/errors'
import type { Incoming } from '../http/protocol'
import { fasterPayments } from '../objects/customers'
import { changeCustomer, grant, isWebAddress } from '../objects/kyc-links'
import { type Customer, type Endorsement, environments } from '../storage/records'
import { escapeHtml, page } from './layout'

type Change = (moment: Moment, customer: Customer, query: URLSearchParams) => Partial<Customer>

interface Choice {
  readonly label: string
  readonly change: Change
}

interface Room {
  readonly title: string
  readonly text: string
  readonly choices: Readonly<Record<string, Choice>>
  status(customer: Customer): string
}

const rooms: Readonly<Record<string, Room>> = {
  kyc: {
    title: 'Business verification',
    text: 'A real bank would now ask for documents. Here you decide what it finds.',
    status: (customer) => customer.kycStatus,
    choices: {
      approve: { label: 'Approve', change: approve },
      ask: { label: 'Ask for more', change: () => ({ kycStatus: 'incomplete' }) },
      review: { label: 'Keep under review', change: () => ({ kycStatus: 'under_review' }) },
      reject: { label: 'Reject', change: reject },
    },
  },
  terms: {
    title: 'Terms of service',
    text: 'By pressing the button you accept terms that bind nobody.',
    status: (customer) => customer.tosStatus,
    choices: { accept: { label: 'Accept the terms', change: () => ({ tosStatus: 'approved' }) } },
  },
}

export async function answerPage(bank: Bank, { method, url, body }: Incoming): Promise<Reply> {
  const [, , name = '', customerId = '', ...rest] = url.pathname.split('/')
  const room = Object.hasOwn(rooms, name) ? rooms[name] : undefined
  const environment = environments.find((each) => bank.books[each].customers.get(customerId))
  const customer = environment && bank.books[environment].customers.get(customerId)
  if (!room || !environment || !customer || rest.length > 0) throw notFound('page')
  if (method === 'GET') return html(200, page(room.title, form(room, customer)))
  if (method !== 'POST') throw refusal(405, 'method_not_allowed', `${method} is not possible here.`)

  const pressed = new URLSearchParams(body.toString('utf8')).get('choice') ?? ''
  const choice = Object.hasOwn(room.choices, pressed) ? room.choices[pressed] : undefined
  if (!choice) return html(400, page(room.title, form(room, customer)))
  const moment = momentAt(bank, environment)
  bank.commit(
    environment,
    'customer.changed',
    changeCustomer(moment, customer, choice.change(moment, customer, url.searchParams)),
  )
  await bank.settled()
  const back = url.searchParams.get('redirect_uri')
  if (back !== null && isWebAddress(back))
    return { ...html(303, ''), headers: { Location: back, 'Content-Type': 'text/plain' } }
  return html(200, page(room.title, '<p role="status">Done. You may close this page.</p>'))
}

function approve(_moment: Moment, customer: Customer, query: URLSearchParams): Partial<Customer> {
  return { kycStatus: 'approved', endorsements: grant(withAsked(customer.endorsements, query.get('endorsement'))) }
}

function withAsked(endorsements: readonly Endorsement[], asked: string | null): readonly Endorsement[] {
  if (asked !== fasterPayments || endorsements.some(({ name }) => name === asked)) return endorsements
  return [...endorsements, { name: asked, status: 'incomplete' }]
}

function reject(moment: Moment, customer: Customer): Partial<Customer> {
  const rejection = {
    reason: 'Your information could not be verified.',
    developerReason: 'Rejected by hand on the make-believe page.',
    at: moment.now,
  }
  return { kycStatus: 'rejected', rejections: [...customer.rejections, rejection] }
}

function form(room: Room, customer: Customer): string {
  const buttons = Object.entries(room.choices).map(([value, { label }], index) => {
    const look = index === 0 ? ' class="main"' : ''
    return `<button${look} name="choice" value="${value}">${escapeHtml(label)}</button>`
  })
  return `<p>${escapeHtml(room.text)}</p>
<p>Customer: <strong>${escapeHtml(customer.fullName)}</strong><br>
Status now: <strong>${escapeHtml(room.status(customer))}</strong></p>
<form method="post">${buttons.join('\n')}</form>`
}

function html(status: number, body: string): Reply {
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
  }
  return { status, body, headers, wire: { kind: 'whole' } }
}
