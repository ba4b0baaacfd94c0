// The contract with the bank: the adapter's assumptions, tested against the sandbox bank, and against the
// real bank's sandbox when BANK_CONTRACT_URL (without /v0) and BANK_CONTRACT_KEY (sk-test-…) are set
// (docs/bank-contract.md).
import { createPublicKey, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { rateRejection } from '../../domain/rate-check'
import type { ProviderRail } from '../../rail/provider'
import { readWebhook } from '../../rail/provider/webhook'
import { BadSignature } from '../../rail/rail'
import { openSimulatedBank, type SimulatedBank } from '../../rail/simulated-bank'
import { systemClock } from '../../runtime/clock'
import { environment } from '../../runtime/config/config'
import {
  aConnectedPartner,
  aCustomer,
  accepted,
  anOrder,
  aPayee,
  opened,
  type Partner,
  pay,
  railTo,
  register,
} from '../support/bank/a-connected-partner'
import { keys, openTestBank, type TestBank } from '../support/bank/client'
import { published } from '../support/bank/published-signature'

const { BANK_CONTRACT_URL: realUrl, BANK_CONTRACT_KEY: realKey } = environment()
const isRealAsked = Boolean(realUrl && realKey)
if (!isRealAsked && (realUrl || realKey)) throw new Error('Set both BANK_CONTRACT_URL and BANK_CONTRACT_KEY, or none.')
// Requires a test key for any URL, because this suite makes payments.
if (realKey && !realKey.startsWith('sk-test-'))
  throw new Error('BANK_CONTRACT_KEY must be a key of the bank’s sandbox.')

const banks = ['the sandbox bank', ...(isRealAsked ? ['the real bank’s sandbox'] : [])]
if (!isRealAsked) {
  // oxlint-disable-next-line jest/no-disabled-tests, jest/expect-expect -- Shows readers of the run what was skipped.
  test.skip('the real bank’s sandbox: skipped, because BANK_CONTRACT_URL and BANK_CONTRACT_KEY are not set', () => {})
}

test('the bank’s published example signature is valid, but not for another body', () => {
  const { at, body, publicKey, signature } = published
  const receive = (text: string) => () =>
    readWebhook({
      signature: `t=${at},v0=${signature}`,
      rawBody: Buffer.from(text),
      publicKey: createPublicKey(publicKey),
      clock: { now: () => new Date(at) },
    })

  expect(receive(body)()).toEqual({ outcome: 'ignored' })
  expect(receive(`${body}\n`)).toThrow(BadSignature)
})

// Runs against the sandbox bank only: this suite makes payments, so it never uses the real bank's live environment.
test('the sandbox bank in live mode opens one customer per email, and refuses a second one and an invalid name', async () => {
  const bank = await openTestBank()
  const rail = railTo(bank.url, { apiKey: keys.live })
  const customer = aCustomer()
  const first = opened(await rail.openCustomer(customer))

  const second = await rail.openCustomer({ ...customer, legalName: 'Another Ltd', key: randomUUID() })
  const nameless = await rail.openCustomer({ ...aCustomer(), legalName: '' })

  expect(second).toEqual({ outcome: 'refused', code: 'duplicate_record' })
  expect(nameless).toEqual({ outcome: 'refused', code: 'invalid_parameters' })
  expect(opened(await rail.openCustomer(customer)).verificationRef).toBe(first.verificationRef)
  rail.close()
  await bank.close()
})

describe.each(banks)('%s', (name) => {
  let own: TestBank | null = null
  let rail: ProviderRail
  let testMoney: SimulatedBank
  let partner: Partner

  beforeAll(async () => {
    const isReal = name !== 'the sandbox bank'
    own = isReal ? null : await openTestBank()
    const url = own?.url ?? realUrl ?? ''
    rail = isReal ? railTo(url, { apiKey: realKey ?? '', callMs: 20_000 }) : railTo(url)
    testMoney = openSimulatedBank({ url: `${url}/v0`, key: isReal ? (realKey ?? '') : keys.sandbox }, systemClock)
    partner = await aConnectedPartner(rail)
    await testMoney.simulateDeposit({ ...partner, amountMicroUsdc: 5_000_000_000n, key: randomUUID() })
  })
  afterAll(async () => {
    testMoney?.close()
    rail?.close()
    await own?.close()
  })

  test('has a GBP/USD rate that passes our rate check', async () => {
    const rate = await rail.rate()

    expect(rate.gbpPerUsdNano > 500_000_000n && rate.gbpPerUsdNano < 1_000_000_000n).toBe(true)
    const limits = { maxAgeMs: 900_000, midBasisPoints: 200, jumpBasisPoints: 500 }
    expect(rateRejection({ rate, last: null, limits, now: systemClock.now() })).toBeNull()
  })

  test('opens a customer once per key and reports whether the customer can pay pounds', async () => {
    const customer = aCustomer()

    const first = opened(await rail.openCustomer(customer))
    const again = opened(await rail.openCustomer(customer))

    expect(again.verificationRef).toBe(first.verificationRef)
    expect(await rail.verification(first.verificationRef)).toMatchObject({
      customerRef: first.customerRef,
      providerStatus: 'approved',
      termsAccepted: true,
      paysGbp: true,
      continueUrl: expect.stringMatching(/^https?:/),
      termsUrl: expect.stringMatching(/^https?:/),
      reasons: [],
    })
  })

  test('opens a wallet once per key, with an address and a balance', async () => {
    const wallet = { customerRef: partner.customerRef, chain: 'base', key: randomUUID() }

    const opened = await rail.createWallet(wallet)

    expect(await rail.createWallet(wallet)).toEqual(opened)
    expect(opened.address).toMatch(/^0x/)
    expect(await rail.wallet({ ...partner, walletRef: opened.walletRef })).toEqual({
      usdcMicro: 0n,
      initiationRequired: false,
    })
  })

  test('finds a customer’s wallets, oldest first', async () => {
    const { walletRef } = await rail.createWallet({ ...partner, chain: 'base', key: randomUUID() })

    const refs = (await rail.wallets(partner.customerRef)).map((wallet) => wallet.walletRef)

    expect([refs[0], refs.includes(walletRef)]).toEqual([partner.walletRef, true])
  })

  test('has one USDC address and one GBP account that fund a wallet', async () => {
    const wanted = () => ({ ...partner, chain: 'base', key: randomUUID() })

    const [address, account] = [await rail.depositAddress(wanted()), await rail.bankFunding(wanted())]

    expect(await rail.depositAddress(wanted())).toBe(address)
    expect(await rail.bankFunding(wanted())).toEqual(account)
    expect(address).toMatch(/^0x/)
    expect(account).toMatchObject({
      sortCode: expect.stringMatching(/^\d{6}$/),
      accountNumber: expect.stringMatching(/^\d{8}$/),
    })
  })

  test('creates test money once per key, and shows it in the history', async () => {
    const deposit = { ...partner, amountMicroUsdc: 12_500_000n, key: randomUUID() }
    const before = await rail.walletHistory({ ...partner, after: null })

    await testMoney.simulateDeposit(deposit)
    await testMoney.simulateDeposit(deposit)

    const added = await rail.walletHistory({ ...partner, after: before.at(-1)?.id ?? null })
    expect(added).toEqual([
      expect.objectContaining({ kind: 'deposit', amountMicroUsdc: 12_500_000n, transferRef: null }),
    ])
  })

  test('registers a recipient once, and our adapter accepts one that already exists', async () => {
    const recipient = aPayee()
    const [one, other] = await Promise.all([
      register(rail, partner.customerRef, recipient),
      register(rail, partner.customerRef, { ...recipient }).catch(() => null),
    ])

    expect(await register(rail, partner.customerRef, recipient)).toBe(one)
    expect([one, null]).toContain(other)
  })

  test('debits exactly the transfer’s amount from the wallet', async () => {
    const before = await rail.wallet(partner)

    const transfer = await pay(rail, anOrder(partner))

    const after = await rail.wallet(partner)
    expect(transfer.sentMicroUsdc).toBe(132_410_000n)
    expect(before.usdcMicro - after.usdcMicro).toBe(132_410_000n)
  })

  test('creates one transfer for identical requests with the same key, however often they arrive', async () => {
    const order = anOrder(partner)
    const [key, body] = [randomUUID(), rail.transferBody(order)]

    const first = accepted(await rail.submit({ key, body, call: 'first' }))
    const repeats = await Promise.all([1, 2, 3].map(() => rail.submit({ key, body, call: 'repeat' })))

    expect(repeats.map((each) => accepted(each).ref)).toEqual([first.ref, first.ref, first.ref])
    expect(first.payoutId).toBe(order.payoutId)
  })

  test('refuses a different body with the same key', async () => {
    const key = randomUUID()
    await rail.submit({ key, body: rail.transferBody(anOrder(partner)), call: 'first' })

    const other = await rail.submit({ key, body: rail.transferBody(anOrder(partner)), call: 'first' })

    expect(other).toMatchObject({ outcome: 'unknown' })
  })

  test('delivers a transfer, and reports the delivery when polled', async () => {
    const { ref } = await pay(rail, anOrder(partner))

    expect(await settled(ref)).toMatchObject({ ref, state: 'payment_processed', status: 'delivered', reason: null })
  })

  test('finds a transfer by our reference, and reports one that never existed as absent', async () => {
    const order = anOrder(partner)
    const since = new Date(Date.now() - 60_000)
    const { ref } = await pay(rail, order)

    expect(await rail.findTransfer({ ...order, since })).toMatchObject({ outcome: 'found', transfer: { ref } })
    expect(await rail.findTransfer({ ...order, payoutId: randomUUID(), since })).toEqual({ outcome: 'absent' })
  })

  test('lists a wallet’s movements from any point on, and our adapter returns them oldest first', async () => {
    const { ref } = await pay(rail, anOrder(partner))
    const all = await rail.walletHistory({ ...partner, after: null })
    const last = all.at(-1)

    expect(last).toMatchObject({ kind: 'withdrawal', amountMicroUsdc: 132_410_000n, transferRef: ref })
    expect(await rail.walletHistory({ ...partner, after: all.at(-2)?.id ?? null })).toEqual([last])
    expect(await rail.walletHistory({ ...partner, after: last?.id ?? null })).toEqual([])
  })

  test('lists the changed transfers', async () => {
    const since = new Date()
    const { ref } = await pay(rail, anOrder(partner))

    const refs: string[] = []
    for await (const each of rail.changedSince(since)) if (each.outcome === 'read') refs.push(each.transfer.ref)

    expect(refs).toContain(ref)
  })

  test('registers a webhook once per key, and returns its signing key', async () => {
    const webhook = { url: 'https://payouts.example/webhooks/bank', key: randomUUID() }

    const registered = await rail.registerWebhook(webhook)

    expect(await rail.registerWebhook(webhook)).toEqual(registered)
    expect(registered.publicKey).toMatch(/^-----BEGIN PUBLIC KEY-----/)
  })

  test('disables a webhook, even if the request is repeated or names an unknown webhook', async () => {
    const webhook = { url: 'https://payouts.example/webhooks/old', key: randomUUID() }
    const { webhookRef } = await rail.registerWebhook(webhook)

    for (const ref of [webhookRef, webhookRef, 'wep_00000000000000000000000000000000']) {
      await expect(rail.disableWebhook(ref)).resolves.toBeUndefined()
    }
  })

  async function settled(ref: string) {
    for (let attempt = 0; attempt < 200; attempt += 1) {
      const transfer = await rail.transfer(ref)
      if (transfer.status !== 'under_way') return transfer
      await pause(own ? 10 : 2_000)
    }
    return rail.transfer(ref)
  }
})
