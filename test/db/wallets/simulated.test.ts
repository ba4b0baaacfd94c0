// Test money for a sandbox wallet is credited once per cause, with an activity entry.
import { expect, test } from '@jest/globals'
import { latestActivity } from '../../../db/controls/activity'
import { openPartner } from '../../../db/partners/open'
import { creditWallet } from '../../../db/wallets/simulated'
import { findWallet } from '../../../db/wallets/wallets'
import { simulatedFloatMicroUsdc } from '../../../domain/wallets/ledger'
import { useDatabase } from '../../support/db/database'

const clock = { now: () => new Date('2026-11-15T12:00:00.000Z') }

const db = useDatabase(5)

async function aPartnerId(slug: string): Promise<string> {
  const result = await openPartner({ db, clock }, { name: 'Acme', slug, email: 'ada@acme.test', createdBy: 'ops' })
  if (result.outcome !== 'opened') throw new Error(result.outcome)
  return result.partner.id
}

function credit(partnerId: string, amountMicroUsdc: bigint, causeRef: string) {
  const order = { partnerId, environment: 'sandbox', amountMicroUsdc, causeRef, createdBy: 'ops:grace' } as const
  return creditWallet({ db, clock }, order)
}

test('a credit raises the sandbox balance, leaves the live wallet unchanged and adds an activity entry', async () => {
  const partnerId = await aPartnerId('credited')

  const credited = await credit(partnerId, 100_000_000n, 'top-up-1')

  const balanceMicroUsdc = simulatedFloatMicroUsdc + 100_000_000n
  expect(credited).toEqual({ outcome: 'credited', balanceMicroUsdc })
  expect(await findWallet(db, partnerId, 'sandbox')).toMatchObject({ balanceMicroUsdc })
  expect(await findWallet(db, partnerId, 'live')).toMatchObject({ balanceMicroUsdc: 0n })
  const [latest] = await latestActivity(db, partnerId, 1)
  expect(latest).toMatchObject({
    action: 'wallet.credit',
    environment: 'sandbox',
    changes: 'something',
    madeBy: 'ops:grace',
    detail: '100.00 USDC',
  })
})

test('the same cause is credited once, even by ten concurrent requests', async () => {
  const partnerId = await aPartnerId('once')

  const results = await Promise.all(Array.from({ length: 10 }, () => credit(partnerId, 5_000_000n, 'same')))

  const balanceMicroUsdc = simulatedFloatMicroUsdc + 5_000_000n
  expect(results.filter((result) => result?.outcome === 'credited')).toHaveLength(1)
  expect(results.every((result) => result?.balanceMicroUsdc === balanceMicroUsdc)).toBe(true)
  const actions = (await latestActivity(db, partnerId, 200)).map((entry) => entry.action)
  expect(actions).toEqual(['wallet.credit', 'partner.create'])
})

test.each([0n, -1n])('crediting an amount of %s throws and moves nothing', async (amount) => {
  const partnerId = await aPartnerId(`amount-${amount}`)

  await expect(credit(partnerId, amount, 'x')).rejects.toThrow('only a positive amount')

  expect(await findWallet(db, partnerId, 'sandbox')).toMatchObject({ balanceMicroUsdc: simulatedFloatMicroUsdc })
})
