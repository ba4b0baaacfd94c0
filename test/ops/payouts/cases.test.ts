// Commands for recalls and traces, with a real database.
import { beforeEach, expect, test } from '@jest/globals'
import { latestActivity } from '../../../db/controls/activity'
import { systemClock } from '../../../runtime/clock'
import { aPartner, aPayoutRow } from '../../support/api/fixtures'
import { oneSentence, runWith, useTerminal } from '../../support/terminal'

interface Case {
  readonly id: string
  readonly [field: string]: unknown
}

const terminal = useTerminal()
let partner: Awaited<ReturnType<typeof aPartner>>
let payoutId: string

beforeEach(async () => {
  const stage = { db: terminal.db, clock: systemClock }
  partner = await aPartner(stage)
  payoutId = (await aPayoutRow(stage, partner, { environment: 'live', transferRef: `tr-${partner.slug}` })).id
})

const opening = (kind: string) => ['case', 'open', '--payout', payoutId, '--kind', kind, '--reason', 'It is late']
const aCase = (kind = 'trace') => terminal.json<Case>(...opening(kind))
const ending = (id: string, outcome: string, cost = '12.50') =>
  ['case', 'resolve', '--case', id, '--outcome', outcome, '--cost', cost] as const

test("case list shows open cases, and case show adds the bank's reference for the payout and the notes", async () => {
  const opened = await aCase()

  const { data } = await terminal.json<{ data: Case[] }>('case', 'list')
  const { out } = await terminal.ops('case', 'list')
  const noted = await terminal.json<Case>('case', 'note', '--case', opened.id, '--note', 'The bank looks for it')
  const shown = await terminal.json<Case>('case', 'show', '--case', opened.id.toUpperCase())

  expect(opened).toMatchObject({ kind: 'trace', status: 'open', opened_by: expect.stringMatching(/^ops:\S+$/) })
  expect(data.filter(({ id }) => id === opened.id)).toEqual([
    expect.objectContaining({ partner: partner.slug, environment: 'live', payout_id: payoutId }),
  ])
  expect(out).toMatch(/^ID +DUE +STATUS +KIND +PARTNER +ENVIRONMENT +PAYOUT +PAYOUT STATUS\n/)
  expect(shown).toEqual(noted)
  expect(shown).toMatchObject({
    bank_reference: `tr-${partner.slug}`,
    notes: [{ by: expect.stringMatching(/^ops:\S+$/), note: 'The bank looks for it' }],
  })
  expect((await terminal.ops('case', 'show', '--case', opened.id)).out).toMatch(/The bank looks for it/)
  expect((await actions()).toReversed()).toEqual(['case.open', 'case.note'])
})

test('case resolve closes the case, charges once at cost plus 20%, and is refused the second time', async () => {
  const { id } = await aCase('recall')

  const first = await terminal.ops(...ending(id, 'refused'), '--note', 'The recipient did not agree')
  const again = await terminal.ops(...ending(id, 'refused', '99.00'))

  expect(first).toEqual({ code: 0, out: `The recall is refused; ${partner.slug} is charged 15.00 GBP.\n`, err: '' })
  expect([again.code, again.err]).toEqual([2, 'The recall is already refused: nothing was charged.\n'])
  const charges = await terminal.db.dataSource.query(
    'SELECT amount_micropounds::text AS amount FROM charges WHERE partner_id = $1',
    [partner.id],
  )
  expect(charges).toEqual([{ amount: '15000000' }])
  const { data } = await terminal.json<{ data: Case[] }>('case', 'list')
  expect(data.map((each) => each.id)).not.toContain(id)
  expect(await terminal.json('case', 'show', '--case', id)).toMatchObject({
    status: 'resolved',
    outcome: 'refused',
    charge_gbp: '15.00',
    notes: [expect.objectContaining({ note: 'The recipient did not agree' })],
  })
})

test('an impossible case command is refused with a message, and changes nothing', async () => {
  const { id } = await aCase('recall')
  const unknownId = partner.id
  const failed = await aPayoutRow({ db: terminal.db, clock: systemClock }, partner, { status: 'failed' })

  const refusals = [
    await terminal.ops(...opening('recall')),
    await terminal.ops('case', 'open', '--payout', failed.id, '--kind', 'trace', '--reason', 'late'),
    await terminal.ops('case', 'open', '--payout', unknownId, '--kind', 'trace', '--reason', 'late'),
    await terminal.ops(...ending(id, 'found')),
    await terminal.ops(...ending(id, 'lost')),
    await terminal.ops(...ending(id, 'refused', '-1.00')),
    await terminal.ops(...ending(unknownId, 'refused')),
    await terminal.ops('case', 'show', '--case', unknownId),
    await terminal.ops('case', 'note', '--case', unknownId, '--note', 'hm'),
  ]

  expect(refusals.map(({ code }) => code)).toEqual(refusals.map(() => 2))
  for (const { err } of refusals) expect(err).toMatch(oneSentence)
  expect(await actions()).toEqual(['case.open'])
})

test('all case commands work without Temporal', async () => {
  const env = { ...terminal.env, TEMPORAL_ADDRESS: '127.0.0.1:1' }
  const opened = await runWith(env, [...opening('recall'), '--json'])

  const { code } = await runWith(env, ending(JSON.parse(opened.out).id, 'withdrawn', '0.00'))

  expect([opened.code, code]).toEqual([0, 0])
})

test('help warns that the partner sees reasons and notes', async () => {
  for (const verb of ['open', 'note', 'resolve']) {
    expect((await terminal.ops('case', verb, '--help')).out).toMatch(/the partner sees (it|them)\./)
  }
})

/** The case actions in the activity list, newest first. */
async function actions(): Promise<string[]> {
  const entries = await latestActivity(terminal.db, partner.id, 50)
  return entries.map(({ action }) => action).filter((action) => action.startsWith('case.'))
}
