// GET /v1/payouts.csv, GET /v1/payouts/totals and the list use the same filters and search, and cover every match.
// No CSV cell runs as a formula.
import { describe, expect, test } from '@jest/globals'
import { payoutStatuses } from '../../../domain/payouts/payout'
import { useApi } from '../../support/api/client'
import { aPartner, aPayoutRow, useCaller } from '../../support/api/fixtures'

const api = useApi()
const { partner, caller } = useCaller(api)

const found = async (query: string) => {
  const { body } = await api.get(`/v1/payouts?${query}`, caller)
  return body.data?.map(({ id }) => id)
}
const rowsOf = async (query = '') => {
  const { bytes } = await api.get(`/v1/payouts.csv${query}`, caller)
  return bytes.toString('utf8').trimEnd().split('\r\n')
}

describe('q', () => {
  test('finds parts of the reference or the name in any case, the last four digits, and the ID', async () => {
    const ada = await aPayoutRow(api, partner, { reference: 'Invoice 1042', account: '11110008' })
    const grace = await aPayoutRow(api, partner, { recipientName: 'Grace Hopper', account: '22221042' })

    expect(await found('q=voice+10')).toEqual([ada.id])
    expect(await found('q=HOPPER')).toEqual([grace.id])
    expect(await found('q=0008')).toEqual([ada.id])
    expect(await found('q=1042')).toEqual([grace.id, ada.id])
    expect(await found(`q=${ada.id.toUpperCase()}`)).toEqual([ada.id])
    expect(await found('q=nobody')).toEqual([])
  })

  test('matches every character literally, including %, _ and quotes', async () => {
    const odd = await aPayoutRow(api, partner, { reference: '100%_\'"\\' })
    await aPayoutRow(api, partner, { reference: '100 pounds' })

    for (const part of ['%', '_', '\'"', '\\', '100%']) {
      expect(await found(new URLSearchParams({ q: part }).toString())).toEqual([odd.id])
    }
  })

  test('does not find payouts of another partner, live payouts, or payouts whose caller has no answer yet', async () => {
    const theirs = await aPayoutRow(api, await aPartner(api), { reference: 'shared' })
    await aPayoutRow(api, partner, { reference: 'shared', environment: 'live' })
    await aPayoutRow(api, partner, { reference: 'shared', status: 'pending', verdictAt: null })

    expect(await found('q=shared')).toEqual([])
    expect(await found(`q=${theirs.id}`)).toEqual([])
  })

  test.each(['q=', `q=${'x'.repeat(121)}`, 'q=%00'])('%s is 422', async (query) => {
    expect((await api.get(`/v1/payouts?${query}`, caller)).status).toBe(422)
  })
})

describe('the CSV', () => {
  test('is sorted as requested', async () => {
    for (const amountPence of [2_000n, 3_000n, 1_000n]) await aPayoutRow(api, partner, { amountPence })
    const amounts = async (query: string) => (await rowsOf(query)).slice(1).map((row) => row.split(',')[7])

    expect(await amounts('?sort=largest')).toEqual(['30.00', '20.00', '10.00'])
    expect(await amounts('?sort=smallest')).toEqual(['10.00', '20.00', '30.00'])
  })

  test('has a row for each payout, newest first, and no name or reference that a spreadsheet would run as a formula', async () => {
    const row = await aPayoutRow(api, partner, {
      recipientName: '<img src=x onerror=alert(1)>',
      reference: '=cmd|"/C calc"!A0',
      status: 'failed',
      idempotencyKey: '-order:1042',
    })

    const [columns, line] = await rowsOf()

    expect(columns).toBe(
      '\uFEFFid,created_at,updated_at,status,recipient_name,account_last4,reference,amount_gbp,fee_gbp,' +
        'wallet_sent_usdc,failure_reason,created_via,completed_at,fee_on_monthly_invoice_gbp,idempotency_key',
    )
    const at = row.createdAt.toISOString()
    expect(line).toBe(
      `${row.id},${at},${at},failed,<img src=x onerror=alert(1)>,5678,"'=cmd|""/C calc""!A0",120.00,2.19,0.00,` +
        "invalid_account: The bank rejected the account details.,api,,1.09,'-order:1042",
    )
  })

  test('counts no money as sent for failed and cancelled payouts', async () => {
    for (const status of payoutStatuses) await aPayoutRow(api, partner, { status })

    const cells = (await rowsOf('?sort=oldest')).slice(1).map((row) => row.split(','))

    expect(Object.fromEntries(cells.map((row) => [row[3], row[9]]))).toEqual({
      pending: '153.30',
      processing: '153.30',
      completed: '153.30',
      failed: '0.00',
      cancelled: '0.00',
      returned: '153.30',
    })
  })

  test('has the idempotency key, and the completion time even for a returned payout', async () => {
    const completedAt = new Date('2026-10-31T23:59:59.999Z')
    await aPayoutRow(api, partner, { status: 'returned', completedAt, idempotencyKey: 'order-1042' })

    const [, line] = await rowsOf()

    expect(line).toMatch(/,api,2026-10-31T23:59:59\.999Z,1\.09,order-1042$/)
  })

  test('accepts the filters of the list, and refuses an unknown parameter', async () => {
    const failed = await aPayoutRow(api, partner, { status: 'failed', reference: 'rent' })
    await aPayoutRow(api, partner, { reference: 'rent' })
    await aPayoutRow(api, partner, { status: 'failed', reference: 'food' })

    const lines = await rowsOf('?status=failed&q=rent&environment=live')

    expect(lines.slice(1).map((line) => line.slice(0, 36))).toEqual([failed.id])
    expect((await api.get('/v1/payouts.csv?stauts=failed', caller)).status).toBe(422)
    expect((await api.get('/v1/payouts.csv?limit=1', caller)).status).toBe(422)
  })

  test('contains each payout once, even if the export needs several reads', async () => {
    const same = new Date('2026-11-01T10:00:00.123Z')
    const rows: { readonly id: string }[] = []
    // Creates a few at a time, because too many at once would wait too long for a connection.
    while (rows.length < 1_003) {
      const some = Array.from({ length: 17 }, () => aPayoutRow(api, partner, { createdAt: same }))
      rows.push(...(await Promise.all(some)))
    }

    const ids = (await rowsOf()).slice(1).map((line) => line.slice(0, 36))

    expect(ids.toSorted()).toEqual(rows.map(({ id }) => id).toSorted())
  })

  test('contains no payout of another partner', async () => {
    await aPayoutRow(api, await aPartner(api))

    expect(await rowsOf()).toHaveLength(1)
  })
})

describe('the totals', () => {
  const totals = async (query = '') => (await api.get(`/v1/payouts/totals${query}`, caller)).body

  test('are zero without payouts', async () => {
    const nothing = { count: 0, amount_gbp: '0.00', fee_gbp: '0.00', by_status: [] }

    expect(await totals()).toEqual({ object: 'payout_totals', ...nothing })
  })

  test('count and sum the payouts, together and for each status', async () => {
    await aPayoutRow(api, partner, { amountPence: 1_000_001n })
    await aPayoutRow(api, partner, { amountPence: 250n })
    await aPayoutRow(api, partner, { amountPence: 5_000n, status: 'failed' })

    expect(await totals()).toEqual({
      object: 'payout_totals',
      count: 3,
      amount_gbp: '10052.51',
      fee_gbp: '6.57',
      by_status: [
        { status: 'completed', count: 2, amount_gbp: '10002.51', fee_gbp: '4.38' },
        { status: 'failed', count: 1, amount_gbp: '50.00', fee_gbp: '2.19' },
      ],
    })
  })

  test('leave out other partners, live payouts, and payouts whose caller has no answer yet', async () => {
    await aPayoutRow(api, await aPartner(api))
    await aPayoutRow(api, partner, { environment: 'live' })
    await aPayoutRow(api, partner, { status: 'pending', verdictAt: null })

    expect(await totals()).toMatchObject({ count: 0 })
    expect(await totals('?environment=live')).toMatchObject({ count: 0 })
  })

  test.each([
    '',
    '?status=failed',
    '?status=failed,completed',
    '?amount_min=20.00',
    '?amount_min=20.00&amount_max=30.00',
    '?created_by=ada%40acme.test',
    '?created_after=2026-11-02T00:00:00Z&created_before=2026-11-04T00:00:00Z',
    '?completed_after=2026-11-02T00:00:00Z&completed_before=2026-11-04T00:00:00Z',
    '?completed_before=2026-11-04T00:00:00Z&q=rent',
    '?q=rent',
    '?q=re',
    '?q=re&status=completed,failed',
    '?q=5678',
    '?reference=rent+2',
    '?account_last4=5678',
  ])('agree with the list and the CSV for the query "%s"', async (query) => {
    for (let day = 1; day <= 5; day++) {
      const createdAt = new Date(Date.UTC(2026, 10, day))
      const amountPence = BigInt(day) * 1_000n
      await aPayoutRow(api, partner, { createdAt, amountPence, reference: `rent ${day}`, createdBy: 'ada@acme.test' })
      await aPayoutRow(api, partner, { createdAt, amountPence, status: 'failed', account: '11110008' })
      await aPayoutRow(api, partner, { createdAt, amountPence, status: 'returned', reference: 'food' })
    }
    const listed = (await api.get(`/v1/payouts${query}`, caller)).body.data ?? []
    const pence = listed.reduce((sum, { amount_gbp }) => sum + Number(String(amount_gbp).replace('.', '')), 0)

    const { count, amount_gbp } = await totals(query)

    expect(count).toBe(listed.length)
    expect(count).toBeGreaterThan(0)
    expect(Number(String(amount_gbp).replace('.', ''))).toBe(pence)
    const exported = (await rowsOf(query)).slice(1).map((line) => line.slice(0, 36))
    expect(exported).toEqual(listed.map(({ id }) => id))
  })

  test.each(['status=paid', 'limit=1', 'amount_min=1'])('%s is 422', async (query) => {
    expect((await api.get(`/v1/payouts/totals?${query}`, caller)).status).toBe(422)
  })
})
