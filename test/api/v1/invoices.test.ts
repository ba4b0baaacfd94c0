// GET /v1/invoices (§2 Invoice, design §5): the latest 24 unless more are asked for, with their lines, and no drafts.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { PartnerRow } from '../../../db/partners'
import { type Api, startApi } from '../client'
import { aKey, anInvoice, aPartner } from '../fixtures'

let api: Api
let partner: PartnerRow
let key: string

beforeAll(async () => {
  api = await startApi()
})
beforeEach(async () => {
  partner = await aPartner(api)
  key = await aKey(api, partner, 'sandbox')
})
afterAll(() => api.close())

const list = async (query = '') => (await api.get(`/v1/invoices${query}`, { key })).body

test('an invoice is shown with its lines in their order, unit amounts exact', async () => {
  const issuedAt = new Date('2026-11-01T06:00:00Z')
  const invoice = await anInvoice(api, partner, { period: '2026-10-01', createdAt: issuedAt }, [
    {
      kind: 'monthly_account',
      description: 'Account',
      quantity: 1,
      unitAmountMicropounds: 15_000_000n,
      amountPence: 1500n,
    },
    { kind: 'network_fees', description: 'Network', quantity: 100, unitAmountMicropounds: 19_800n, amountPence: 198n },
    { kind: 'payout_fees', description: 'Fees', quantity: 3, unitAmountMicropounds: 500_000n, amountPence: 150n },
  ])

  expect(await list()).toEqual({
    object: 'list',
    data: [
      {
        id: invoice.id,
        period: '2026-10',
        status: 'open',
        total_gbp: '18.48',
        issued_at: '2026-11-01T06:00:00.000Z',
        due_at: '2026-11-15T06:00:00.000Z',
        lines: [
          {
            kind: 'monthly_account',
            description: 'Account',
            quantity: 1,
            unit_amount_gbp: '15.00',
            amount_gbp: '15.00',
          },
          {
            kind: 'network_fees',
            description: 'Network',
            quantity: 100,
            unit_amount_gbp: '0.0198',
            amount_gbp: '1.98',
          },
          { kind: 'payout_fees', description: 'Fees', quantity: 3, unit_amount_gbp: '0.50', amount_gbp: '1.50' },
        ],
      },
    ],
    has_more: false,
    next_cursor: null,
  })
})

test('paid and void ones are shown, drafts and other partners’ are not', async () => {
  await anInvoice(api, partner, { period: '2026-11-01', status: 'draft', number: null, issuedAt: null, dueAt: null })
  await anInvoice(api, partner, { period: '2026-10-01', status: 'void', createdAt: new Date('2026-11-01T06:00:00Z') })
  await anInvoice(api, partner, { period: '2026-10-01', createdAt: new Date('2026-11-02T06:00:00Z') })
  await anInvoice(api, partner, { period: '2026-09-01', status: 'paid' })
  await anInvoice(api, await aPartner(api), { period: '2026-09-01' })

  expect((await list()).data?.map(({ period, status }) => [period, status])).toEqual([
    ['2026-10', 'open'],
    ['2026-10', 'void'],
    ['2026-09', 'paid'],
  ])
})

test('both environments see the partner’s invoices; the parameter environment has no meaning here', async () => {
  await anInvoice(api, partner, { period: '2026-10-01' })
  const live = await aKey(api, partner, 'live')

  expect((await api.get('/v1/invoices', { key: live })).body).toEqual(await list('?environment=live'))
  expect((await list()).data).toHaveLength(1)
})

test('the latest 24 come first, older ones by the cursor', async () => {
  for (let month = 0; month < 26; month++) {
    const period = new Date(Date.UTC(2024, month)).toISOString().slice(0, 10)
    await anInvoice(api, partner, { period })
  }

  const first = await list()
  const second = await list(`?starting_after=${first.next_cursor}`)

  expect([first.data?.length, first.data?.[0]?.['period'], first.has_more]).toEqual([24, '2026-02', true])
  expect(second.data?.map(({ period }) => period)).toEqual(['2024-02', '2024-01'])
  expect([second.has_more, second.next_cursor]).toEqual([false, null])
  expect((await list('?limit=200')).data).toHaveLength(26)
})

test('422 invalid_request for a bad limit, and for a cursor that is unknown, a draft or somebody else’s', async () => {
  const draft = await anInvoice(api, partner, { period: '2026-11-01', status: 'draft', number: null, issuedAt: null })
  const other = await anInvoice(api, await aPartner(api), { period: '2026-09-01' })
  const cursors = ['x', randomUUID(), draft.id, other.id]

  const answers = await Promise.all(
    ['limit=0', ...cursors.map((id) => `starting_after=${id}`)].map((query) =>
      api.get(`/v1/invoices?${query}`, { key }),
    ),
  )

  expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual(
    Array.from({ length: 5 }, () => [422, 'invalid_request']),
  )
})
