// GET /v1/invoices and /v1/invoices/{id} return invoices with their lines, without drafts, and documents as
// PDF and CSV.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { markInvoicePaid } from '../../../db/invoices/moves'
import { useApi } from '../../support/api/client'
import { aKey, anInvoice, aPartner, aSeller, aSession, useCaller } from '../../support/api/fixtures'

const api = useApi()
const { partner, caller } = useCaller(api, 'live')

const list = async (query = '') => (await api.get(`/v1/invoices${query}`, caller)).body

test('an invoice is shown with its lines in order and exact unit amounts', async () => {
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
        object: 'invoice',
        number: invoice.number,
        period: '2026-10',
        months: ['2026-10'],
        status: 'open',
        total_gbp: '18.48',
        credit_carried_in_gbp: '0.00',
        credit_carried_forward_gbp: '0.00',
        issued_at: '2026-11-01T06:00:00.000Z',
        due_at: '2026-11-15T06:00:00.000Z',
        paid_at: null,
        voided_at: null,
        void_reason: null,
        replaces: null,
        replaced_by: null,
        payment_instructions: aSeller.paymentLines,
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

test('paid and void invoices are shown, but drafts and other partners’ invoices are not', async () => {
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

test('the environment parameter has no effect, for keys and for members', async () => {
  await anInvoice(api, partner, { period: '2026-10-01' })
  const session = await aSession(api, partner, 'viewer')

  expect((await list()).data).toHaveLength(1)
  expect(await list('?environment=sandbox')).toEqual(await list())
  expect((await api.get('/v1/invoices?environment=sandbox', { session })).body).toEqual(await list())
})

test('a sandbox key sees no invoice, whether in the list, by ID, as a document or by its charges', async () => {
  const { id } = await anInvoice(api, partner, { period: '2026-10-01' })
  const sandbox = await aKey(api, partner, 'sandbox')
  const statusOf = async (path: string) => (await api.get(path, { key: sandbox })).status

  const listed = await api.get('/v1/invoices', { key: sandbox })

  expect([listed.status, listed.body]).toEqual([200, { object: 'list', data: [], has_more: false, next_cursor: null }])
  expect(await statusOf(`/v1/invoices?starting_after=${id}`)).toBe(422)
  for (const path of [id, `${id}.pdf`, `${id}.csv`, `${id}/charges`, `${id}/charges.csv`]) {
    expect([path, await statusOf(`/v1/invoices/${path}`)]).toEqual([path, 404])
  }
})

test('the first page has the latest 24 invoices, and its cursor leads to the older ones', async () => {
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

test('an invalid limit is 422 invalid_request, and so is a cursor that is unknown, a draft or another partner’s', async () => {
  const draft = await anInvoice(api, partner, { period: '2026-11-01', status: 'draft', number: null, issuedAt: null })
  const other = await anInvoice(api, await aPartner(api), { period: '2026-09-01' })
  const cursors = ['x', randomUUID(), draft.id, other.id]

  const answers = await Promise.all(
    ['limit=0', ...cursors.map((id) => `starting_after=${id}`)].map((query) =>
      api.get(`/v1/invoices?${query}`, caller),
    ),
  )

  expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual(
    Array.from({ length: 5 }, () => [422, 'invalid_request']),
  )
})

describe('one invoice', () => {
  const lines = [
    {
      kind: 'monthly_account',
      description: 'Monthly account, October 2026',
      quantity: 1,
      unitAmountMicropounds: 15_000_000n,
      amountPence: 1_500n,
    },
  ] as const
  const october = { period: '2026-10-01', number: null } as const
  const aNumber = () => `INV-2026-${randomUUID().slice(0, 6)}`
  const get = (path: string, headers = {}) => api.get(`/v1/invoices/${path}`, { ...caller, headers })

  test('matches the invoice in the list', async () => {
    const invoice = await anInvoice(api, partner, { ...october, number: aNumber() }, lines)

    const { status, body } = await get(invoice.id)

    expect(status).toBe(200)
    expect(body).toEqual((await list()).data?.[0])
    expect(body).toMatchObject({ object: 'invoice', number: invoice.number, status: 'open' })
  })

  test('shows why it is void, and when it was paid', async () => {
    const voided = await anInvoice(api, partner, { ...october, number: aNumber(), status: 'void' }, lines)
    const paid = await anInvoice(api, partner, { period: '2026-09-01', status: 'paid' }, lines)

    expect((await get(voided.id)).body).toMatchObject({ status: 'void', void_reason: 'a mistake', paid_at: null })
    expect((await get(paid.id)).body).toMatchObject({ status: 'paid', paid_at: paid.paidAt?.toISOString() })
  })

  test('shows the invoice that replaces it, and the one that it replaces', async () => {
    const voided = await anInvoice(api, partner, { ...october, number: aNumber(), status: 'void' }, lines)
    const replaces = voided.number ?? ''
    const document = { seller: aSeller, buyer: { name: partner.name, addressLines: [] }, replaces }
    const reissued = await anInvoice(api, partner, { ...october, number: aNumber(), document }, lines)
    const nameOf = ({ id, number }: { id: string; number: string | null }) => ({ id, number })

    expect((await get(voided.id)).body).toMatchObject({ replaces: null, replaced_by: nameOf(reissued) })
    expect((await get(reissued.id)).body).toMatchObject({ replaces: nameOf(voided), replaced_by: null })
    expect((await list()).data?.map(({ replaced_by }) => replaced_by)).toEqual([null, nameOf(reissued)])
  })

  test('shows the credit applied and the credit carried over', async () => {
    const charged = { kind: 'credit', description: 'Credit', quantity: 1, unitAmountMicropounds: 10_000n } as const
    const carrying = { period: '2026-08-01', totalPence: 0n, carriedPence: 1n }
    const invoice = await anInvoice(api, partner, carrying, [{ ...charged, amountPence: 1n }])

    expect((await get(invoice.id)).body).toMatchObject({
      total_gbp: '0.00',
      credit_carried_in_gbp: '0.00',
      credit_carried_forward_gbp: '0.01',
    })
  })

  test.each(['pdf', 'csv'])('can be downloaded as .%s, with its number as the file name', async (extension) => {
    const invoice = await anInvoice(api, partner, { ...october, number: aNumber() }, lines)

    const first = await get(`${invoice.id}.${extension}`)
    const again = await get(`${invoice.id}.${extension}`)

    expect(first.headers.get('Content-Type')).toBe(extension === 'pdf' ? 'application/pdf' : 'text/csv; charset=utf-8')
    expect(first.headers.get('Content-Disposition')).toBe(`attachment; filename="${invoice.number}.${extension}"`)
    expect(first.headers.get('Cache-Control')).toBe('no-store')
    expect(first.bytes.equals(again.bytes)).toBe(true)
    const expected = extension === 'pdf' ? '%PDF-' : invoice.number
    expect(first.bytes.toString('latin1')).toContain(expected)
  })

  test('is not sent again as a document to a client that has the current version, until it is paid', async () => {
    const invoice = await anInvoice(api, partner, { ...october, number: aNumber() }, lines)
    const first = await get(`${invoice.id}.csv`)
    const known = { 'If-None-Match': first.headers.get('ETag') ?? '' }

    expect((await get(`${invoice.id}.csv`, known)).status).toBe(304)
    // An invoice cannot be paid before its issue date, which can be later than the day on which this test runs.
    const at = invoice.issuedAt ?? api.clock.now()
    const number = invoice.number ?? ''
    await api.db.transaction((tx) => markInvoicePaid(tx, { number, at }))
    expect((await get(`${invoice.id}.csv`, known)).status).toBe(200)
  })

  test.each(['', '.pdf', '.csv'])(
    'requested with the extension "%s" is 404 not_found if it is unknown, malformed, a draft or another partner’s',
    async (end) => {
      const draft = { ...october, status: 'draft', issuedAt: null, dueAt: null } as const
      const ids = [
        randomUUID(),
        'x',
        'INV-2026-000001',
        (await anInvoice(api, partner, draft)).id,
        (await anInvoice(api, await aPartner(api), { ...october, number: aNumber() }, lines)).id,
      ]

      const answers = await Promise.all(ids.map((id) => get(`${id}${end}`)))

      expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual(ids.map(() => [404, 'not_found']))
    },
  )

  test('is not found with any other file extension', async () => {
    const invoice = await anInvoice(api, partner, { ...october, number: aNumber() }, lines)

    expect((await get(`${invoice.id}.xls`)).status).toBe(404)
    expect((await get(`${invoice.id}/pdf`)).status).toBe(404)
  })
})
