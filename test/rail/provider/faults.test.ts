// Every bank fault and its classification, checked against the bank's own records.
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { ProviderRail } from '../../../rail/provider'
import { RailUnavailable, type Submitted } from '../../../rail/rail'
import {
  aConnectedPartner,
  anOrder,
  aPayee,
  type Partner,
  pay,
  railTo,
  register,
} from '../../support/bank/a-connected-partner'
import { type Json, openTestBank, still, type TestBank, until } from '../../support/bank/client'

let bank: TestBank
let rail: ProviderRail
let hastyRail: ProviderRail
let partner: Partner

beforeEach(async () => {
  bank = await openTestBank({ delaysMs: still, fsync: 'off', controlPort: 0 })
  rail = railTo(bank.url)
  hastyRail = railTo(bank.url, { callMs: 1_000 })
  partner = await aConnectedPartner(rail)
})
afterEach(async () => {
  rail.close()
  hastyRail.close()
  await bank.close()
})

const toTransfers = { method: 'POST', path: '/v0/transfers' }

describe('a transfer request', () => {
  const faults: readonly [string, Json, string, number][] = [
    ['a connection reset before the bank stored it', { kind: 'reset', stage: 'before' }, 'unknown', 0],
    ['a connection reset after the bank stored it', { kind: 'reset', stage: 'after' }, 'unknown', 1],
    ['a timeout before the bank stored it', { kind: 'hang', stage: 'before' }, 'unknown', 0],
    ['a timeout after the bank stored it', { kind: 'hang', stage: 'after' }, 'unknown', 1],
    ['500 before the bank stored it', { kind: 'status', status: 500, stage: 'before' }, 'unknown', 0],
    ['500 after the bank stored it', { kind: 'status', status: 500, stage: 'after' }, 'unknown', 1],
    ['503 with Retry-After', { kind: 'status', status: 503, retry_after: 1 }, 'unknown', 0],
    ['424 after the bank stored it', { kind: 'status', status: 424, stage: 'after' }, 'unknown', 1],
    ['409', { kind: 'status', status: 409 }, 'unknown', 0],
    ['422', { kind: 'status', status: 422 }, 'unknown', 0],
    ['a truncated response', { kind: 'truncated' }, 'unknown', 1],
    ['a response that is not JSON', { kind: 'malformed' }, 'unknown', 1],
    ['a response that arrives too slowly', { kind: 'slow_body', ms: 2_000 }, 'unknown', 1],
    ['429', { kind: 'status', status: 429, retry_after: 2 }, 'not-sent busy 2000', 0],
    ['429 without Retry-After', { kind: 'status', status: 429 }, 'not-sent busy null', 0],
    ['401', { kind: 'status', status: 401 }, 'not-sent misconfigured null', 0],
    ['a lost race for the wallet', { kind: 'busy' }, 'not-sent busy null', 0],
  ]

  test.each(faults)('has the expected outcome after %s', async (_, fault, outcome, stored) => {
    const order = anOrder(partner)
    const [key, body] = [randomUUID(), rail.transferBody(order)]
    await bank.fault({ ...fault, match: toTransfers })

    const submitted = await railFor(fault).submit({ key, body, call: 'first' })

    expect(inShort(submitted)).toBe(outcome)
    expect(await transfersOf(order.payoutId)).toHaveLength(stored)
    await bank.control('DELETE', '/faults')
    expect(inShort(await rail.submit({ key, body, call: 'repeat' }))).toBe('accepted')
    expect(await transfersOf(order.payoutId)).toHaveLength(1)
  })

  test('was not sent if the bank cannot be reached, but has an unknown outcome if it was a retry', async () => {
    const body = rail.transferBody(anOrder(partner))
    await bank.control('POST', '/outage', { ms: 60_000 })
    await until('the bank is down', () =>
      rail.rate().then(
        () => false,
        () => true,
      ),
    )

    const first = await rail.submit({ key: randomUUID(), body, call: 'first' })
    const repeat = await rail.submit({ key: randomUUID(), body, call: 'repeat' })

    expect(inShort(first)).toBe('not-sent unavailable null')
    expect(inShort(repeat)).toBe('unknown')
  })

  test('was not sent if it exceeds the wallet’s balance', async () => {
    const order = anOrder(partner, { sendsMicroUsdc: 20_000_000_000n })

    const submitted = await rail.submit({ key: randomUUID(), body: rail.transferBody(order), call: 'first' })

    expect(inShort(submitted)).toBe('not-sent insufficient null')
    expect(await transfersOf(order.payoutId)).toEqual([])
  })

  test('has an unknown outcome if it is a retry that exceeds the wallet’s balance', async () => {
    const body = rail.transferBody(anOrder(partner, { sendsMicroUsdc: 20_000_000_000n }))

    expect(inShort(await rail.submit({ key: randomUUID(), body, call: 'repeat' }))).toBe('unknown')
  })

  test('is rejected because of the quote if the rate has moved', async () => {
    await bank.fault({ kind: 'rate_jump', sell_rate: '0.5' })
    const body = rail.transferBody(anOrder(partner))

    expect(await rail.submit({ key: randomUUID(), body, call: 'first' })).toMatchObject({
      outcome: 'rejected',
      who: 'quote',
    })
  })

  test('is rejected because of the recipient if the account is closed', async () => {
    await bank.control('POST', `/external_accounts/${partner.recipientRef}`, {
      deactivation_reason: 'rejected_by_bank_provider',
    })

    const submitted = await rail.submit({ key: randomUUID(), body: rail.transferBody(anOrder(partner)), call: 'first' })

    expect(submitted).toMatchObject({
      outcome: 'rejected',
      who: 'recipient',
      reason: expect.stringContaining('account_inactive: '),
    })
  })

  test.each(['paused', 'rejected', 'under_review'])(
    'is rejected because of the partner if the partner is %s',
    async (status) => {
      await bank.control('POST', `/customers/${partner.customerRef}/kyc`, { status })

      const submitted = await rail.submit({
        key: randomUUID(),
        body: rail.transferBody(anOrder(partner)),
        call: 'first',
      })

      expect(submitted).toMatchObject({ outcome: 'rejected', who: 'partner' })
    },
  )

  test('was not sent if the Api-Key is wrong', async () => {
    const stranger = railTo(bank.url, { apiKey: 'sk-test-wrong' })

    const submitted = await stranger.submit({
      key: randomUUID(),
      body: rail.transferBody(anOrder(partner)),
      call: 'first',
    })

    stranger.close()
    expect(inShort(submitted)).toBe('not-sent misconfigured null')
    await expect(stranger.rate()).rejects.toThrow(RailUnavailable)
  })

  test('is accepted, then undeliverable and refunded in full, for an account ending in 0000', async () => {
    const recipientRef = await register(rail, partner.customerRef, aPayee({ accountNumber: '12340000' }))
    const transfer = await pay(rail, anOrder({ ...partner, recipientRef }))
    await bank.control('POST', `/transfers/${transfer.ref}/advance`)

    const [refund] = (await rail.walletHistory({ ...partner, after: null })).slice(-1)

    expect(transfer).toMatchObject({ status: 'undeliverable', reason: expect.stringContaining('invalid_account: ') })
    expect(await rail.transfer(transfer.ref)).toMatchObject({ status: 'refunded' })
    expect(refund).toMatchObject({
      kind: 'deposit',
      transferRef: transfer.ref,
      amountMicroUsdc: transfer.sentMicroUsdc,
    })
  })

  test.each(['underfunded', 'error', 'a_state_of_tomorrow'])('needs an operator in the state %s', async (state) => {
    const { ref } = await pay(rail, anOrder(partner))
    await bank.control('POST', `/transfers/${ref}/advance`, { state, last: true })

    expect(await rail.transfer(ref)).toMatchObject({ state, status: 'needs_people', reason: null })
  })
})

describe('registering a recipient', () => {
  test('reactivates an account after a bounced payment', async () => {
    const recipient = aPayee()
    const recipientRef = await register(rail, partner.customerRef, recipient)
    const deactivation_reason = 'deactivated_due_to_bounceback'
    await bank.control('POST', `/external_accounts/${recipientRef}`, { deactivation_reason })

    expect(await register(rail, partner.customerRef, recipient)).toBe(recipientRef)
    expect(await pay(rail, anOrder({ ...partner, recipientRef }))).toMatchObject({ status: 'under_way' })
  })

  test('registers a deleted account again', async () => {
    const recipient = aPayee()
    const recipientRef = await register(rail, partner.customerRef, recipient)
    await bank.send('DELETE', `/customers/${partner.customerRef}/external_accounts/${recipientRef}`)

    expect(await register(rail, partner.customerRef, recipient)).not.toBe(recipientRef)
  })

  test('is rejected if the bank has found the account to be invalid', async () => {
    const recipient = aPayee()
    const recipientRef = await register(rail, partner.customerRef, recipient)
    await bank.control('POST', `/external_accounts/${recipientRef}`, { deactivation_reason: 'invalid_account_number' })

    const registered = await rail.registerRecipient({ ...partner, recipient, key: randomUUID() })

    const reason: unknown = expect.stringContaining('invalid_account: ')
    expect(registered).toEqual({ outcome: 'rejected', reason, cause: 'account deactivated' })
  })

  test('is rejected if the bank refuses it', async () => {
    const recipient = aPayee({ sortCode: '12345' })

    const registered = await rail.registerRecipient({ ...partner, recipient, key: randomUUID() })

    const reason: unknown = expect.stringContaining('invalid_account: ')
    expect(registered).toEqual({ outcome: 'rejected', reason, cause: 'HTTP 400 invalid_parameters' })
  })

  test.each([
    ['loses its response', { kind: 'reset', stage: 'after' }, 'connection reset', null],
    ['is not answered', { kind: 'hang', ms: 1_500 }, 'timeout', null],
    ['gets 500', { kind: 'status', status: 500 }, 'HTTP 500', null],
    ['gets 401', { kind: 'status', status: 401 }, 'HTTP 401 not_allowed', null, 'misconfigured'],
    ['gets 429', { kind: 'status', status: 429, retry_after: 3 }, 'HTTP 429', 3_000, 'busy'],
    ['gets invalid JSON', { kind: 'malformed' }, 'HTTP 201 unreadable', null],
  ])(
    'fails temporarily when it %s, and registers once when retried',
    async (_, fault, cause, retryAfterMs, why = 'unavailable') => {
      const wanted = { ...partner, recipient: aPayee(), key: randomUUID() }
      await bank.fault({ ...fault, match: { method: 'POST', path: '*/external_accounts' } })

      expect(await railFor(fault).registerRecipient(wanted)).toEqual({
        outcome: 'unavailable',
        why,
        retryAfterMs,
        cause,
      })
      expect(await rail.registerRecipient(wanted)).toMatchObject({ outcome: 'registered' })
      const { json } = await bank.get(`/customers/${partner.customerRef}/external_accounts?limit=100`)
      expect(json.data).toHaveLength(2)
    },
  )
})

test('a registration whose key was used for another body is repeated with another key, and finds the same account', async () => {
  const recipient = aPayee()
  const wanted = { ...partner, recipient, key: randomUUID() }
  const first = await rail.registerRecipient(wanted)
  const moved = { ...recipient, address: { ...recipient.address, region: 'Kent' } }

  expect(await rail.registerRecipient({ ...wanted, recipient: moved })).toEqual(first)
})

describe('a read', () => {
  test.each([
    ['500', { kind: 'status', status: 500 }],
    ['429', { kind: 'status', status: 429 }],
    ['a reset', { kind: 'reset' }],
    ['no answer', { kind: 'hang' }],
    ['invalid JSON', { kind: 'malformed' }],
    ['a truncated response', { kind: 'truncated' }],
  ])('is an error, not an empty result, if it gets %s', async (_, fault) => {
    const { ref } = await pay(rail, anOrder(partner))
    const faulty = railFor(fault)
    const ask = [
      () => faulty.rate(),
      () => faulty.transfer(ref),
      () => faulty.wallet(partner),
      () => faulty.walletHistory({ ...partner, after: null }),
      () => faulty.openCustomer({ legalName: 'x', email: 'x@example.com', redirectUrl: null, key: randomUUID() }),
    ]
    await bank.fault({ ...fault, times: ask.length })

    for (const question of ask) await expect(question()).rejects.toThrow(RailUnavailable)
  })

  test.each([
    { kind: 'status', status: 500 },
    { kind: 'status', status: 429 },
    { kind: 'reset' },
    { kind: 'hang' },
    { kind: 'truncated' },
  ])('does not report a transfer as absent after $kind $status', async (fault) => {
    await bank.fault(fault)
    const lookup = railFor(fault).findTransfer({ ...partner, payoutId: randomUUID(), since: new Date(0) })

    await expect(lookup).rejects.toThrow(RailUnavailable)
  })

  test('is also an error if the transfer does not exist', async () => {
    await expect(rail.transfer('../customers')).rejects.toThrow(RailUnavailable)
  })
})

/** Only calls that the bank does not answer in time end early: on a busy machine, others need their time. */
function railFor(fault: Json): ProviderRail {
  return ['hang', 'slow_body'].includes(String(fault.kind)) ? hastyRail : rail
}

function transfersOf(payoutId: string): Promise<Json[]> {
  return bank.control('GET', `/transfers?client_reference_id=${payoutId}`).then(({ json }) => json.data)
}

function inShort(submitted: Submitted): string {
  return submitted.outcome === 'not-sent' ? `not-sent ${submitted.why} ${submitted.retryAfterMs}` : submitted.outcome
}
