// `payout explain` describes payouts in different states. Most are created through the real API, workers and sandbox
// bank.
import { connect, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { storeBankEvents } from '../../../db/bank/events'
import { pauseRail, resumeRail } from '../../../db/bank/rail-pauses'
import { openCase } from '../../../db/payouts/cases/cases'
import { loadStep, setAttention } from '../../../db/payouts/steps'
import { mergeLines } from '../../../ops/payouts/explain/story'
import { systemClock } from '../../../runtime/clock'
import { payoutWorkflowId } from '../../../workflows/names'
import { type Payer, usePayoutWorld } from '../../support/api/payout-world'
import { testSystem } from '../../support/jest/system'
import { withoutRandom } from '../../support/personal'
import { aClaim } from '../../support/stages/payout'
import { runWith } from '../../support/terminal'
import { until } from '../../support/until'

interface Explained {
  readonly status: string
  readonly steps: readonly { readonly at: string; readonly from: string; readonly text: string }[]
  readonly next: readonly string[]
}

const world = usePayoutWorld({ payouts: { pollMs: [100] } })
let payer: Payer
const toTransfers = { method: 'POST', path: '/v0/transfers' }

beforeEach(async () => {
  payer = await world.aPayer()
})
afterEach(async () => {
  await world.bank.control('DELETE', '/faults')
})

test('explain shows the bookings, steps and next event of a payout at the bank, in order', async () => {
  const id = await paid()
  await reached(id, 'processing')
  const [transfer] = await world.transfersOf(id)

  const { status, steps, next } = await explained(id)
  const { out } = await ops(id)

  expect(status).toBe('processing')
  inThisOrder(steps, [
    /^key:\S+ requested 120\.00 GBP to the account that ends in \d{4}\.$/,
    /^Booked as debit: 153\.30 USDC from wallet, 153\.30 USDC to in_transit\.$/,
    /^The step debitPayout ran: held\.$/,
    /^Attempt 1 began its first call to the bank on provider_sandbox, with the bank key \S+; its transfer is /,
    /^The bank has accepted it\.$/,
    /^The step submitToRail ran: sent to the bank\.$/,
  ])
  const texts = steps.map(({ text }) => text)
  expect(texts).toContainEqual(expect.stringMatching(/^Its workflow payout\/sandbox\/.* began\.$/))
  expect(next[0]).toBe(`The workflow polls the transfer ${transfer?.id} until the bank delivers it.`)
  expect(next[1]).toMatch(
    /^It polls again at 20\S+Z, or as soon as the bank sends an event\.$|^Its workflow (is running|is waiting for the bank to deliver it)/,
  )
  expect(out).toMatch(/^Payout \S+ of acme-\w+ in sandbox, 120\.00 GBP: processing, attempt 1; the bank's transfer is /)
  expect(out).toContain('\nWhat happens next:\n')
  expect(withoutRandom(out)).not.toMatch(/Ada|Lovelace|200415|St James/)
  expect(steps.map(({ at }) => at)).toEqual(steps.map(({ at }) => at).toSorted())
})

test('explain shows bank events, and an open case as the only next step of a delivered payout', async () => {
  const id = await paid()
  await reached(id, 'processing')
  await advance(id, 'payment_processed')
  await until('its workflow has ended', async () =>
    (await explained(id)).steps.some(({ text }) => text === 'Its workflow ended.'),
  )
  const at = systemClock.now()
  const event = { environment: 'sandbox', eventId: `wh-${id}`, category: 'transfer', objectRef: 'tr-1' } as const
  const unhandled = { objectState: 'payment_processed', payoutId: id, at, outcome: null, handledAt: null }
  await storeBankEvents(world.api.db, [{ ...event, ...unhandled }])
  const about = { payoutId: id, kind: 'trace', reason: 'canary', openedBy: 'ops:ada', openedAt: at, dueAt: at } as const
  await world.api.db.transaction((tx) => openCase(tx, about))

  const { steps, next } = await explained(id)

  inThisOrder(steps, [
    /^The bank reports that the money has arrived/,
    /^The step pollSettlement ran: completed, to be charged: nothing in the sandbox\.$/,
    /^The step chargePayout ran: completed, nothing is charged in the sandbox\.$/,
    /^The bank sent an event: transfer tr-1 is payment_processed; it has not been handled yet\.$/,
  ])
  expect(steps.map(({ text }) => text)).toContainEqual(
    expect.stringMatching(/^Booked as paid_out: 153\.30 USDC from in_transit, 153\.30 USDC to paid_out\.$/),
  )
  expect(next).toEqual([
    'Nothing: it has arrived. It continues only if the bank returns the money.',
    expect.stringMatching(/^An operator settles the trace with the bank, case \S+, due 20\S+Z\.$/),
  ])
})

test('explain shows the reason and the refund of a returned payout', async () => {
  const id = await paid()
  await reached(id, 'processing')
  await advance(id, 'returned')
  await reached(id, 'returned')
  const open = await explained(id)
  await advance(id, 'refunded')
  await until('the return is final', async () => (await loadStep(world.api.db, id)).closedAt !== null)

  const { steps, next } = await explained(id)

  expect(open.next[0]).toMatch(/^The workflow polls the transfer \S+ until the bank returns the money\.$/)
  inThisOrder(steps, [/^The bank returned the money: /, /^Booked as refund: .* to wallet\.$/])
  expect(next).toEqual([
    expect.stringMatching(/^Nothing: it is returned \(.*\), and the ledger shows where its money is\.$/),
  ])
})

test('explain shows the bank’s answer, the end of the retries and the operator’s next step for an unknown outcome', async () => {
  await world.bank.fault({ kind: 'status', status: 500, times: null, match: toTransfers })
  const id = await paid()
  const nextTry = /^The bank answered HTTP 500 to the transfer \d+ times, last at 20\S+Z; the next call is at 20\S+Z\.$/
  await until('the call was repeated, and the next one is due', async () =>
    (await explained(id)).next.some((line) => nextTry.test(line)),
  )
  await setAttention(world.api.db, id, 'outcome_unknown')

  const { steps, next } = await explained(id)

  inThisOrder(steps, [/^The bank has not confirmed it/, /^It needs an operator because of outcome_unknown\.$/])
  expect(steps.map(({ text }) => text)).toContainEqual(
    expect.stringMatching(
      /^In attempt 1, the bank answered HTTP 500 to the transfer \d+ times, the last time at 20\S+Z\.$/,
    ),
  )
  expect(next[0]).toMatch(
    /^The identical call is repeated until 20\S+Z\. After .* The payout is never sent a second time\.$/,
  )
  expect(next.at(-1)).toMatch(/^It needs an operator because of outcome_unknown: .* `payout resolve`\.$/)

  await pauseRail(world.api.db, { environment: 'sandbox', by: 'ops:ada', reason: null, at: systemClock.now() })
  const paused = await explained(id)
  await resumeRail(world.api.db, { environment: 'sandbox', by: 'ops:ada', at: systemClock.now() })

  expect(paused.next[0]).toMatch(
    /^The transfer is looked up in the bank's list\. .* but not while the \w+ rail is paused\./,
  )
})

test('explain shows that a refused attempt has no payout, and that its money is refunded', async () => {
  await world.bank.fault({ kind: 'status', status: 401, times: null, match: toTransfers })
  const answer = await world.pay(payer, {}, { key: 'order-refused' })
  expect(answer.status).toBe(502)
  const [row] = await world.api.db.dataSource.query(`SELECT id FROM payouts WHERE partner_id = $1`, [payer.id])

  const { status, steps, next } = await explained(row.id)

  expect(status).toBe('refused')
  inThisOrder(steps, [/^Booked as debit: /, /^Booked as reversal: .* from in_transit, .* to wallet\.$/])
  expect(steps.map(({ text }) => text)).toEqual(
    expect.arrayContaining([
      'Attempt 1 was refused as payout_not_created, and the key was released.',
      expect.stringMatching(/^In attempt 1, the bank answered HTTP 401( \w+)? to the transfer once\.$/),
    ]),
  )
  expect(next[0]).toBe(
    'Nothing: it was refused (payout_not_created), no payout exists, and the same key may be sent again.',
  )
})

test('explain shows why a payout failed, and who paused the rail that another one waits for', async () => {
  const failed = await paid({ recipient: { bank: { account_number: '12340000' } } })
  await pauseRail(world.api.db, { environment: 'sandbox', by: 'ops:ada', reason: null, at: systemClock.now() })
  const waiting = await paid()

  const [ofFailed, ofWaiting] = [await explained(failed), await explained(waiting)]
  await resumeRail(world.api.db, { environment: 'sandbox', by: 'ops:ada', at: systemClock.now() })

  inThisOrder(ofFailed.steps, [/^It failed: \S+: .*\.$/])
  for (const { text } of [...ofFailed.steps, ...ofWaiting.steps]) expect(text).not.toMatch(/\.\.$/)
  expect(ofFailed.status).toBe('failed')
  expect(ofWaiting.next[0]).toMatch(
    /^It is sent when the sandbox rail is resumed\. The rail was paused by ops:ada at 20\S+Z\.$/,
  )
  expect(ofWaiting.next).toContain('Until it is sent, `payout cancel` can cancel it.')
  expect(ofFailed.next.join()).not.toContain('payout cancel')
  await reached(waiting, 'processing')
})

test('a missing workflow, an unavailable Temporal server and an unknown payout are reported', async () => {
  const { payoutId } = await aClaim(world.api.db, { partnerId: payer.id })

  const lost = await explained(payoutId)
  // Runs several times, because an unhandled error in an abandoned call would end the process only occasionally.
  const absent = { TEMPORAL_ADDRESS: '127.0.0.1:1' }
  const withoutTemporal = await Promise.all(Array.from({ length: 10 }, () => explained(payoutId, absent)))
  const none = await ops(payer.id)

  expect(lost.next[1]).toBe(
    'It has no running workflow (ABSENT): the next sweep starts one, or `payout retry` starts it now.',
  )
  const unknown = "Temporal does not answer, so the state of the payout's workflow is unknown."
  expect(withoutTemporal.map(({ next }) => next[1])).toEqual(withoutTemporal.map(() => unknown))
  expect([none.code, none.err]).toEqual([2, `There is no payout ${payer.id}.\n`])
})

test('a payout that becomes final after its row was read is not reported as a payout without a workflow', async () => {
  const explainedWhileItEnds = async (idempotencyKey: string) => {
    const id = String((await world.pay(payer, {}, { key: idempotencyKey })).body['id'])
    await reached(id, 'processing')
    const workflowId = payoutWorkflowId({ environment: 'sandbox', partnerId: payer.id, idempotencyKey, attempt: 1 })
    const temporal = await gateTo(testSystem().temporalAddress, async () => {
      await advance(id, 'payment_processed')
      await world.temporal.workflow.getHandle(workflowId).result()
    })
    return explained(id, { TEMPORAL_ADDRESS: temporal.address }).finally(temporal.close)
  }

  // The command waits 5 s for Temporal. On a busy machine the payout may need longer to complete.
  let story = await explainedWhileItEnds('order-that-ends')
  for (let again = 1; again <= 3 && story.next.join().includes('Temporal does not answer'); again++)
    story = await explainedWhileItEnds(`order-that-ends-${again}`)

  expect([story.status, story.next]).toEqual([
    'completed',
    ['Nothing: it has arrived. It continues only if the bank returns the money.'],
  ])
})

test('an activity is listed after the rows that it wrote and after the previous activity, even if a worker’s clock is behind', () => {
  const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms)
  const step = (name: string, ms: number, endedBy: number) =>
    ({ at: at(ms), from: 'workflow', text: `${name} ran`, step: name, endedBy: at(endedBy) }) as const

  const ordered = mergeLines([
    { at: at(569), from: 'ledger', text: 'debited', writtenBy: ['debitPayout'] },
    { at: at(612), from: 'row', text: 'called', writtenBy: ['submitToRail'] },
    { at: at(640), from: 'timeline', text: 'sent', writtenBy: ['submitToRail', 'pollSettlement'] },
    // A later run of submitToRail wrote this line.
    { at: at(9_000), from: 'timeline', text: 'unconfirmed', writtenBy: ['submitToRail'] },
    step('debitPayout', 350, 700),
    step('submitToRail', 394, 700),
    step('pollSettlement', 399, 700),
  ])

  expect(ordered.map(({ text }) => text)).toEqual([
    'debited',
    'debitPayout ran',
    'called',
    'sent',
    'submitToRail ran',
    'pollSettlement ran',
    'unconfirmed',
  ])
})

test('repeated lines are collapsed to the first one, a count and the last one', () => {
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second))
  const waits = Array.from(
    { length: 9 },
    (_, n) => ({ at: at(n), from: 'workflow', text: `wait ${n}`, again: 'w' }) as const,
  )
  const other = { at: at(20), from: 'row', text: 'other' } as const

  expect(mergeLines([other, ...waits]).map(({ text }) => text)).toEqual([
    'wait 0',
    'The same, 7 more times.',
    'wait 8',
    'other',
  ])
})

/** Forwards connections once `first` has finished. The first connection calls `first`. */
async function gateTo(address: string, first: () => Promise<void>) {
  const [host, port] = address.split(':')
  let opening: Promise<void> | undefined
  const server = createServer((near) => {
    near.on('error', () => {})
    opening ??= first()
    void forward(near, opening)
  })
  async function forward(near: Socket, open: Promise<void>): Promise<void> {
    await open
    const far = connect(Number(port), host)
    far.on('error', () => near.destroy())
    near.pipe(far).pipe(near)
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const listening = server.address()
  if (typeof listening !== 'object' || listening === null) throw new Error('a TCP server has a port')
  return { address: `127.0.0.1:${listening.port}`, close: () => void server.close() }
}

async function paid(change = {}): Promise<string> {
  const { status, body } = await world.pay(payer, change)
  expect(status).toBe(201)
  return String(body['id'])
}

async function reached(id: string, status: string): Promise<void> {
  await until(`it is ${status}`, async () => (await loadStep(world.api.db, id)).status === status)
}

async function advance(id: string, state: string): Promise<void> {
  const [transfer] = await world.transfersOf(id)
  await world.bank.control('POST', `/transfers/${transfer?.id}/advance`, { state })
}

function ops(id: string, change: Record<string, string> = {}, ...more: string[]) {
  const env = { DATABASE_URL: world.api.databaseUrl, TEMPORAL_ADDRESS: testSystem().temporalAddress, ...change }
  return runWith(env, ['payout', 'explain', '--payout', id, ...more])
}

async function explained(id: string, change: Record<string, string> = {}): Promise<Explained> {
  const { code, out, err } = await ops(id, change, '--json')
  expect([code, err]).toEqual([0, ''])
  return JSON.parse(out)
}

function inThisOrder(steps: Explained['steps'], wanted: readonly RegExp[]): void {
  const places = wanted.map((pattern) => steps.findIndex(({ text }) => pattern.test(text)))
  expect(places).toEqual(places.toSorted((one, other) => one - other))
  expect(wanted.filter((_, n) => places[n] === -1)).toEqual([])
}
