// GET /v1/payouts lists payouts newest first, in pages, with filters. It hides payouts whose caller has no answer
// yet.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { payoutStatuses } from '../../../domain/payouts/payout'
import { useApi } from '../../support/api/client'
import { aKey, aPartner, aPayoutRow, useCaller } from '../../support/api/fixtures'

const api = useApi()
const { partner, caller } = useCaller(api)

const at = (minute: number) => new Date(Date.UTC(2026, 10, 16, 9, minute))
const list = async (query = '') => (await api.get(`/v1/payouts${query}`, caller)).body
const ids = async (query = '') => (await list(query)).data?.map(({ id }) => id)

/** The IDs on all pages of two payouts each. */
async function idsInPages(query = ''): Promise<unknown[]> {
  const seen: unknown[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await list(`?limit=2${query && `&${query}`}${cursor && `&starting_after=${cursor}`}`)
    seen.push(...(page.data ?? []).map(({ id }) => id))
    expect(page.next_cursor === null).toBe(!page.has_more)
    cursor = page.next_cursor ?? null
  }
  return seen
}

describe('the list', () => {
  test('is empty at first', async () => {
    expect(await list()).toEqual({ object: 'list', data: [], has_more: false, next_cursor: null })
  })

  test('shows each payout with every field', async () => {
    const row = await aPayoutRow(api, partner, { status: 'failed', reference: 'Invoice 1042', createdAt: at(1) })

    expect((await list()).data).toEqual([
      {
        id: row.id,
        object: 'payout',
        environment: 'sandbox',
        status: 'failed',
        reference: 'Invoice 1042',
        country: 'GB',
        amount_gbp: '120.00',
        fee_gbp: '2.19',
        fee_breakdown: { taken_in_transfer_gbp: '1.10', on_monthly_invoice_gbp: '1.09' },
        wallet_sent_usdc: '153.30',
        recipient: { name: 'Ada Lovelace', account_last4: '5678' },
        failure_reason: 'invalid_account: The bank rejected the account details.',
        created_at: '2026-11-16T09:01:00.000Z',
        updated_at: '2026-11-16T09:01:00.000Z',
        completed_at: null,
        created_via: 'api',
        idempotency_key: row.idempotencyKey,
      },
    ])
  })

  test('is newest first, with 50 entries by default', async () => {
    for (let minute = 0; minute < 51; minute++) await aPayoutRow(api, partner, { createdAt: at(minute) })

    const { data, has_more } = await list()

    expect([data?.length, has_more]).toEqual([50, true])
    expect(data?.[0]?.['created_at']).toBe('2026-11-16T09:50:00.000Z')
    expect(data?.at(-1)?.['created_at']).toBe('2026-11-16T09:01:00.000Z')
    expect((await list('?limit=200')).data).toHaveLength(51)
  })

  test('shows every payout once across pages, even those created in the same millisecond or microsecond', async () => {
    const rows = []
    for (let n = 0; n < 9; n++) rows.push(await aPayoutRow(api, partner, { createdAt: at(0) }))
    // PostgreSQL stores microseconds. A cursor with JavaScript's milliseconds would skip or repeat rows.
    for (const [n, { id }] of rows.slice(0, 6).entries()) {
      const micros = `interval '${n % 3} microseconds'`
      await api.db.dataSource.query(`UPDATE payouts SET created_at = created_at + ${micros} WHERE id = $1`, [id])
    }

    const seen = await idsInPages()

    expect(seen).toEqual(await ids('?limit=200'))
    expect(new Set(seen).size).toBe(9)
  })

  test('has no next page after a page that ends with the last payout', async () => {
    for (const minute of [1, 2]) await aPayoutRow(api, partner, { createdAt: at(minute) })

    expect(await list('?limit=2')).toMatchObject({ has_more: false, next_cursor: null })
    expect(await list('?limit=1')).toMatchObject({ has_more: true })
  })

  test('hides undecided and released payouts, and shows acknowledged pending ones', async () => {
    const undecided = { status: 'pending', verdictAt: null, verdict: null } as const
    await aPayoutRow(api, partner, undecided)
    await aPayoutRow(api, partner, { ...undecided, verdict: 'payout_not_created', releasedAt: at(2) })
    await aPayoutRow(api, partner, { status: 'pending', releasedAt: at(2) })
    const answered = await aPayoutRow(api, partner, { ...undecided, answeredAt: at(1) })

    expect(await ids()).toEqual([answered.id])
  })

  test('shows only this partner’s payouts in the key’s environment', async () => {
    const other = await aPartner(api)
    await aPayoutRow(api, other)
    const sandbox = await aPayoutRow(api, partner)
    const live = await aPayoutRow(api, partner, { environment: 'live' })
    const liveKey = await aKey(api, partner, 'live')

    expect(await ids('?environment=live')).toEqual([sandbox.id])
    expect((await api.get('/v1/payouts', { key: liveKey })).body.data?.map(({ id }) => id)).toEqual([live.id])
  })
})

describe('the sort parameter', () => {
  const pence = ({ amountPence }: { readonly amountPence: bigint }) => Number(amountPence)
  const time = ({ createdAt }: { readonly createdAt: Date }) => createdAt.getTime()

  test.each([
    ['newest', 'time', -1],
    ['oldest', 'time', 1],
    ['largest', 'amount', -1],
    ['smallest', 'amount', 1],
  ] as const)('with the value %s pages through every payout once, ordered by %s', async (sort, by, direction) => {
    const rows = []
    // The IDs are not in chronological order, so a cursor needs both the ID and the time.
    for (const [n, amountPence] of [500n, 9_000n, 500n, 12_000n, 500n, 500n, 12_000n].entries()) {
      const id = randomUUID().replace(/^./, String(n))
      rows.push(await aPayoutRow(api, partner, { id, amountPence, createdAt: at(n % 5) }))
    }
    rows.sort((one, other) => {
      const amounts = by === 'amount' ? pence(one) - pence(other) : 0
      return direction * (amounts || time(one) - time(other) || (one.id < other.id ? -1 : 1))
    })

    expect(await idsInPages(`sort=${sort}`)).toEqual(rows.map(({ id }) => id))
  })

  test('applies to filtered lists and to searches of any length', async () => {
    for (const [minute, amountPence] of [3_000n, 1_000n, 2_000n].entries())
      await aPayoutRow(api, partner, { amountPence, createdAt: at(minute), status: 'failed', reference: 'Rent 7' })
    await aPayoutRow(api, partner, { amountPence: 4_000n, reference: 'Wages 8' })
    const amounts = async (query: string) => (await list(query)).data?.map((payout) => payout['amount_gbp'])

    for (const filter of ['status=failed', 'q=rent', 'q=7'])
      expect(await amounts(`?sort=largest&${filter}`)).toEqual(['30.00', '20.00', '10.00'])
    const { next_cursor } = await list('?sort=smallest&q=7&limit=1')
    expect(await amounts(`?sort=smallest&q=7&starting_after=${next_cursor}`)).toEqual(['20.00', '30.00'])
    expect(await amounts('?sort=oldest&q=rent')).toEqual(['30.00', '10.00', '20.00'])
  })
})

describe('filters', () => {
  test.each(payoutStatuses)('status=%s finds the payouts with that status', async (status) => {
    const rows = await Promise.all(payoutStatuses.map((each) => aPayoutRow(api, partner, { status: each })))

    expect(await ids(`?status=${status}`)).toEqual([rows.find((row) => row.status === status)?.id])
  })

  test('status accepts several values, in any order, and pages through all of them', async () => {
    const rows = []
    for (const [minute, status] of [...payoutStatuses, ...payoutStatuses].entries())
      rows.unshift(await aPayoutRow(api, partner, { status, createdAt: at(minute) }))
    const wanted = rows.filter(({ status }) => ['failed', 'completed', 'returned'].includes(status))
    const expected = wanted.map(({ id }) => id)

    expect(await ids('?status=returned,failed,completed,failed')).toEqual(expected)
    expect(await ids('?status=failed,completed,returned&limit=4')).toEqual(expected.slice(0, 4))
    expect(await ids(`?status=failed,completed,returned&starting_after=${expected[3]}`)).toEqual(expected.slice(4))
    expect(await ids(`?status=${payoutStatuses.join()}`)).toEqual(rows.map(({ id }) => id))
  })

  test('amount_min and amount_max are inclusive', async () => {
    const rows = []
    for (const [minute, amountPence] of [999n, 1_000n, 2_000n, 2_001n].entries())
      rows.unshift(await aPayoutRow(api, partner, { amountPence, createdAt: at(minute) }))
    const [over, most, least, under] = rows.map(({ id }) => id)

    expect(await ids('?amount_min=10.00&amount_max=20.00')).toEqual([most, least])
    expect(await ids('?amount_min=10.01')).toEqual([over, most])
    expect(await ids('?amount_max=0019.99')).toEqual([least, under])
    expect(await ids('?amount_min=20.00&amount_max=10.00')).toEqual([])
  })

  test('created_by finds the payouts of one key or person', async () => {
    const byKey = await aPayoutRow(api, partner, { createdBy: 'key:kp_sandbox_4f9a1c02' })
    const byPerson = await aPayoutRow(api, partner, { createdBy: 'ada@acme.test' })

    expect(await ids('?created_by=key:kp_sandbox_4f9a1c02')).toEqual([byKey.id])
    expect(await ids('?created_by=ada%40acme.test')).toEqual([byPerson.id])
    expect(await ids('?created_by=ada')).toEqual([])
  })

  test('created_after is inclusive and created_before is exclusive, so that months do not overlap', async () => {
    const rows = await Promise.all([1, 2, 3].map((minute) => aPayoutRow(api, partner, { createdAt: at(minute) })))
    const [first, second, third] = rows.map(({ id }) => id)

    expect(await ids('?created_after=2026-11-16T09:02:00Z')).toEqual([third, second])
    expect(await ids('?created_before=2026-11-16T09:02:00.000Z')).toEqual([first])
    expect(await ids('?created_after=2026-11-16T10:02:00%2B01:00&created_before=2026-11-16T09:03:00Z')).toEqual([
      second,
    ])
  })

  test('completed_after is inclusive and completed_before is exclusive, and neither finds an uncompleted payout', async () => {
    const rows = []
    for (const minute of [1, 2, 3]) rows.push(await aPayoutRow(api, partner, { completedAt: at(minute) }))
    const [first, second, third] = rows.map(({ id }) => id)
    const returned = await aPayoutRow(api, partner, { status: 'returned', completedAt: at(2) })
    for (const status of ['processing', 'failed', 'returned'] as const) await aPayoutRow(api, partner, { status })

    expect(await ids('?completed_after=2026-11-16T09:02:00Z')).toEqual([returned.id, third, second])
    expect(await ids('?completed_before=2026-11-16T09:02:00.000Z')).toEqual([first])
    expect(await ids('?completed_after=2026-11-16T10:02:00%2B01:00&completed_before=2026-11-16T09:03:00Z')).toEqual([
      returned.id,
      second,
    ])
    expect(await ids('?completed_after=2026-11-16T09:02:00Z&status=returned')).toEqual([returned.id])
  })

  test('completed_after and completed_before split a period without gap or overlap, in any order and across pages', async () => {
    const rows = []
    // A payout that was created first can be completed last.
    for (let n = 0; n < 8; n++)
      rows.push(await aPayoutRow(api, partner, { createdAt: at(n), completedAt: at(30 - n), amountPence: 1_000n }))
    const oldest = rows.map(({ id }) => id)
    const orders = { oldest, newest: oldest.toReversed(), smallest: oldest, largest: oldest.toReversed() }

    for (const [sort, all] of Object.entries(orders)) {
      const later = await idsInPages(`sort=${sort}&completed_after=2026-11-16T09:26:00Z`)
      const earlier = await idsInPages(`sort=${sort}&completed_before=2026-11-16T09:26:00Z`)

      expect(later).toEqual(all.filter((id) => oldest.indexOf(id) < 5))
      expect(earlier).toEqual(all.filter((id) => oldest.indexOf(id) >= 5))
    }
  })

  test('updated_after finds changed payouts of any age, and misses none that changed in the same millisecond', async () => {
    const old = await aPayoutRow(api, partner, { createdAt: at(1), updatedAt: at(30) })
    await aPayoutRow(api, partner, { createdAt: at(2) })
    await api.db.dataSource.query(
      `UPDATE payouts SET updated_at = updated_at + interval '7 microseconds' WHERE id = $1`,
      [old.id],
    )

    expect(await ids('?updated_after=2026-11-16T09:30:00.000Z')).toEqual([old.id])
    expect(await ids('?updated_after=2026-11-16T09:30:00.000007Z')).toEqual([old.id])
    expect(await ids('?updated_after=2026-11-16T09:30:00.000008Z')).toEqual([])
  })

  test('reference, idempotency_key and account_last4 match exactly, even combined and across pages', async () => {
    const wanted = []
    for (const minute of [1, 2, 3]) {
      const fields = { reference: 'Ödön’s 100% _off', account: '12349999', createdAt: at(minute) }
      wanted.unshift(await aPayoutRow(api, partner, fields))
      await aPayoutRow(api, partner, { reference: 'Ödön', createdAt: at(minute) })
    }
    const reference = encodeURIComponent('Ödön’s 100% _off')
    const expected = wanted.map(({ id }) => id)

    expect(await ids(`?reference=${reference}`)).toEqual(expected)
    expect(await ids('?account_last4=9999')).toEqual(expected)
    expect(await ids(`?idempotency_key=${wanted[1]?.idempotencyKey}`)).toEqual([wanted[1]?.id])
    expect(await ids(`?account_last4=9999&reference=${reference}&status=completed&limit=2`)).toEqual(
      expected.slice(0, 2),
    )
    expect(await ids(`?account_last4=9999&reference=${reference}&starting_after=${expected[1]}`)).toEqual([expected[2]])
    expect(await ids('?reference=')).toEqual([])
  })
})

describe('a request is 422 invalid_request with', () => {
  test.each([
    'status=paid',
    'status=',
    'status=failed&status=pending',
    'status=failed,paid',
    'status=failed,',
    'status=failed, pending',
    'amount_min=10',
    'amount_min=-1.00',
    'amount_max=1234567890123.00',
    'amount_max=',
    'created_by=',
    `created_by=${'x'.repeat(255)}`,
    'created_after=yesterday',
    'created_after=2026-11-16',
    'created_after=2026-11-16T09:00:00',
    'created_after=2026-02-30T00:00:00Z',
    'created_before=2016-12-31T23:59:60Z',
    'created_before=0000-01-01T00:00:00Z',
    'created_before=2026-11-16T09:00:00%2B23:00',
    'created_before=2026-11-16T09:00:00+01:00',
    'completed_after=2026-11-16',
    'completed_before=last-month',
    'updated_after=2026-11-16T09:00:00.0000000000001Z',
    'updated_after=%00',
    'reference=a%00b',
    `reference=${'x'.repeat(121)}`,
    'idempotency_key=short',
    'idempotency_key=order-1%00order',
    'account_last4=123',
    'account_last4=%EF%BC%91234',
    'sort=amount',
    'sort=',
    'starting_after=nonsense',
    'starting_after=',
    'stauts=failed',
    '__proto__=1',
  ])('%s', async (query) => {
    const { status, body } = await api.get(`/v1/payouts?${query}`, caller)

    expect([status, body.error?.code]).toEqual([422, 'invalid_request'])
  })

  test('details that name each parameter with its rule', async () => {
    const { body } = await api.get(
      '/v1/payouts?limit=201&created_after=now&completed_after=october&completed_before=2026-10&stauts=failed&status=paid&amount_min=x&amount_max=1&created_by=',
      caller,
    )

    expect(body.error?.details).toEqual({
      errors: expect.arrayContaining([
        'limit (a whole number from 1 to 200)',
        'created_after (a date-time such as 2026-05-01T00:00:00Z)',
        'completed_after (a date-time such as 2026-05-01T00:00:00Z)',
        'completed_before (a date-time such as 2026-05-01T00:00:00Z)',
        'stauts (unknown field)',
        `status (one or several of ${payoutStatuses.join(', ')}, separated by commas)`,
        'amount_min (an amount such as 120.00)',
        'amount_max (an amount such as 120.00)',
        'created_by (1 to 254 characters)',
      ]),
    })
  })

  test('a cursor that is unknown, hidden, another partner’s or from the other environment', async () => {
    const rows = [
      await aPayoutRow(api, await aPartner(api)),
      await aPayoutRow(api, partner, { environment: 'live' }),
      await aPayoutRow(api, partner, { verdictAt: null, status: 'pending' }),
    ]
    const cursors = [randomUUID(), ...rows.map(({ id }) => id)]

    const answers = await Promise.all(cursors.map((id) => api.get(`/v1/payouts?starting_after=${id}`, caller)))

    expect(answers.map(({ status, body }) => [status, body.error?.code])).toEqual(
      cursors.map(() => [422, 'invalid_request']),
    )
  })
})
