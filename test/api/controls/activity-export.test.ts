// Search and CSV export of the audit log return exactly the entries that match the filters, as the partner
// sees them.
import { expect, test } from '@jest/globals'
import { type ActivityEntry, recordActivity } from '../../../db/controls/activity'
import { useApi } from '../../support/api/client'
import { aClock, aKey, aPartner, aPayoutRow } from '../../support/api/fixtures'

const api = useApi({ clock: aClock('2026-11-16T12:00:00Z') })

test('q searches the visible text of entries, in the list and in the CSV, across pages', async () => {
  const partner = await aPartner(api)
  const key = await aKey(api, partner, 'live')
  const recipientName = 'Zoë Ångström'
  // A random ID could contain a text that this test searches for.
  const [id, foreignId] = ['01a1b3c5-0000-7000-8000-00000000000a', '01a1b3c5-0000-7000-8000-00000000000b']
  const payout = await aPayoutRow(api, partner, { id, environment: 'live', recipientName, amountPence: 123_450n })
  const foreign = await aPayoutRow(api, await aPartner(api), { id: foreignId, environment: 'live', recipientName })
  const entry = anEntry(partner.id, 1, 1)
  await recordActivity(api.db, [
    { ...entry, action: 'key.revoke', madeBy: 'ada@acme.test', detail: 'kp_live_4f9a1c02', requestId: 'req-7' },
    { ...entry, action: 'payout.create', environment: 'live', status: 201, detail: payout.id },
    { ...entry, action: 'payout.create', environment: 'live', status: 201, detail: foreign.id },
    { ...entry, action: 'payout.create', environment: 'sandbox', status: 201, detail: payout.id },
    { ...entry, action: 'payout.create', environment: 'live', status: 402, detail: 'insufficient_balance' },
    { ...entry, action: 'deposit.credit', madeBy: 'ops:root', detail: '10.00 USDC, requested by ops:root' },
  ])
  const day = 'created_after=2026-11-17T00:00:00Z'
  const found = async (q: string) => {
    const query = `${day}&q=${encodeURIComponent(q)}`
    const rows: Readonly<Record<string, unknown>>[] = []
    for (let next: string | null | undefined = ''; typeof next === 'string'; ) {
      const { body } = await api.get(`/v1/activity?${query}&limit=1${next && `&starting_after=${next}`}`, { key })
      rows.push(...(body.data ?? []))
      next = body.next_cursor
    }
    const file = await linesOf(query, key)
    expect(file.slice(1).map((row) => row.split(',')[0])).toEqual(rows.map(({ id }) => id))
    return rows.map(({ action, detail }) => `${String(action)} ${String(detail)}`)
  }

  expect(await found('KEY.rev')).toEqual(['key.revoke kp_live_4f9a1c02'])
  expect(await found('ada@')).toEqual(['key.revoke kp_live_4f9a1c02'])
  expect(await found('req-7')).toEqual(['key.revoke kp_live_4f9a1c02'])
  expect(await found('402')).toEqual(['payout.create insufficient_balance'])
  for (const q of ['zoë ång', '£1,234.50', '1234.50']) expect(await found(q)).toEqual([`payout.create ${payout.id}`])
  expect(await found(payout.id)).toHaveLength(2)
  expect(await found('sandbox')).toEqual([`payout.create ${payout.id}`])
  expect(await found('service')).toEqual(['deposit.credit 10.00 USDC, requested by service'])
  for (const q of ['root', 'ops:', '%', '_c']) expect(await found(q)).toEqual([])
  const sandbox = await aKey(api, partner, 'sandbox')
  expect((await api.get(`/v1/activity?${day}&q=revoke`, { key: sandbox })).body.data).toEqual([])
  expect((await api.get('/v1/activity?q=', { key })).status).toBe(422)
})

test('the CSV has exactly the filtered entries and their payouts, and no text that runs as a formula', async () => {
  const partner = await aPartner(api)
  const key = await aKey(api, partner, 'live')
  const recipientName = '=HYPERLINK("http://evil.test")'
  const payout = await aPayoutRow(api, partner, { environment: 'live', recipientName })
  const entry = { ...anEntry(partner.id, 1, 1), madeBy: 'ops:root' }
  await recordActivity(api.db, [
    { ...entry, action: 'payout.create', environment: 'live', status: 201, detail: payout.id, requestId: 'r' },
    { ...entry, action: 'account.update', detail: '+44, "quoted"', status: null },
    { ...entry, action: 'payout.list', changes: 'nothing' },
  ])
  const day = 'created_after=2026-11-17T00:00:00Z'

  const [columns, ...rows] = await linesOf(`changes_only=true&${day}`, key)

  expect(columns).toBe(
    '\uFEFFid,at,environment,action,status,by,detail,request_id,payout_id,payout_amount_gbp,payout_recipient_name,payout_account_last4',
  )
  const at = '2026-11-17T00:00:01.000Z'
  expect(rows.map((row) => row.slice(row.indexOf(',') + 1))).toEqual([
    `${at},,account.update,,service,"'+44, ""quoted""",,,,,`,
    `${at},live,payout.create,201,service,${payout.id},r,${payout.id},120.00,"'=HYPERLINK(""http://evil.test"")",5678`,
  ])
  expect(await linesOf(day, await aKey(api, partner, 'sandbox'))).toEqual([columns])
  expect(await linesOf(day, key)).toHaveLength(4)
})

test('an export that needs several reads contains each entry exactly once', async () => {
  const partner = await aPartner(api)
  // Many entries share a timestamp, so that pages end between entries with equal timestamps.
  const entries = Array.from({ length: 1_203 }, (_, n) => anEntry(partner.id, n, Math.floor(n / 400)))
  await recordActivity(api.db, entries)

  const [, ...rows] = await linesOf('created_after=2026-11-17T00:00:00Z', await aKey(api, partner, 'live'))

  expect(rows).toHaveLength(entries.length)
  expect(new Set(rows.map((row) => row.split(',')[3])).size).toBe(entries.length)
})

async function linesOf(query: string, key: string): Promise<string[]> {
  const { status, bytes, headers } = await api.get(`/v1/activity.csv?${query}`, { key })
  expect([status, headers.get('Content-Disposition')]).toEqual([
    200,
    expect.stringMatching(/^attachment; filename="audit-log-\d{4}-\d\d-\d\d\.csv"$/),
  ])
  return bytes.toString('utf8').trimEnd().split('\r\n')
}

function anEntry(partnerId: string, n: number, second: number): ActivityEntry {
  const about = { partnerId, environment: null, status: 200, madeBy: 'x', detail: null, requestId: null }
  return { ...about, at: new Date(Date.UTC(2026, 10, 17, 0, 0, second)), action: `call.${n}`, changes: 'something' }
}
