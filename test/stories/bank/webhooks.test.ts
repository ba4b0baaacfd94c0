// The bank's events only cause a poll, so they do no harm if they are lost, duplicated, late, forged or out
// of order.
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { signatureHeader } from '../../../sandbox-bank/webhooks/events'
import { payoutReturnId } from '../../../workflows/names'
import { type Json, webhookKeyOf } from '../../support/bank/client'
import { type Answer, useWorld } from '../../support/system/world'
import { until } from '../../support/until'

// No poll happens for ten minutes, so only an event can cause a settlement here.
const world = useWorld({ env: { PAYOUT_POLL_MS: '600000' } })

// The worker registers our webhook URL with the bank in the background.
beforeAll(() => world.bankKnowsUs())

test('an event settles a payout that is not polled', async () => {
  const { body } = await world.pay()

  expect(await world.settled(body.id)).toMatchObject({ status: 'completed' })
})

describe('a payout is still settled once when events are', () => {
  const faults: readonly [string, Json][] = [
    ['duplicated', { kind: 'webhook_duplicate', copies: 5, times: null }],
    ['out of order', { kind: 'webhook_reorder', times: 1 }],
    ['wrongly signed at first', { kind: 'webhook_bad_signature', times: 3 }],
    ['expired at first', { kind: 'webhook_expired', times: 3 }],
    ['late', { kind: 'webhook_late', ms: 300, times: 2 }],
  ]

  test.each(faults)('%s', async (_, fault) => {
    const id = await world.bank.fault(fault)

    const { body } = await world.pay()

    expect(await world.settled(body.id)).toMatchObject({ status: 'completed' })
    expect((await world.bank.counts(id)).fired).toBeGreaterThan(0)
    const sets = await world.db.dataSource.query<Json[]>(
      'SELECT cause FROM ledger_sets WHERE payout_id = $1 ORDER BY cause',
      [body.id],
    )
    expect(sets.map(({ cause }) => cause)).toEqual(['debit', 'paid_out'])
  })
})

test('an event can arrive before the bank’s response, and the payout is found by our reference', async () => {
  await world.bank.fault({ kind: 'hang', stage: 'after', times: 1, match: { method: 'POST', path: '/v0/transfers' } })

  const { body } = await world.pay()

  expect(body.status).toBe('pending')
  expect(await world.settled(body.id)).toMatchObject({ status: 'completed' })
})

test('a forged event is refused and changes nothing', async () => {
  const { body } = await world.pay()
  await world.settled(body.id)
  const event = { event_id: 'evt_forged', event_category: 'transfer', event_object_id: 'tr_forged' }
  const forged = { ...event, event_object_status: 'refunded', event_object: { client_reference_id: body.id } }

  const answer = await world.send('/webhooks/bank', forged, {
    'X-Webhook-Signature': `t=${Date.now()},v0=${Buffer.from('forged').toString('base64')}`,
  })

  expect(answer.status).toBe(400)
  const events = await world.db.dataSource.query<Json[]>(`SELECT 1 FROM bank_events WHERE event_id = 'evt_forged'`)
  expect(events).toEqual([])
  expect(await world.row(body.id)).toMatchObject({ status: 'completed' })
})

describe('a signed event that contradicts the bank moves no money', () => {
  test('when its payout does not exist, and is stored for operators', async () => {
    const [before, sets] = [await world.balance(), await countSets()]

    const answer = await sendBankEvent({ id: 'evt_stranger', state: 'payment_processed', payoutId: randomUUID() })

    expect([answer.status, answer.body.outcome]).toEqual([200, 'unknown_payout'])
    expect(await stored('evt_stranger')).toMatchObject({ payout_id: null, outcome: 'unknown_payout' })
    expect([await world.balance(), await countSets()]).toEqual([before, sets])
  })

  test('when it reports a delivery with another amount, because only the bank’s answer to the next poll counts', async () => {
    await world.bank.fault({ kind: 'stuck', state: 'pending', times: 1 })
    const { body } = await world.pay()
    const [transfer] = await world.transfersOf(body.id)
    const [before, sets] = [await world.balance(), await countSets()]
    const about = { state: 'payment_processed', payoutId: body.id, transferId: transfer.id, amount: '999999.00' }
    // This fault delays each poll by only 1 ms. Its count shows when the second poll arrives, and by then the
    // effects of the first are complete.
    const asked = await world.bank.fault({
      ...toSlowDown,
      match: { method: 'GET', path: `/v0/transfers/${transfer.id}` },
    })

    for (const questions of [1, 2]) {
      const answer = await sendBankEvent({ id: `evt_too_much_${questions}`, ...about })
      expect([answer.status, answer.body.outcome]).toEqual([200, 'told'])
      await until('the bank was polled', async () => (await world.bank.counts(asked)).fired >= questions)
    }

    expect(await world.row(body.id)).toMatchObject({ status: 'processing', closed_at: null })
    expect([await world.balance(), await countSets()]).toEqual([before, sets])
    await world.bank.control('POST', `/transfers/${transfer.id}/advance`, { state: 'payment_processed' })
    await world.settled(body.id)
  })

  test('when it reports a delivered payout as returned, because the bank’s answer to the next poll refutes it', async () => {
    const { body } = await world.pay()
    await world.settled(body.id)
    const [transfer] = await world.transfersOf(body.id)
    const [before, sets] = [await world.balance(), await countSets()]
    const about = { payoutId: body.id, transferId: transfer.id, amount: '0.01' }

    const answer = await sendBankEvent({ id: 'evt_back', state: 'refunded', ...about })
    await world.temporal.workflow.getHandle(payoutReturnId(body.id)).result()

    expect([answer.status, answer.body.outcome]).toEqual([200, 'told'])
    expect(await world.row(body.id)).toMatchObject({ status: 'completed', attention: null })
    expect([await world.balance(), await countSets()]).toEqual([before, sets])
  })
})

const toSlowDown = { kind: 'hang', ms: 1, times: null }

interface BankEvent {
  readonly id: string
  readonly state: string
  readonly payoutId: string
  readonly transferId?: string
  readonly amount?: string
}

/** Sends an event signed with the bank's own key, which is read from the bank's journal. */
async function sendBankEvent({
  id,
  state,
  payoutId,
  transferId = 'tr_stranger',
  amount = '120.00',
}: BankEvent): Promise<Answer> {
  const event = {
    api_version: 'v0',
    event_id: id,
    event_category: 'transfer',
    event_type: 'transfer.updated.status_transitioned',
    event_object_id: transferId,
    event_object_status: state,
    event_object: { id: transferId, client_reference_id: payoutId, state, amount, currency: 'gbp' },
    event_created_at: new Date().toISOString(),
  }
  const signature = await signatureHeader(JSON.stringify(event), Date.now(), webhookKeyOf(world.bank, 'sandbox'))
  return world.send('/webhooks/bank', event, { 'X-Webhook-Signature': signature })
}

async function countSets(): Promise<number> {
  const [row] = await world.db.dataSource.query<Json[]>('SELECT count(*)::int AS n FROM ledger_sets')
  return row.n
}

async function stored(eventId: string): Promise<Json> {
  const [row] = await world.db.dataSource.query<Json[]>('SELECT * FROM bank_events WHERE event_id = $1', [eventId])
  return row
}
