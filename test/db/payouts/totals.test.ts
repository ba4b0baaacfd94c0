// The payout totals per month and per recipient equal a recount of the payouts, after any events in any order.
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import { findTotalsDrifts } from '../../../db/controls/proof/totals'
import { newId } from '../../../db/id'
import { loadUsageHistory, type MonthUsage } from '../../../db/invoices/usage'
import { claimPayout, findClaim } from '../../../db/payouts/claims'
import { fingerprintOf } from '../../../db/payouts/fingerprint'
import { listRecipients, type RecipientRow } from '../../../db/payouts/recipients/list'
import { wipeRecipient } from '../../../db/payouts/recipients/sealed'
import { keepPayout, lockStep, markAnswered, movePayout, releaseRow } from '../../../db/payouts/steps'
import type { WalletRow } from '../../../db/wallets/wallets'

import { type Month, nextMonth, startOf } from '../../../domain/month'
import { quoteFor } from '../../../domain/payouts/quote'
import { testKeyring } from '../../support/api/client'
import { aWallet } from '../../support/db/a-partner'
import { useDatabase } from '../../support/db/database'
import { withoutTriggers } from '../../support/db/without-triggers'
import { standardPrices } from '../../support/prices'
import { claimOf } from '../../support/stages/payout'

const db = useDatabase(8)

const day = 86_400_000
const now = new Date('2026-11-16T12:00:00Z')
const months = Array.from({ length: 16 }, (_, n) => n).reduce<Month[]>(
  (made, n) => (n === 0 ? ['2025-09'] : [...made, nextMonth(made.at(-1) ?? '2025-09')]),
  [],
)

/** One event of a payout. A step that the payout's row does not allow changes nothing. */
const anyStep = fc.constantFrom('answer', 'accept', 'refuse', 'complete', 'fail', 'return', 'release', 'claim', 'erase')
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never
const aLife = fc.record({
  account: fc.constantFrom('11111111', '22222222', '33333333'),
  amountPence: fc.bigInt({ min: 100n, max: 2_000_000n }),
  // Includes times around the 12-month cutoff and at the end of a month in summer time.
  createdAt: fc.oneof(
    fc.integer({ min: 1, max: 420 * 24 }).map((hours) => new Date(now.getTime() - hours * 3_600_000)),
    fc.integer({ min: -20, max: 20 }).map((days) => new Date(now.getTime() - (365 + days) * day)),
    fc
      .constantFrom('2025-11-16T11:59:59.999Z', '2025-11-16T12:00:00Z', '2026-03-31T22:59:59Z', '2026-03-31T23:00:00Z')
      .map((iso) => new Date(iso)),
  ),
  daysBetween: fc.integer({ min: 0, max: 40 }),
  steps: fc.oneof(
    fc.constantFrom<Step[]>(['accept'], ['accept', 'complete'], ['accept', 'complete', 'return'], ['answer']),
    fc.array(anyStep, { maxLength: 7 }),
  ),
})
type Life = typeof aLife extends fc.Arbitrary<infer T> ? T : never

test('totals, usage and recipients match a recount after any concurrent payout events', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(aLife, { minLength: 1, maxLength: 12 }), async (lives) => {
      const wallet = await aWallet(db)

      await Promise.all(lives.map((life) => live(wallet, life)))

      const kept = await readTotals(wallet)
      await db.sql`SELECT rebuild_payout_totals(${wallet.partnerId})`
      expect(kept).toEqual(await readTotals(wallet))
      expect(await loadUsageHistory(db, scopeOf(wallet), months)).toEqual(await recountUsage(wallet))
      for (const at of [now, new Date('2026-11-16T11:30:00Z'), new Date('2026-06-01T00:00:00Z')]) {
        expect(await allPages(wallet, at)).toEqual(await recountRecipients(wallet, at))
      }
    }),
    { numRuns: 40 },
  )
}, 120_000)

test('many payouts to one account, created and completed concurrently, neither deadlock nor lose a count', async () => {
  const wallet = await aWallet(db)
  const lives = Array.from(
    { length: 40 },
    (_, n): Life => ({
      account: '11111111',
      amountPence: 1_000n,
      createdAt: new Date('2026-10-31T23:30:00Z'),
      daysBetween: 1,
      steps: n % 4 === 0 ? ['accept', 'complete', 'return'] : ['answer', 'accept', 'complete'],
    }),
  )

  await Promise.all(lives.map((life) => live(wallet, life)))

  const [october, november] = await loadUsageHistory(db, scopeOf(wallet), ['2026-10', '2026-11'])
  expect(october).toMatchObject({ count: 40, completed: 0, paidPence: 0n })
  expect(november).toMatchObject({ count: 0, completed: 30, paidPence: 30_000n })
  expect(await listRecipients(db, scopeOf(wallet), { take: 9, startingAfter: null }, now)).toMatchObject([
    { payouts: 30, paidPence: 30_000n },
  ])
})

test.each([
  ['a month’s count', `UPDATE payout_months SET created = created + 1`],
  ['a month’s amount', `UPDATE payout_months SET paid_pence = paid_pence - 1`],
  ['a recipient’s month', `DELETE FROM recipient_months`],
  ['a recipient’s last payment', `UPDATE recipient_totals SET last_paid_at = last_paid_at + interval '1 day'`],
  ['a payout', `UPDATE payouts SET fee_pence = fee_pence + 1`],
])('%s that was changed without our triggers is a drift until the totals are rebuilt', async (_what, change) => {
  const wallet = await aWallet(db)
  const life = { account: '11111111', amountPence: 1_000n, createdAt: now, daysBetween: 0 } as const
  await live(wallet, { ...life, steps: ['accept', 'complete'] })
  expect(await totalsDrifts(wallet.id, now)).toEqual([])

  await withoutTriggers(db, `${change} WHERE partner_id = $1`, [wallet.partnerId])

  const drift = { kind: 'payout_totals', walletId: wallet.id, subject: `${wallet.id} 2026-11` }
  expect(await totalsDrifts(wallet.id, now)).toMatchObject([drift])
  await db.sql`SELECT rebuild_payout_totals(${wallet.partnerId})`
  expect(await totalsDrifts(wallet.id, now)).toEqual([])
})

test('a drift in an older month is found when that month’s turn comes, and then checked every time while it is open', async () => {
  const wallet = await aWallet(db)
  for (const createdAt of [new Date('2026-08-10T12:00:00Z'), now]) {
    await live(wallet, { account: '11111111', amountPence: 1_000n, createdAt, daysBetween: 0, steps: ['accept'] })
  }
  await withoutTriggers(db, `DELETE FROM payout_months WHERE partner_id = $1 AND month = '2026-08-01'`, [
    wallet.partnerId,
  ])

  const turns = [0, 1, 2, 3].map((n) => new Date(now.getTime() + n * 15 * 60_000))
  const found = []
  for (const turn of turns) found.push(...(await totalsDrifts(wallet.id, turn)))

  const subject = `${wallet.id} 2026-08`
  expect(found).toMatchObject([{ subject, expected: expect.stringContaining('1 created') }])
  await db.dataSource.query(
    `INSERT INTO drifts (id, kind, wallet_id, subject, expected, found, first_seen_at, last_seen_at)
      VALUES ($1, 'payout_totals', $2, $3, '', '', now(), now())`,
    [randomUUID(), wallet.id, subject],
  )
  for (const turn of turns) expect(await totalsDrifts(wallet.id, turn)).toMatchObject([{ subject }])
})

test('every month is recounted when the whole wallet is verified', async () => {
  const wallet = await aWallet(db)
  for (const createdAt of [new Date('2026-08-10T12:00:00Z'), new Date('2026-09-10T12:00:00Z'), now]) {
    await live(wallet, { account: '11111111', amountPence: 1_000n, createdAt, daysBetween: 0, steps: ['accept'] })
  }
  await withoutTriggers(db, 'UPDATE payout_months SET created = created + 1 WHERE partner_id = $1', [wallet.partnerId])

  const found = await totalsDrifts(wallet.id, now, null)

  const months = ['2026-08', '2026-09', '2026-11']
  expect(found.map(({ subject }) => subject)).toEqual(months.map((month) => `${wallet.id} ${month}`))
})

test.each([
  { payouts: 5_000, turns: 10, recounts: 10 },
  { payouts: 50_000, turns: 10, recounts: 1 },
  { payouts: 50_000_000, turns: 96, recounts: 1 },
])('a wallet with $payouts payouts is recounted $recounts times in $turns turns', async ({ payouts, ...expected }) => {
  const wallet = await aWallet(db)
  await live(wallet, { account: '11111111', amountPence: 1_000n, createdAt: now, daysBetween: 0, steps: ['accept'] })
  await withoutTriggers(db, 'UPDATE payout_months SET created = $2 WHERE partner_id = $1', [wallet.partnerId, payouts])

  // The wrong count is found whenever the month is recounted.
  const found = []
  for (let n = 0; n < expected.turns; n++) {
    found.push(...(await totalsDrifts(wallet.id, new Date(now.getTime() + n * quarterMs))))
  }

  expect(found).toHaveLength(expected.recounts)
})

const quarterMs = 15 * 60_000

/** By default, the previous proof was one turn earlier. */
function totalsDrifts(walletId: string, at: Date, since: Date | null = new Date(at.getTime() - quarterMs)) {
  return db.transaction((tx) => findTotalsDrifts(tx, { walletId, since, at }))
}

async function live(wallet: WalletRow, { account, amountPence, createdAt, daysBetween, steps }: Life): Promise<void> {
  const idempotencyKey = `order-${randomUUID()}`
  let [payout, at] = [await claim(wallet, { idempotencyKey, account, amountPence, at: createdAt }), createdAt]
  for (const step of steps) {
    at = new Date(Math.min(at.getTime() + daysBetween * day, new Date('2026-12-20T00:00:00Z').getTime()))
    if (step === 'claim') {
      payout = await claim(wallet, { idempotencyKey, account, amountPence: amountPence - 1n, at }).catch(() => payout)
    } else await take(payout, step, at)
  }
}

type Claimed = { readonly payoutId: string; readonly attempt: number }

async function claim(
  wallet: WalletRow,
  {
    idempotencyKey,
    account,
    amountPence,
    at,
  }: { idempotencyKey: string; account: string; amountPence: bigint; at: Date },
): Promise<Claimed> {
  const { partnerId, environment } = wallet
  const taken = await findClaim(db, { partnerId, environment, idempotencyKey })
  const quote = quoteFor({
    amountPence: amountPence < 100n ? 100n : amountPence,
    prices: standardPrices,
    gbpPerUsdNano: 790_000_000n,
  })
  const claimed = await claimPayout(db, {
    ...claimOf(wallet, { idempotencyKey, quote, accountNumber: account, at }),
    payoutId: taken?.id ?? newId(at),
    fingerprint: fingerprintOf(testKeyring, { amount: String(amountPence) }),
    recipientName: `Ada ${amountPence}`,
  })
  if (claimed === null || typeof claimed === 'string') throw new Error('the key is taken')
  return { payoutId: claimed.id, attempt: claimed.attempt }
}

/** Applies a step as the activities do: with a row lock where they use one, and only if the status allows it. */
async function take({ payoutId, attempt }: Claimed, step: Step, at: Date) {
  const kept = { payoutId, attempt, failureReason: null, transferRef: null, transferState: null, at } as const
  if (step === 'answer') await markAnswered(db, { payoutId, attempt, at })
  if (step === 'accept') {
    const sent = { transferRef: payoutId, transferState: 'in_review', event: 'processing', afterwards: 'open' } as const
    await keepPayout(db, { ...kept, ...sent, verdict: 'accepted', status: 'processing' })
  }
  if (step === 'refuse') {
    const refused = { failureReason: 'x: y', event: 'failed', afterwards: 'closed' } as const
    await keepPayout(db, { ...kept, ...refused, verdict: 'accepted', status: 'failed' })
  }
  await db.transaction(async (tx) => {
    const row = await lockStep(tx, payoutId)
    const move = { payoutId, failureReason: null, transferState: step, event: step, detail: null, at } as const
    const isSeen = row.verdict !== null && row.releasedAt === null
    if (step === 'complete' && isSeen && row.status === 'processing') {
      await movePayout(tx, { ...move, status: 'completed', afterwards: 'closed' })
    }
    if (step === 'fail' && isSeen && row.status === 'processing') {
      await movePayout(tx, { ...move, status: 'failed', failureReason: 'x: y', afterwards: 'open' })
    }
    if (step === 'return' && isSeen && row.status === 'completed') {
      await movePayout(tx, { ...move, status: 'returned', failureReason: 'x: y', afterwards: 'open' })
    }
    if (step === 'release' && row.verdict === null && row.answeredAt === null && row.releasedAt === null) {
      await releaseRow(tx, { payoutId, verdict: 'payout_not_created', details: null, at })
    }
    if (step === 'erase' && row.closedAt !== null) await wipeRecipient(tx, payoutId)
  })
}

const scopeOf = ({ partnerId, environment }: WalletRow) => ({ partnerId, environment })

async function allPages(wallet: WalletRow, at: Date): Promise<RecipientRow[]> {
  const rows: RecipientRow[] = []
  for (;;) {
    const startingAfter = rows.at(-1)?.payoutId ?? null
    const page = await listRecipients(db, scopeOf(wallet), { take: 2, startingAfter }, at)
    rows.push(...page)
    if (page.length < 2) return rows
  }
}

async function readTotals({ partnerId }: WalletRow): Promise<unknown> {
  const tables = [
    ['payout_months', 'WHERE (created, completed, paid_pence, fees_pence) <> (0, 0, 0, 0) AND'],
    ['recipient_months', 'WHERE'],
    ['recipient_totals', 'WHERE'],
  ]
  const read = async ([table, where]: readonly string[]) =>
    rowsOf(`SELECT t.* FROM ${table} t ${where} t.partner_id = $1 ORDER BY 1, 2, 3, 4`, [partnerId])
  return Promise.all(tables.map(read))
}

const isVisible = 'released_at IS NULL AND (verdict_at IS NOT NULL OR answered_at IS NOT NULL)'

/** Counts the payouts directly, without the functions that maintain the totals. */
async function recountUsage({ partnerId }: WalletRow): Promise<MonthUsage[]> {
  const text = `SELECT wanted.month, created.count, completed.*
    FROM unnest($2::text[], $3::timestamptz[], $4::timestamptz[]) WITH ORDINALITY AS wanted (month, starts, ends, place)
    CROSS JOIN LATERAL (SELECT count(*)::integer AS count FROM payouts
      WHERE partner_id = $1 AND ${isVisible} AND created_at >= wanted.starts AND created_at < wanted.ends) created
    CROSS JOIN LATERAL (SELECT count(*)::integer AS completed, coalesce(sum(amount_pence), 0)::bigint AS "paidPence",
        coalesce(sum(fee_pence), 0)::bigint AS "feesPence" FROM payouts
      WHERE partner_id = $1 AND ${isVisible} AND status = 'completed' AND completed_at >= wanted.starts
        AND completed_at < wanted.ends) completed
    ORDER BY wanted.place`
  const ends = months.map((month) => startOf(nextMonth(month)))
  return rowsOf<MonthUsage>(text, [partnerId, months, months.map(startOf), ends])
}

/** Lists recipients from the payouts alone, without the stored totals. */
async function recountRecipients({ partnerId, environment }: WalletRow, at: Date): Promise<RecipientRow[]> {
  const counts = `partner_id = $1 AND environment = $2 AND ${isVisible} AND status NOT IN ('failed', 'cancelled')
    AND created_at >= $3::timestamptz - interval '12 months' AND account_hash IS NOT NULL`
  const text = `WITH recipients AS (
      SELECT account_hash, account_last4, count(*) FILTER (WHERE status = 'completed') AS payouts,
        coalesce(sum(amount_pence) FILTER (WHERE status = 'completed'), 0) AS paid_pence,
        coalesce(max(completed_at) FILTER (WHERE status = 'completed'), max(created_at)) AS last_paid_at
      FROM payouts WHERE ${counts} GROUP BY account_hash, account_last4
    )
    SELECT latest.id AS "payoutId", latest.recipient_name AS name, r.account_last4 AS "accountLast4",
      r.payouts::integer AS payouts, r.paid_pence::bigint AS "paidPence", r.last_paid_at AS "lastPaidAt"
    FROM recipients r, LATERAL (SELECT id, recipient_name FROM payouts WHERE ${counts} AND account_hash = r.account_hash
      ORDER BY created_at DESC, id DESC LIMIT 1) AS latest
    ORDER BY r.last_paid_at DESC, r.account_hash DESC`
  return rowsOf<RecipientRow>(text, [partnerId, environment, at])
}

async function rowsOf<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
  return (await db.send({ name: '', text, values })).rows
}
