// /v1/payouts/{id}/cases opens recalls and traces: one open case per kind, visible to its own partner only.
import { expect, test } from '@jest/globals'
import { latestActivity } from '../../../db/controls/activity'
import { resolveCase } from '../../../db/payouts/cases/resolve'
import { payoutStatuses } from '../../../domain/payouts/payout'
import { connectClient } from '../../../runtime/temporal/client'
import { payoutCaseId } from '../../../workflows/names'
import { startApi, useApi } from '../../support/api/client'
import { aPayoutRow, aSession, useCaller } from '../../support/api/fixtures'
import { testTemporal } from '../../support/temporal/a-worker'

const api = useApi()
const { partner, caller } = useCaller(api, 'live')

const dayMs = 86_400_000
const live = { environment: 'live' } as const
const reason = 'Paid to the wrong supplier.'
const open = (id: string, kind: string, change: object = {}) =>
  api.post(`/v1/payouts/${id}/cases`, { kind, reason, ...change }, caller)
const casesOf = async (id: string) => (await api.get(`/v1/payouts/${id}/cases`, caller)).body.data ?? []

test('a recall is opened with its dates, and shown in the timeline and the activity list', async () => {
  const { id } = await aPayoutRow(api, partner, live)

  const { status, body } = await open(id, 'recall')

  expect([status, body]).toEqual([
    201,
    {
      object: 'case',
      id: expect.any(String),
      payout_id: id,
      kind: 'recall',
      status: 'open',
      reason,
      opened_by: `key:${caller.key.slice(0, 'kp_live_'.length + 8)}`,
      opened_at: expect.any(String),
      due_at: expect.any(String),
      resolved_at: null,
      outcome: null,
      charge_gbp: null,
      notes: [],
    },
  ])
  expect(Date.parse(String(body['due_at'])) - Date.parse(String(body['opened_at']))).toBe(10 * dayMs)
  expect(await casesOf(id)).toEqual([body])
  const events = (await api.get(`/v1/payouts/${id}/events`, caller)).body.data
  expect(events).toEqual([
    expect.objectContaining({ event: 'case_opened', status: 'completed', detail: 'recall', by: body['opened_by'] }),
  ])
  const written = (await latestActivity(api.db, partner.id, 50)).filter(({ action }) => action === 'case.open')
  expect(written[0]).toMatchObject({ status: 201, detail: `recall of ${id}`, madeBy: body['opened_by'], ...live })
})

test('the input of a case’s workflow contains the deadline, but neither the reason nor a name', async () => {
  const { id } = await aPayoutRow(api, partner, live)
  const { body } = await open(id, 'trace')

  const temporal = connectClient(testTemporal())
  const handle = temporal.workflow.getHandle(payoutCaseId(String(body['id'])))
  const [first] = (await handle.fetchHistory()).events ?? []
  await handle.terminate()
  await temporal.connection.close()

  const payload = first?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data
  const order: unknown = JSON.parse(Buffer.from(payload ?? '').toString())
  expect(order).toEqual({ caseId: body['id'], dueInMs: 5 * dayMs, lookEveryMs: dayMs })
})

test('without Temporal, a case is still opened, because the row is authoritative', async () => {
  const alone = await startApi({ database: api.databaseUrl, temporalAddress: '127.0.0.1:1' })
  const { id } = await aPayoutRow(api, partner, live)

  const { status } = await alone.post(`/v1/payouts/${id}/cases`, { kind: 'recall', reason }, caller)
  await alone.close()

  expect([status, (await casesOf(id)).length]).toEqual([201, 1])
})

test.each([
  ['recall', ['completed']],
  ['trace', ['processing', 'completed']],
])('a %s needs a payout that is %j, and any other payout is 409 with its status', async (kind, allowed) => {
  for (const status of payoutStatuses) {
    const { id } = await aPayoutRow(api, partner, { ...live, status })

    const answer = await open(id, kind)

    const isAllowed = allowed.includes(status)
    expect([status, answer.status]).toEqual([status, isAllowed ? 201 : 409])
    expect(answer.body.error?.details).toEqual(isAllowed ? undefined : { status })
    expect(await casesOf(id)).toHaveLength(isAllowed ? 1 : 0)
  }
})

test('one of ten concurrent requests for the same case opens it, and the others get its ID', async () => {
  const { id } = await aPayoutRow(api, partner, live)

  const answers = await Promise.all(Array.from({ length: 10 }, () => open(id, 'recall')))

  const [made] = await casesOf(id)
  expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['201', ...Array(9).fill('409')])
  const refused = answers.filter(({ status }) => status === 409)
  expect(refused.map(({ body }) => body.error?.details)).toEqual(
    refused.map(() => ({ status: 'open', case_id: made?.['id'] })),
  )
  expect(await events(id)).toEqual(['case_opened'])
  expect((await open(id, 'trace')).status).toBe(201)
})

test('a resolved case shows its outcome, charge and notes, and another case can be opened', async () => {
  const { id } = await aPayoutRow(api, partner, live)
  const { body } = await open(id, 'recall')
  const end = { caseId: String(body['id']), outcome: 'refused', costMicropounds: 12_500_000n } as const

  await resolveCase(api, { ...end, note: 'The recipient did not agree', by: 'ops:grace' })

  expect((await casesOf(id))[0]).toMatchObject({
    status: 'resolved',
    resolved_at: expect.any(String),
    outcome: 'refused',
    charge_gbp: '15.00',
    notes: [{ at: expect.any(String), by: 'service', note: 'The recipient did not agree' }],
  })
  expect(await events(id)).toEqual(['case_opened', 'case_resolved'])
  expect((await open(id, 'recall')).status).toBe(201)
})

test('an admin opens a case in the environment that the request names', async () => {
  const session = await aSession(api, partner)
  const { id } = await aPayoutRow(api, partner, live)
  const order = { kind: 'trace', reason }

  const elsewhere = await api.post(`/v1/payouts/${id}/cases`, order, { session })
  const { status, body } = await api.post(`/v1/payouts/${id}/cases?environment=live`, order, { session })

  expect([elsewhere.status, status]).toEqual([404, 201])
  expect(body['opened_by']).toMatch(/^admin-.*@people\.test$/)
})

test('missing and invalid fields are 422', async () => {
  const { id } = await aPayoutRow(api, partner, live)
  const bodies = [{ reason: '' }, { reason: 'x'.repeat(501) }, { reason: 7 }, { kind: 'refund' }, { more: true }]

  const answers = await Promise.all(bodies.map((change) => open(id, 'recall', change)))

  expect(answers.map(({ status, body }) => `${status} ${body.error?.code}`)).toEqual(
    bodies.map(() => '422 invalid_request'),
  )
  expect(await casesOf(id)).toEqual([])
})

async function events(payoutId: string): Promise<string[]> {
  const rows: { kind: string }[] = await api.db.dataSource.query(
    'SELECT kind FROM payout_events WHERE payout_id = $1 ORDER BY id',
    [payoutId],
  )
  return rows.map(({ kind }) => kind)
}
