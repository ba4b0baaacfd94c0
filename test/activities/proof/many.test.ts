// Many wallets: whatever becomes of one of them at the bank hides none of the others, and is told.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { proveWallets } from '../../../activities/proof/prove-wallets'
import { runProof } from '../../../activities/proof/run'
import { listNotCompared } from '../../../db/proof-overdue'
import { findWallet } from '../../../db/wallets'
import { openTestBank, still, type TestBank } from '../../sandbox-bank/bank-client'
import { aConnectedPartner } from '../payout/a-stage'
import { aProofStage, type ProofStage, patience } from './a-proof-stage'

const partners = 7
let bank: TestBank
let stage: ProofStage
let db: ProofStage['db']
let deps: ProofStage['deps']
/** Live ones, in the order in which they are proved. */
let wallets: { readonly id: string; readonly ref: string }[]

beforeAll(async () => {
  bank = await openTestBank({ delaysMs: still, fsync: 'off', controlPort: 0 })
})
afterAll(() => bank.close())
beforeEach(async () => {
  stage = await aProofStage(bank)
  ;({ db, deps } = stage)
  wallets = [{ id: stage.wallet.id, ref: stage.wallet.wallet }]
  while (wallets.length < partners) {
    const live = await findWallet(db, (await aConnectedPartner(db, bank)).id, 'live')
    wallets.push({ id: live?.id ?? '', ref: live?.walletRef ?? '' })
  }
  await db.dataSource.query(
    `UPDATE wallets SET rail = 'simulated', customer_ref = NULL, wallet_ref = NULL WHERE environment = 'sandbox'`,
  )
  wallets.sort((one, other) => (one.id < other.id ? -1 : 1))
})
afterEach(async () => {
  await bank.control('DELETE', '/faults')
  await stage.close()
})

test('one wallet about which the bank has no answer is told as not compared, and all others are proved', async () => {
  await fault(wallets[2]?.ref ?? '', 503)

  expect(await runProof(deps)).toMatchObject({ wallets: 2 * partners, failed: 1, drifts: 0 })

  expect(await outcomes()).toEqual(['equal', 'equal', 'no_answer', 'equal', 'equal', 'equal', 'equal'])
  expect(await listNotCompared(db, 10)).toEqual([expect.objectContaining({ outcome: 'no_answer', comparedAt: null })])
})

test.each([503, 404])('six wallets that the bank answers with %i hide not the seventh', async (status) => {
  for (const { ref } of wallets.slice(0, 6)) await fault(ref, status)

  expect(await runProof(deps)).toMatchObject({ failed: 6 })

  expect((await outcomes()).at(-1)).toBe('equal')
})

test('a bank that is away is not asked about every wallet, and each of them is told as not compared', async () => {
  await bank.fault({ kind: 'status', status: 503, times: null, match: { method: 'GET' } })

  expect(await runProof(deps)).toMatchObject({ wallets: 2 * partners, failed: partners })

  expect(await outcomes()).toEqual(wallets.map(() => 'no_answer'))
  expect(await listNotCompared(db, 10)).toHaveLength(partners)
})

test('a wallet that could not be compared for too long is a drift of its own, until it is compared', async () => {
  const silent = wallets[2]
  await fault(silent?.ref ?? '', 503)
  await runProof(deps)
  expect(await stage.found()).toEqual([])

  stage.clock.forward(patience.comparedWithinMs + 60_000)
  await runProof(deps)
  expect(await stage.found()).toEqual([['not_compared', silent?.id]])

  await bank.control('DELETE', '/faults')
  await runProof(deps)
  expect(await stage.found()).toEqual([])
})

test('a page that takes too long ends where it is, and the next one goes on from there', async () => {
  const slow = { ...deps, clock: { now: () => (stage.clock.forward(60_000), stage.clock.now()) } }
  const seen: string[] = []
  let after: string | null = null
  do {
    const page: { next: string | null; wallets: number } = await proveWallets(slow, {
      environment: 'live',
      after,
      limit: 50,
    })
    expect(page.wallets).toBeLessThan(partners)
    after = page.next
    seen.push(String(after))
  } while (after !== null)

  expect(seen.length).toBeGreaterThan(1)
  expect(await outcomes()).toEqual(wallets.map(() => 'equal'))
})

function fault(walletRef: string, status: number): Promise<unknown> {
  return bank.fault({
    kind: 'status',
    status,
    times: null,
    match: { method: 'GET', path: `/v0/wallets/${walletRef}/history` },
  })
}

async function outcomes(): Promise<string[]> {
  const rows: { outcome: string }[] = await db.dataSource.query(
    `SELECT outcome FROM proofs JOIN wallets w ON w.id = wallet_id WHERE w.environment = 'live' ORDER BY w.id`,
  )
  return rows.map(({ outcome }) => outcome)
}
