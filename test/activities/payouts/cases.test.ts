// Operators resolve a recall or trace once. A live case is charged once, and a late case is reported once.
import { beforeEach, expect, test } from '@jest/globals'
import { lookAfterCase, reportLateCases } from '../../../activities/payouts/case'
import { latestActivity } from '../../../db/controls/activity'
import type { PartnerRow } from '../../../db/partners/partners'
import { type CaseRow, findCase, openCase } from '../../../db/payouts/cases/cases'
import { type CaseEnd, resolveCase } from '../../../db/payouts/cases/resolve'
import type { Environment } from '../../../domain/environment'
import { type CaseKind, caseOutcomes } from '../../../domain/payouts/case'
import { aPartner, aPayoutRow } from '../../support/api/fixtures'
import { useDatabase } from '../../support/db/database'
import { keptLog } from '../../support/kept-logs'
import { movableClock } from '../../support/stages/payout'

const clock = movableClock()
const lines: string[] = []
const log = keptLog({ level: 'warn', write: (line) => void lines.push(line) })
const db = useDatabase()
let partner: PartnerRow

beforeEach(async () => {
  lines.length = 0
  partner = await aPartner({ db, clock })
})

const hourMs = 3_600_000

async function aCase(kind: CaseKind = 'recall', environment: Environment = 'live'): Promise<CaseRow> {
  const { id: payoutId } = await aPayoutRow({ db, clock }, partner, { environment })
  const openedAt = clock.now()
  const about = { payoutId, kind, reason: 'wrong', openedBy: 'ops:ada', openedAt }
  const opened = await db.transaction((tx) => openCase(tx, { ...about, dueAt: new Date(openedAt.getTime() + hourMs) }))
  if (opened.outcome !== 'opened') throw new Error(opened.outcome)
  return opened.case
}

const end = (row: CaseRow, change: Partial<CaseEnd> = {}) =>
  resolveCase(
    { db, clock },
    { caseId: row.id, outcome: 'returned', costMicropounds: 10_000_000n, note: null, by: 'ops:grace', ...change },
  )

const charges = () =>
  db.dataSource.query(
    'SELECT kind, cause_ref, payout_id, amount_micropounds::text AS amount FROM charges WHERE partner_id = $1',
    [partner.id],
  )
const notices = () =>
  db.dataSource.query('SELECT kind, about, environment FROM notices WHERE partner_id = $1', [partner.id])

test('ten concurrent resolutions cause one charge at cost plus 20%, and one email to the admins', async () => {
  const row = await aCase()

  const ends = await Promise.all(Array.from({ length: 10 }, () => end(row)))

  expect(ends.map(({ outcome }) => outcome).toSorted()).toEqual([...Array(9).fill('already_resolved'), 'resolved'])
  expect(await charges()).toEqual([
    { kind: 'exception', cause_ref: `case/${row.id}`, payout_id: row.payoutId, amount: '12000000' },
  ])
  expect(await notices()).toEqual([{ kind: 'case', about: row.id, environment: 'live' }])
  const written = (await latestActivity(db, partner.id, 50)).filter(({ action }) => action === 'case.resolve')
  expect(written).toEqual([
    expect.objectContaining({ detail: `recall of ${row.payoutId}: returned`, madeBy: 'ops:grace' }),
  ])
})

test('a recall and a trace of one payout are charged separately', async () => {
  const recall = await aCase()
  const about = { payoutId: recall.payoutId, kind: 'trace', reason: 'late', openedBy: 'ops:ada' } as const
  const trace = await db.transaction((tx) => openCase(tx, { ...about, openedAt: clock.now(), dueAt: clock.now() }))
  if (trace.outcome !== 'opened') throw new Error(trace.outcome)

  await end(recall)
  await end(trace.case, { outcome: 'found', costMicropounds: 2_500_000n })

  expect((await charges()).map(({ amount }: { amount: string }) => amount)).toEqual(['12000000', '3000000'])
})

test('a free case is not charged, and a sandbox case is neither charged nor emailed', async () => {
  const [free, sandbox] = [await aCase(), await aCase('recall', 'sandbox')]

  const ends = [await end(free, { costMicropounds: 0n }), await end(sandbox)]

  expect(ends.map(({ outcome }) => outcome)).toEqual(['resolved', 'resolved'])
  expect(await charges()).toEqual([])
  expect(await notices()).toEqual([expect.objectContaining({ about: free.id })])
})

test.each([
  ['recall', ['returned', 'refused', 'withdrawn']],
  ['trace', ['returned', 'found', 'not_found', 'withdrawn']],
] as const)('a %s can be resolved only as %j, and any other outcome leaves it open', async (kind, allowed) => {
  for (const outcome of caseOutcomes) {
    const row = await aCase(kind)

    const ended = await end(row, { outcome })

    const isAllowed = allowed.some((each) => each === outcome)
    expect([outcome, ended.outcome]).toEqual([outcome, isAllowed ? 'resolved' : 'wrong_outcome'])
    expect((await findCase(db, row.id))?.resolvedAt === null).toBe(!isAllowed)
  }
})

test('resolving a case as returned moves no money and does not change the payout', async () => {
  const row = await aCase()

  await end(row)

  const [{ status, sets }] = await db.dataSource.query(
    'SELECT status, (SELECT count(*)::int FROM ledger_sets WHERE payout_id = payouts.id) AS sets FROM payouts WHERE id = $1',
    [row.payoutId],
  )
  expect([status, sets]).toEqual(['completed', 0])
})

test('a late case is reported once, whichever check comes first, and never after it is resolved', async () => {
  const [late, resolved] = [await aCase(), await aCase()]
  const checkLate = () => lookAfterCase({ db, clock, log }, { caseId: late.id })
  const sweep = () => reportLateCases({ db, clock, log }, { limit: 50 })
  const early = await checkLate()
  await end(resolved)

  clock.forward(hourMs)
  await Promise.all([checkLate(), sweep(), checkLate(), sweep()])
  clock.forward(hourMs)
  const again = await checkLate()
  await sweep()
  await end(late)

  expect(early.at === 'open' && early.dueInMs !== null && early.dueInMs > hourMs - 10_000).toBe(true)
  expect([again, await checkLate()]).toEqual([{ at: 'open', dueInMs: null }, { at: 'over' }])
  const reported = lines.map((line) => JSON.parse(line)).filter(({ payout_id }) => payout_id === late.payoutId)
  expect(reported).toEqual([expect.objectContaining({ level: 'error', case_id: late.id, kind: 'recall' })])
  expect(lines.filter((line) => line.includes(resolved.id))).toEqual([])
})

test('a late sandbox case is logged as a warning', async () => {
  const row = await aCase('trace', 'sandbox')

  clock.forward(hourMs)
  await lookAfterCase({ db, clock, log }, { caseId: row.id })

  expect(lines.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ level: 'warn', case_id: row.id })])
})

test('a case that does not exist is ignored', async () => {
  expect(await lookAfterCase({ db, clock, log }, { caseId: partner.id })).toEqual({ at: 'over' })
})
