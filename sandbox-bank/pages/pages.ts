// The bank's web pages, where a visitor completes verification and accepts the terms with a button.
import type { Bank } from '../bank'
import type { Reply } from '../http/answer'
import { type Moment, momentAt } from '../http/call'
import { notFound, refusal } from '../http/errors'
import type { Incoming } from '../http/protocol'
import { fasterPayments } from '../objects/customers'
import { changeCustomer, grantEndorsements, isWebAddress } from '../objects/kyc-links'
import { type Customer, type Endorsement, environments } from '../storage/records'

type Change = (moment: Moment, customer: Customer, query: URLSearchParams) => Partial<Customer>

interface Choice {
  readonly label: string
  readonly change: Change
}

interface PageContent {
  readonly title: string
  readonly text: string
  readonly choices: Readonly<Record<string, Choice>>
  status(customer: Customer): string
}

const pages: Readonly<Record<string, PageContent>> = {
  kyc: {
    title: 'Business verification',
    text: 'A real bank would now ask for documents. Here you choose the result.',
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
    text: 'The button accepts example terms that have no legal effect.',
    status: (customer) => customer.tosStatus,
    choices: { accept: { label: 'Accept the terms', change: () => ({ tosStatus: 'approved' }) } },
  },
}

export async function answerPage(bank: Bank, { method, url, body }: Incoming): Promise<Reply> {
  const [, , name = '', customerId = '', ...rest] = url.pathname.split('/')
  const content = Object.hasOwn(pages, name) ? pages[name] : undefined
  const environment = environments.find((each) => bank.books[each].customers.get(customerId))
  const customer = environment && bank.books[environment].customers.get(customerId)
  if (!content || !environment || !customer || rest.length > 0) throw notFound('page')
  if (method === 'GET') return html(200, page(content.title, form(content, customer)))
  if (method !== 'POST') throw refusal(405, 'method_not_allowed', `${method} is not allowed here.`)

  const pressed = new URLSearchParams(body.toString('utf8')).get('choice') ?? ''
  const choice = Object.hasOwn(content.choices, pressed) ? content.choices[pressed] : undefined
  if (!choice) return html(400, page(content.title, form(content, customer)))
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
  return html(200, page(content.title, '<p role="status">Done. You may close this page.</p>'))
}

function approve(_moment: Moment, customer: Customer, query: URLSearchParams): Partial<Customer> {
  return {
    kycStatus: 'approved',
    endorsements: grantEndorsements(withAsked(customer.endorsements, query.get('endorsement'))),
  }
}

function withAsked(endorsements: readonly Endorsement[], asked: string | null): readonly Endorsement[] {
  if (asked !== fasterPayments || endorsements.some(({ name }) => name === asked)) return endorsements
  return [...endorsements, { name: asked, status: 'incomplete' }]
}

function reject(moment: Moment, customer: Customer): Partial<Customer> {
  const rejection = {
    reason: 'Your information could not be verified.',
    developerReason: 'Rejected on the page of the sandbox bank.',
    at: moment.now,
  }
  return { kycStatus: 'rejected', rejections: [...customer.rejections, rejection] }
}

function form(content: PageContent, customer: Customer): string {
  const buttons = Object.entries(content.choices).map(([value, { label }], index) => {
    const look = index === 0 ? ' class="main"' : ''
    return `<button${look} name="choice" value="${value}">${escapeHtml(label)}</button>`
  })
  return `<p>${escapeHtml(content.text)}</p>
<p>Customer: <strong>${escapeHtml(customer.fullName)}</strong><br>
Current status: <strong>${escapeHtml(content.status(customer))}</strong></p>
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

/** The page contains no script. */
function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Sandbox Bank</title>
<style>
body { font: 1.0625rem/1.5 system-ui, sans-serif; color: #1b1f24; background: #f6f7f9; margin: 0; }
main { max-width: 34rem; margin: 3rem auto; padding: 2rem; background: #fff; border: 1px solid #d5d9e0;
  border-radius: .5rem; }
h1 { font-size: 1.5rem; margin-top: 0; }
.note { border-left: .25rem solid #b35900; padding-left: .75rem; }
button { font: inherit; padding: .5rem 1rem; margin: .25rem .5rem .25rem 0; border-radius: .375rem; cursor: pointer;
  border: 1px solid #1b4fd8; background: #fff; color: #1b4fd8; }
button.main { background: #1b4fd8; color: #fff; }
button:focus-visible { outline: 3px solid #f5a623; outline-offset: 2px; }
</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p class="note">This is a sandbox bank. No real money moves.</p>
${content}
</main>
</body>
</html>
`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
