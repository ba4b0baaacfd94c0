// The cause of a failed bank call, as a fixed text, and the metric that counts the call.
import { afterEach, describe, expect, test } from '@jest/globals'
import { type BankCallSeen, RailUnavailable } from '../../../rail/rail'
import { createRails, type Rails } from '../../../rail/rails'
import { systemClock } from '../../../runtime/clock'
import { json, shortTimeouts, timeouts, useScriptedBank } from '../../support/bank/scripted'

const bank = useScriptedBank()
const seen: (BankCallSeen & { environment: string })[] = []
const recipient = {
  type: 'individual',
  firstName: 'Ada',
  lastName: 'Lovelace',
  address: { line1: '12 St James Square', line2: null, city: 'London', postalCode: 'SW1Y 4JH', region: null },
  bankName: 'Barclays',
  sortCode: '200415',
  accountNumber: '38290008',
} as const

const open: Rails[] = []

afterEach(() => {
  seen.length = 0
  for (const rails of open.splice(0)) rails.close()
})

describe('the cause of a failed call', () => {
  test.each([
    [500, { errors: [{ code: 'unexpected', message: 'Ada Lovelace' }] }, 'HTTP 500', 'server_error'],
    [503, undefined, 'HTTP 503', 'server_error'],
    [401, { code: 'invalid', location: 'header', name: 'Api-Key' }, 'HTTP 401 invalid', 'unauthorized'],
    [400, { code: 'duplicate_record', message: 'Ada' }, 'HTTP 400 duplicate_record', 'refused'],
    [429, {}, 'HTTP 429', 'throttled'],
    // An undocumented code could contain anything, even personal data.
    [409, { code: 'ada_lovelace_38290008' }, 'HTTP 409', 'refused'],
    [201, {}, 'HTTP 201 unreadable', 'ok'],
    [201, undefined, 'HTTP 201 unreadable', 'unreadable'],
  ])('for %s with %j is %s, counted as %s', async (status, body, cause, outcome) => {
    bank.answer((_, response) =>
      body === undefined ? response.writeHead(status).end('{') : json(response, status, body),
    )

    expect(await submit()).toMatchObject({ cause })
    expect(seen).toEqual([
      { environment: 'sandbox', operation: 'submit_transfer', outcome, seconds: expect.any(Number) },
    ])
  })

  test('is a reset if the connection is closed', async () => {
    bank.answer((_, response) => response.destroy())

    expect(await submit()).toMatchObject({ outcome: 'unknown', cause: 'connection reset' })
    expect(seen).toMatchObject([{ outcome: 'lost' }])
  })

  test('is a timeout if there is no response', async () => {
    bank.answer(() => {})

    expect(await submit({ limits: shortTimeouts })).toMatchObject({ outcome: 'unknown', cause: 'timeout' })
    expect(seen).toMatchObject([{ outcome: 'timeout' }])
    expect(seen[0]?.seconds).toBeGreaterThanOrEqual(shortTimeouts.callMs / 1_000)
  })

  test('is a refused connection if the bank is down', async () => {
    const rails = railsAt('http://127.0.0.1:1')

    expect(await rails.submit({ key: 'k', body: '{}', call: 'first' })).toMatchObject({ cause: 'connection refused' })
    expect(seen).toMatchObject([{ outcome: 'unconnected' }])
  })

  test('is not counted as a bank failure if the call’s time limit has already passed', async () => {
    const endBy = new Date(systemClock.now().getTime() - 1)

    expect(await submit({ endBy })).toMatchObject({ outcome: 'not-sent', cause: 'no time left' })
    expect(seen).toEqual([])
  })

  test('is part of the error when a read fails', async () => {
    bank.answer((_, response) => json(response, 500, { code: 'unexpected', message: 'Ada' }))

    const error = await railsAt(bank.url)
      .transfer('tr_1')
      .catch((thrown: unknown) => thrown)

    expect(error).toBeInstanceOf(RailUnavailable)
    expect(error).toMatchObject({ answer: 'HTTP 500', message: 'the call to the bank failed: transfer (HTTP 500)' })
  })
})

test('each request is counted with its operation', async () => {
  bank.answer((_, response) => json(response, 500, {}))
  const rail = railsAt(bank.url)
  const refs = { customerRef: 'cust_1', walletRef: 'wallet_1' }
  const named = { ...refs, chain: 'base', key: 'k' }

  await rail.registerRecipient({ customerRef: 'cust_1', recipient, key: 'k' })
  const failing = [
    () => rail.transfer('tr_1'),
    () => rail.transfersSince({ ...refs, since: null }),
    () => rail.wallet(refs),
    () => rail.walletHistory({ ...refs, after: null }),
    () => rail.createWallet(named),
    () => rail.depositAddress(named),
    () => rail.bankFunding(named),
    () => rail.verification('kyc_1'),
    () => rail.rate(),
    () => rail.registerWebhook({ url: 'https://payouts.test', key: 'k' }),
  ]
  for (const call of failing) await expect(call()).rejects.toThrow('HTTP 500')

  expect(seen.map(({ operation }) => operation)).toEqual([
    'register_recipient',
    'read_transfer',
    'list_transfers',
    'read_wallet',
    'read_history',
    'set_up_wallet',
    'set_up_wallet',
    'set_up_wallet',
    'verify_customer',
    'read_rate',
    'set_webhook',
  ])
})

function railsAt(url: string, limits = timeouts) {
  const access = { url, key: 'sk-test-1' }
  const rails = createRails({
    bank: { sandbox: access, live: null },
    clock: systemClock,
    timeouts: limits,
    onCall: (call) => seen.push(call),
  })
  open.push(rails)
  return rails.provider_sandbox
}

function submit({ endBy, limits = timeouts }: { endBy?: Date; limits?: typeof timeouts } = {}) {
  const body = '{"client_reference_id":"payout-1"}'
  return railsAt(bank.url, limits).submit({ key: 'k', body, call: 'first', ...(endBy === undefined ? {} : { endBy }) })
}
