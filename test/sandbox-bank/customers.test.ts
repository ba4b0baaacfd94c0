// Customers: verification, terms and endorsements, and the pages with the approval buttons.
import { expect, test } from '@jest/globals'
import { useSandboxBank } from '../support/bank/client'
import { aKycLink, aParty, aTransfer } from '../support/bank/parties'

const bank = useSandboxBank()

const live = { environment: 'live' } as const

async function press(url: string, choice: string): Promise<Response> {
  const body = new URLSearchParams({ choice })
  return fetch(url, { method: 'POST', body, redirect: 'manual' })
}

test('the sandbox approves a customer immediately', async () => {
  const { status, json } = await bank.post('/kyc_links', aKycLink())
  const customer = await bank.get(`/customers/${json.customer_id}`)

  expect(status).toBe(201)
  expect(json).toMatchObject({
    kyc_status: 'approved',
    tos_status: 'approved',
    rejection_reasons: [],
    type: 'business',
  })
  expect(customer.json).toMatchObject({
    status: 'active',
    endorsements: [
      { name: 'base', status: 'approved' },
      { name: 'faster_payments', status: 'approved' },
    ],
  })
  expect((await bank.get(`/kyc_links/${json.id}`)).json).toEqual(json)
})

test('links are listed newest first, and can be filtered by email', async () => {
  const email = 'one-of-a-kind@acme.test'
  const first = await bank.post('/kyc_links', aKycLink({ email }))
  const second = await bank.post('/kyc_links', aKycLink())

  const all = await bank.get('/kyc_links')
  const one = await bank.get(`/kyc_links?email=${encodeURIComponent(email)}`)

  expect(all.json.data.slice(0, 2)).toEqual([second.json, first.json])
  expect(one.json).toEqual({ count: 1, data: [first.json] })
  expect((await bank.get(`/kyc_links?email=${encodeURIComponent(email)}`, live)).json.data).toEqual([])
})

test('live mode has one link per email, ignoring case, and the sandbox allows several', async () => {
  const email = 'only-one@acme.test'
  const first = await bank.post('/kyc_links', aKycLink({ email }), live)

  const second = await bank.post('/kyc_links', aKycLink({ email: email.toUpperCase() }), live)

  expect(second).toMatchObject({ status: 400, json: { code: 'duplicate_record', existing_kyc_link: first.json } })
  const inSandbox = [
    await bank.post('/kyc_links', aKycLink({ email })),
    await bank.post('/kyc_links', aKycLink({ email })),
  ]
  expect(inSandbox.map(({ status }) => status)).toEqual([201, 201])
})

test('a live customer becomes active after both pages are completed, and is redirected back', async () => {
  const { json } = await bank.post('/kyc_links', aKycLink({ redirect_uri: 'https://partner.example/back' }), live)
  const before = await bank.get(`/customers/${json.customer_id}`, live)
  const shown = await (await fetch(json.kyc_link)).text()

  const approved = await press(json.kyc_link, 'approve')
  const between = await bank.get(`/customers/${json.customer_id}`, live)
  const accepted = await press(json.tos_link, 'accept')
  const after = await bank.get(`/customers/${json.customer_id}`, live)

  expect(shown).toContain('<html lang="en">')
  expect(shown).toContain('Analytical Engines Ltd')
  expect(before.json).toMatchObject({ status: 'not_started', has_accepted_terms_of_service: false })
  expect([approved.status, accepted.status]).toEqual([303, 303])
  expect(approved.headers.get('location')).toBe('https://partner.example/back')
  expect(between.json.status).toBe('incomplete')
  expect(after.json).toMatchObject({ status: 'active', has_accepted_terms_of_service: true })
})

test('the approval page can request more information or reject a customer, with a readable reason', async () => {
  const { json } = await bank.post('/kyc_links', aKycLink({ full_name: '<b>Bold</b> & Co' }), live)

  const page = await (await fetch(json.kyc_link)).text()
  await press(json.kyc_link, 'ask')
  const asked = await bank.get(`/kyc_links/${json.id}`, live)
  await press(json.kyc_link, 'reject')
  const rejected = await bank.get(`/kyc_links/${json.id}`, live)
  const nonsense = await press(json.kyc_link, 'constructor')

  expect(page).not.toContain('<b>Bold')
  expect(asked.json.kyc_status).toBe('incomplete')
  expect(rejected.json).toMatchObject({
    kyc_status: 'rejected',
    rejection_reasons: [{ reason: expect.stringContaining('verified') }],
  })
  expect(nonsense.status).toBe(400)
})

test('an existing customer gets links for the terms and for a further endorsement', async () => {
  const { json } = await bank.post('/kyc_links', aKycLink({ endorsements: ['base'] }))
  const path = `/customers/${json.customer_id}`

  const terms = await bank.get(`${path}/tos_acceptance_link`)
  const more = await bank.get(`${path}/kyc_link?endorsement=faster_payments`)
  await press(more.json.url, 'approve')

  expect(terms.json.url).toContain('/pages/terms/')
  expect((await bank.get(path)).json.endorsements).toContainEqual(
    expect.objectContaining({ name: 'faster_payments', status: 'approved' }),
  )
  expect((await bank.get(`${path}/kyc_link?endorsement=sepa`)).status).toBe(400)
})

test('a customer that is inactive or frozen, or lacks the terms or the endorsement, cannot pay', async () => {
  const party = await aParty(bank)
  const refusals: string[] = []
  const changes = [
    { status: 'under_review' },
    { status: 'approved', tos_status: 'pending' },
    { status: 'paused', tos_status: 'approved' },
    { status: 'offboarded' },
  ]
  for (const change of changes) {
    await bank.control('POST', `/customers/${party.customer}/kyc`, change)
    refusals.push((await bank.post('/transfers', aTransfer(party))).json.code)
  }
  const bare = await bank.post('/kyc_links', aKycLink({ endorsements: [] }))
  const wallet = await bank.post(`/customers/${bare.json.customer_id}/wallets`, { chain: 'base' })
  const without = aTransfer({ ...party, customer: bare.json.customer_id, wallet: wallet.json.id })
  const unendorsed = await bank.post('/transfers', without)

  expect(refusals).toEqual([
    'requires_active_kyc_status',
    'has_not_accepted_tos',
    'frozen',
    'requires_active_kyc_status',
  ])
  expect(unendorsed.status).toBe(403)
  expect(unendorsed.json.code).toBe('missing_required_endorsements')
})

test('a wallet needs an active customer', async () => {
  const { json } = await bank.post('/kyc_links', aKycLink(), live)

  const refused = await bank.post(`/customers/${json.customer_id}/wallets`, { chain: 'base' }, live)

  expect(refused.json.code).toBe('has_not_accepted_tos')
})

test('rejection reasons set by a test are shown', async () => {
  const { json } = await bank.post('/kyc_links', aKycLink(), live)
  const change = { status: 'rejected', reason: 'Document expired', developer_reason: 'doc 17' }
  await bank.control('POST', `/customers/${json.customer_id}/kyc`, change)

  const link = await bank.get(`/kyc_links/${json.id}`, live)

  expect(link.json.rejection_reasons).toMatchObject([{ reason: 'Document expired', developer_reason: 'doc 17' }])
})
