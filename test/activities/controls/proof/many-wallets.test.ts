// A bank error for one of many wallets is reported, and does not affect the others.

import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { provePage } from '../../../../activities/controls/proof/prove-wallets'
import { runProof } from '../../../../activities/controls/proof/run'
import { listDrifts } from '../../../../db/controls/proof/drifts'
import { listUncomparedWallets } from '../../../../db/controls/proof/overdue'
import type { Db } from '../../../../db/database'
import { findWallet } from '../../../../db/wallets/wallets'
import { ListTooLong } from '../../../../rail/rail'
import { tapped } from '../../../support/db/tapped'
import { withoutTriggers } from '../../../support/db/without-triggers'
import { aConnectedPartner } from '../../../support/stages/payout'
import { limits, type ProofStage, useProofStage } from '../../../support/stages/proof'

const partners = 7
const { bank, stage, db, deps } = useProofStage()
/** Live wallets, in the order in which they are proved. */
let wallets: { readonly id: string; readonly ref: string }[]

beforeEach(async () => {
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
afterEach(() => bank.control('DELETE', '/faults'))

test('a wallet for which the bank does not answer is reported as not compared, and all others are proved', async () => {
  await fault(wallets[2]?.ref ?? '', 503)

  expect(await runProof(deps)).toMatchObject({ wallets: 2 * partners, failed: 1, drifts: 0 })

  expect(await outcomes()).toEqual(['equal', 'equal', 'no_answer', 'equal', 'equal', 'equal', 'equal'])
  expect(await listUncomparedWallets(db, 10)).toEqual([
    expect.objectContaining({ outcome: 'no_answer', comparedAt: null }),
  ])
})

test.each([503, 404])('%i responses for six wallets do not block the seventh', async (status) => {
  for (const { ref } of wallets.slice(0, 6)) await fault(ref, status)

  expect(await runProof(deps)).toMatchObject({ failed: 6 })

  expect((await outcomes()).at(-1)).toBe('equal')
})

test('the proof stops calling an unavailable bank, and reports each wallet as not compared', async () => {
  await bank.fault({ kind: 'status', status: 503, times: null, match: { method: 'GET' } })
  const asked: string[] = []

  expect(await runProof(withRail(counting(asked)))).toMatchObject({ wallets: 2 * partners, failed: partners })

  expect(asked).toEqual(['walletHistory', 'rate'])
  expect(await outcomes()).toEqual(wallets.map(() => 'no_answer'))
  expect(await listUncomparedWallets(db, 10)).toHaveLength(partners)
})

test('drifts in our own ledger are found and resolved in every wallet while the bank is unavailable', async () => {
  await bank.fault({ kind: 'status', status: 503, times: null, match: { method: 'GET' } })
  const [first, last] = [wallets[0]?.id ?? '', wallets.at(-1)?.id ?? '']
  await addToBalances([first, last], 77)

  // With two wallets per page, the proof also checks the pages after the one in which the bank failed.
  const page = await provePage(deps, { environment: 'live', after: null, limit: 2 })

  expect(page).toMatchObject({ wallets: partners, drifts: 2, fresh: 2, failed: partners, next: null })
  expect(await stage.found()).toEqual([first, last].map((id) => ['wallet_balance', id]))
  await addToBalances([first, last], -77)
  await runProof(deps)
  expect(await stage.found()).toEqual([])
})

test('a wallet whose proof throws is reported as failed, its own ledger is checked, and all others are proved', async () => {
  const [broken, last] = [wallets[2], wallets.at(-1)]
  await addToBalances([broken?.id ?? '', last?.id ?? ''], 77)
  const rail = stage.rails.provider_production
  const walletHistory: typeof rail.walletHistory = (asked) =>
    asked.walletRef === broken?.ref ? Promise.reject(new TypeError('boom')) : rail.walletHistory(asked)

  expect(await runProof(withRail({ ...rail, walletHistory }))).toMatchObject({ wallets: 2 * partners, failed: 1 })

  const found = (await stage.found()).filter(([kind]) => kind === 'wallet_balance')
  expect(found).toEqual([broken, last].map((each) => ['wallet_balance', each?.id]))
  expect((await outcomes()).map((outcome) => outcome === 'failed')).toEqual(wallets.map((each) => each === broken))
  expect(await listUncomparedWallets(db, 10)).toEqual([expect.objectContaining({ outcome: 'failed' })])
})

test('if checking the bank’s availability fails, all other wallets are still proved', async () => {
  await fault(wallets[2]?.ref ?? '', 503)
  const rail = stage.rails.provider_production
  const rate: typeof rail.rate = () => Promise.reject(new TypeError('boom'))

  expect(await runProof(withRail({ ...rail, rate }))).toMatchObject({ wallets: 2 * partners, failed: 1 })
})

test('a history that is too long to read is reported as too long, and the bank does not count as unavailable', async () => {
  const rail = stage.rails.provider_production
  const long = wallets[2]
  const walletHistory: typeof rail.walletHistory = (asked) =>
    asked.walletRef === long?.ref ? Promise.reject(new ListTooLong('wallet history')) : rail.walletHistory(asked)
  const asked: string[] = []

  expect(await runProof(withRail({ ...counting(asked), walletHistory }))).toMatchObject({ failed: 1 })
  expect(asked).not.toContain('rate')
  expect(await listUncomparedWallets(db, 10)).toEqual([expect.objectContaining({ outcome: 'too_long' })])

  stage.clock.forward(limits.comparedWithinMs + 60_000)
  await runProof(withRail({ ...rail, walletHistory }))
  const [drift] = await listDrifts(db, 'open', 5)
  expect(drift).toMatchObject({ kind: 'not_compared', found: 'too_long, last compared never' })
})

test('a wallet without a bank is also reported when its ledger has been unreadable for too long', async () => {
  await runProof(deps)
  stage.clock.forward(limits.comparedWithinMs + 60_000)
  const isSandbox = `SELECT id FROM wallets WHERE environment = 'sandbox'`
  const [sandbox]: { id: string }[] = await db.dataSource.query(`${isSandbox} ORDER BY id LIMIT 1`)

  await runProof({ ...deps, db: failingFor(sandbox?.id ?? '') })

  expect(await stage.found()).toEqual([['not_compared', sandbox?.id]])
})

test('a wallet that has not been compared for too long is reported as a drift until it is compared', async () => {
  const unanswered = wallets[2]
  await fault(unanswered?.ref ?? '', 503)
  await runProof(deps)
  expect(await stage.found()).toEqual([])

  stage.clock.forward(limits.comparedWithinMs + 60_000)
  await runProof(deps)
  expect(await stage.found()).toEqual([['not_compared', unanswered?.id]])

  await bank.control('DELETE', '/faults')
  await runProof(deps)
  expect(await stage.found()).toEqual([])
})

test('a page that exceeds its time limit ends early, and the next page continues from there', async () => {
  const slow = { ...deps, clock: { now: () => (stage.clock.forward(60_000), stage.clock.now()) } }
  const seen: string[] = []
  let after: string | null = null
  do {
    const page: { next: string | null; wallets: number } = await provePage(slow, {
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

type LiveRail = ProofStage['rails']['provider_production']

function withRail(rail: LiveRail): ProofStage['deps'] {
  return { ...deps, rails: { ...stage.rails, provider_production: rail } }
}

/** A rail that records its calls. */
function counting(asked: string[]): LiveRail {
  const rail = stage.rails.provider_production
  return {
    ...rail,
    walletHistory: (about) => (asked.push('walletHistory'), rail.walletHistory(about)),
    wallet: (about) => (asked.push('wallet'), rail.wallet(about)),
    transfersSince: (about) => (asked.push('transfersSince'), rail.transfersSince(about)),
    rate: () => (asked.push('rate'), rail.rate()),
  }
}

/** A database in which reading this wallet's ledger fails. */
function failingFor(walletId: string): Db {
  const readsBooks = /FROM wallets w JOIN ledger_accounts a/
  return tapped(db, ({ text, values }, next) =>
    readsBooks.test(text) && values.includes(walletId) ? Promise.reject(new Error('too slow')) : next(),
  )
}

function addToBalances(ids: readonly string[], microUsdc: number): Promise<void> {
  const sql = 'UPDATE wallets SET balance_micro_usdc = balance_micro_usdc + $2 WHERE id = ANY ($1)'
  return withoutTriggers(db, sql, [ids, microUsdc])
}

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
