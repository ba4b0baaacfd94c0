// GET /v1/payouts.csv and the search of the list: the same filters, every match, and no executable cells.
import { describe, expect, test } from '@jest/globals'
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
  test('finds parts of the reference or the name in any case, the last four digits, and the id', async () => {
    const ada = await aPayoutRow(api, partner, { reference: 'Invoice 1042', account: '11110008' })
    const grace = await aPayoutRow(api, partner, { recipientName: 'Grace Hopper', account: '22221042' })

    expect(await found('q=voice+10')).toEqual([ada.id])
    expect(await found('q=HOPPER')).toEqual([grace.id])
    expect(await found('q=0008')).toEqual([ada.id])
    expect(await found('q=1042')).toEqual([grace.id, ada.id])
    expect(await found(`q=${ada.id.toUpperCase()}`)).toEqual([ada.id])
    expect(await found('q=nobody')).toEqual([])
  })

  test('takes every character literally: % and _ and quotes match only themselves', async () => {
    const odd = await aPayoutRow(api, partner, { reference: '100%_\'"\\' })
    await aPayoutRow(api, partner, { reference: '100 pounds' })

    for (const part of ['%', '_', '\'"', '\\', '100%']) {
      expect(await found(new URLSearchParams({ q: part }).toString())).toEqual([odd.id])
    }
  })

  test('does not find payouts of another partner, of live, or without an answer to their caller', async () => {
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
  test('has a row for each payout, newest first, and no name or reference runs in a spreadsheet', async () => {
    const row = await aPayoutRow(api, partner, {
      recipientName: '<img src=x onerror=alert(1)>',
      reference: '=cmd|"/C calc"!A0',
      status: 'failed',
    })

    const [columns, line] = await rowsOf()

    expect(columns).toBe(
      '\uFEFFid,created_at,updated_at,status,recipient_name,account_last4,reference,amount_gbp,fee_gbp,' +
        'wallet_sent_usdc,failure_reason,created_via,completed_at,fee_on_monthly_invoice_gbp',
    )
    const at = row.createdAt.toISOString()
    expect(line).toBe(
      `${row.id},${at},${at},failed,<img src=x onerror=alert(1)>,5678,"'=cmd|""/C calc""!A0",120.00,2.19,153.30,` +
        'invalid_account: The bank rejected the account details.,api,,1.09',
    )
  })

  test('has the completion time, even for a returned payout', async () => {
    const completedAt = new Date('2026-10-31T23:59:59.999Z')
    await aPayoutRow(api, partner, { status: 'returned', completedAt })

    const [, line] = await rowsOf()

    expect(line).toMatch(/,api,2026-10-31T23:59:59\.999Z,1\.09$/)
  })

  test('takes the filters of the list, and refuses an unknown parameter', async () => {
    const failed = await aPayoutRow(api, partner, { status: 'failed', reference: 'rent' })
    await aPayoutRow(api, partner, { reference: 'rent' })
    await aPayoutRow(api, partner, { status: 'failed', reference: 'food' })

    const lines = await rowsOf('?status=failed&q=rent&environment=live')

    expect(lines.slice(1).map((line) => line.slice(0, 36))).toEqual([failed.id])
    expect((await api.get('/v1/payouts.csv?stauts=failed', caller)).status).toBe(422)
    expect((await api.get('/v1/payouts.csv?limit=1', caller)).status).toBe(422)
  })

  test('of more payouts than fit into one read contains each of them once', async () => {
    const same = new Date('2026-11-01T10:00:00.123Z')
    const rows: { readonly id: string }[] = []
    // Creates a few at a time, because all together would wait too long for a connection.
    while (rows.length < 1_003) {
      const some = Array.from({ length: 17 }, () => aPayoutRow(api, partner, { createdAt: same }))
      rows.push(...(await Promise.all(some)))
    }

    const ids = (await rowsOf()).slice(1).map((line) => line.slice(0, 36))

    expect(ids.toSorted()).toEqual(rows.map(({ id }) => id).toSorted())
  })

  test('shows nothing of another partner', async () => {
    await aPayoutRow(api, await aPartner(api))

    expect(await rowsOf()).toHaveLength(1)
  })
})
