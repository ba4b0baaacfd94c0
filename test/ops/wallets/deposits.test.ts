// An operator decides on each held deposit once. The decision records the operator, the note and all six
// decimals of the amount.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type Judged, judgeHistory } from '../../../activities/wallets/readings/judge-history'
import { latestActivity } from '../../../db/controls/activity'
import { bookDeposits } from '../../../db/wallets/book-deposits'
import { clearFailedReading, recordFailedReading } from '../../../db/wallets/readings'
import { findWallet } from '../../../db/wallets/wallets'
import type { HistoryRow } from '../../../rail/rail'
import { systemClock } from '../../../runtime/clock'
import { requireValidLedger } from '../../referee/ledger-rules'
import { type OpsTerminal, openTerminal, type Ran, runWith } from '../../support/terminal'

interface Listed {
  readonly data: readonly { readonly id: string; readonly usdc: string | null; readonly partner: string }[]
}

let terminal: OpsTerminal
let slug = ''
let partnerId = ''
let partners = 0

beforeAll(async () => {
  terminal = await openTerminal()
})
afterAll(async () => {
  await requireValidLedger(terminal.db.dataSource)
  await terminal.close()
})
beforeEach(async () => {
  partners += 1
  slug = `deposit-${partners}`
  const argv = ['partner', 'create', '--name', 'Acme Ltd', '--slug', slug, '--email', 'ada@acme.test']
  partnerId = (await terminal.json<{ id: string }>(...argv)).id
})

test('a wallet whose history could not be read is listed with the reason', async () => {
  const walletId = (await findWallet(terminal.db, partnerId, 'live'))?.id ?? ''
  await recordFailedReading(terminal.db, { walletId, reason: 'too_long', at: new Date('2026-11-15T12:00:00Z') })

  const { out } = await terminal.ops('deposit', 'list')
  const { not_read } = await terminal.json<{ not_read: unknown[] }>('deposit', 'list')

  expect(out).toMatch(new RegExp(`Not read:[^]*${slug} +live +too_long +2026-11-15T12:00:00.000Z`))
  expect(not_read).toMatchObject([{ partner: slug, environment: 'live', reason: 'too_long', failures: 1 }])
  await clearFailedReading(terminal.db, walletId)
})

test('a held deposit is listed, shown with its wallet and credited once, even by two concurrent decisions', async () => {
  const id = await aHeld(12_345_678n)
  const shown = await terminal.json<{ data: { held_usdc: string; held: number }[] }>(
    'wallet',
    'show',
    '--partner',
    slug,
  )
  expect(shown.data).toMatchObject([
    { held_usdc: '0.00', held: 0 },
    { held_usdc: '12.345678', held: 1, usdc: '0.00' },
  ])

  const decide = () => terminal.ops('deposit', 'credit', '--deposit', id, '--note', 'It is theirs', '--json')
  const both = await Promise.all([decide(), decide()])
  const again = await terminal.ops('deposit', 'keep', '--deposit', id, '--note', 'Or not')

  expect(both.filter(({ code }) => code === 0)).toHaveLength(1)
  expect(again).toMatchObject({ err: `No deposit ${id} is held.\n` })
  expect(await balance()).toBe(12_345_678n)
  const [entry] = await latestActivity(terminal.db, partnerId, 1)
  const who = expect.stringMatching(/^ops:\S+$/)
  expect(entry).toMatchObject({ action: 'deposit.credit', detail: '12.345678 USDC', madeBy: who, environment: 'live' })
  expect(await decisions(id)).toMatchObject({ outcome: 'credited', note: 'It is theirs', resolved_by: who })
})

test('a kept deposit remains in suspense, leaves the list, and appears in the activity list', async () => {
  const id = await aHeld(5_000_000n)

  const { out } = await terminal.ops('deposit', 'keep', '--deposit', id, '--note', 'Taken back')

  expect(out).toBe(`The deposit ${id} stays in suspense.\n`)
  expect(await balance()).toBe(0n)
  expect((await terminal.json<Listed>('deposit', 'list')).data.map((deposit) => deposit.id)).not.toContain(id)
  expect(await latestActivity(terminal.db, partnerId, 1)).toMatchObject([{ action: 'deposit.keep' }])
})

test("a deposit with an unreadable amount is credited once, with the operator's amount", async () => {
  const id = await aHeld(null)
  const credit = (...more: string[]) =>
    terminal.ops('deposit', 'credit', '--deposit', id, '--note', 'Read by eye', ...more)

  const without = await credit()
  expect(without).toMatchObject({ err: expect.stringContaining('--usdc') })
  expect(await balance()).toBe(0n)
  expect((await credit('--usdc', '7.50')).out).toBe(`Credited 7.50 USDC to the live wallet of ${slug}.\n`)

  expect(await balance()).toBe(7_500_000n)
})

test('a deposit with a known amount cannot be credited with another amount', async () => {
  const id = await aHeld(5_000_000n)
  const argv = ['deposit', 'credit', '--deposit', id, '--note', 'More', '--usdc', '500.00']

  expect(await terminal.ops(...argv)).toMatchObject({ err: expect.stringContaining('omit --usdc') })

  expect(await balance()).toBe(0n)
  expect((await terminal.json<Listed>('deposit', 'list')).data).toContainEqual(expect.objectContaining({ id }))
})

test.each(['unreadable', 'unexplained'] as const)(
  'a withdrawal that is %s is never credited, and can be kept',
  async (how) => {
    const id = await aHeldWithdrawal(how)
    const argv = ['deposit', 'credit', '--deposit', id, '--note', 'Mine']

    expect(await terminal.ops(...argv)).toMatchObject({ err: expect.stringContaining('It is a withdrawal') })
    expect(await terminal.ops(...argv, '--usdc', '7.50')).toMatchObject({
      err: expect.stringContaining('It is a withdrawal'),
    })

    expect(await balance()).toBe(0n)
    expect((await terminal.ops('deposit', 'keep', '--deposit', id, '--note', 'Known')).err).toBe('')
  },
)

describe('a live credit above the limit', () => {
  test('waits for a second operator, and the activity list names both', async () => {
    const id = await aHeld(null)

    const requested = await as('ada', 'credit', id, '--usdc', '1000.01')
    const again = await as('ada', 'credit', id, '--usdc', '1000.01')
    const listed = (await terminal.json<Listed>('deposit', 'list')).data.find((each) => each.id === id)
    const before = await balance()
    const confirmed = await as('grace', 'confirm', id, '--usdc', '1000.01')

    expect([requested.code, again.out]).toEqual([0, requested.out])
    expect(requested.out).toContain(`are waiting for a second operator until`)
    expect(requested.out).toContain(`deposit confirm --deposit ${id} --usdc 1000.01`)
    expect(listed).toMatchObject({ requested_usdc: '1000.01', requested_by: 'ops:ada', usdc: null })
    expect([before, confirmed.out]).toEqual([0n, `Credited 1000.01 USDC to the live wallet of ${slug}.\n`])
    expect(await balance()).toBe(1_000_010_000n)
    const entries = await latestActivity(terminal.db, partnerId, 2)
    expect(entries.map(({ action, madeBy, detail, changes }) => [action, madeBy, detail, changes])).toEqual([
      ['deposit.credit', 'ops:grace', '1000.01 USDC, requested by ops:ada', 'something'],
      ['deposit.credit_request', 'ops:ada', '1000.01 USDC', 'something'],
    ])
    const login = expect.stringMatching(/^\S+@\S+ by database role \S+$/)
    expect(await decisions(id)).toMatchObject({ requested_as: login, resolved_as: login, resolved_by: 'ops:grace' })
  })

  test('cannot be confirmed by the operator who requested it, with another amount, or twice', async () => {
    const id = await aHeld(1_500_500_001n)
    await as('ada', 'credit', id)

    const refusals = [
      await as('ada', 'confirm', id, '--usdc', '1500.500001'),
      await as('Ada', 'confirm', id, '--usdc', '1500.500001'),
      await as('grace', 'confirm', id, '--usdc', '1500.50'),
      await as('grace', 'credit', id),
    ]
    const balanceBefore = await balance()
    const both = await Promise.all(['grace', 'alan'].map((who) => as(who, 'confirm', id, '--usdc', '1500.500001')))

    expect(refusals.map(({ code, err }) => [code, err])).toEqual([
      [2, expect.stringContaining('another operator has to confirm it')],
      [2, expect.stringContaining('another operator has to confirm it')],
      [2, expect.stringContaining('differs from the requested one: 1500.500001 USDC by ops:ada')],
      [2, expect.stringContaining('A credit is already waiting for a second operator')],
    ])
    expect(balanceBefore).toBe(0n)
    expect(new Set(both.map(({ code }) => code))).toEqual(new Set([0, 2]))
    expect(await balance()).toBe(1_500_500_001n)
  })

  test('can be withdrawn or expire, and can then be requested again', async () => {
    const [id, at] = [await aHeld(null), systemClock.now().getTime()]
    await as('ada', 'credit', id, '--usdc', '5000.00')

    const withdrawn = await as('grace', 'withdraw', id)
    const nothing = await as('grace', 'confirm', id, '--usdc', '5000.00')
    await as('ada', 'credit', id, '--usdc', '6000.00')
    const eightDaysAgo = new Date(at - 8 * 86_400_000)
    await terminal.db.dataSource.query('UPDATE held_deposits SET requested_at = $2 WHERE id = $1', [id, eightDaysAgo])
    const expired = await as('grace', 'confirm', id, '--usdc', '6000.00')
    const afresh = await as('grace', 'credit', id, '--usdc', '7000.00')

    expect([withdrawn.code, nothing.code, expired.code, afresh.code]).toEqual([0, 2, 2, 0])
    expect(expired.err).toContain(`No credit of ${id} is waiting for a second operator`)
    expect((await as('ada', 'confirm', id, '--usdc', '7000.00')).code).toBe(0)
    expect(await balance()).toBe(7_000_000_000n)
    const actions = (await latestActivity(terminal.db, partnerId, 5)).map(({ action, madeBy }) => [action, madeBy])
    expect(actions).toContainEqual(['deposit.credit_withdraw', 'ops:grace'])
  })

  test('needs a second operator, but a credit up to the configured limit does not', async () => {
    const atLimit = await as('ada', 'credit', await aHeld(1_000_000_000n))
    const other = await aHeld(1_000_000n)
    const withZero = await runWith({ ...terminal.env, OPS_USER: 'ada', DEPOSIT_CONFIRM_ABOVE_USDC: '0' }, [
      'deposit',
      'credit',
      '--deposit',
      other,
      '--note',
      'Compared',
    ])

    expect(atLimit.out).toContain('Credited 1000.00 USDC')
    expect(withZero.out).toContain('are waiting for a second operator')
    expect(await balance()).toBe(1_000_000_000n)
  })
})

function as(user: string, verb: string, id: string, ...more: string[]): Promise<Ran> {
  const noted = verb === 'withdraw' ? [] : ['--note', 'Compared']
  return runWith({ ...terminal.env, OPS_USER: user }, ['deposit', verb, '--deposit', id, ...noted, ...more])
}

/** Creates a held withdrawal as the scheduled read does. */
async function aHeldWithdrawal(how: 'unreadable' | 'unexplained'): Promise<string> {
  const [id, at] = [randomUUID(), systemClock.now()]
  const row: HistoryRow =
    how === 'unreadable'
      ? { id, kind: 'unreadable', field: 'amount', looksLike: 'withdrawal', at }
      : { id, kind: 'withdrawal', amountMicroUsdc: 7_500_000n, transferRef: null, at }
  const rail = { payoutOf: () => Promise.reject(new Error('there is no transfer to ask about')) }
  const wallet = { id: 'any', rail: 'provider_production' } as const
  return hold(await judgeHistory({ db: terminal.db, rail }, wallet, [row]), at)
}

/** A held deposit in the live wallet. A null amount makes it unreadable. */
async function aHeld(amountMicroUsdc: bigint | null): Promise<string> {
  const [id, at] = [randomUUID(), systemClock.now()]
  const judged: Judged =
    amountMicroUsdc === null
      ? {
          verdict: 'held',
          why: 'unreadable_amount',
          row: { id, kind: 'unreadable', field: 'amount', looksLike: 'deposit', at },
        }
      : {
          verdict: 'held',
          why: 'unknown_transfer',
          row: { id, kind: 'deposit', amountMicroUsdc, transferRef: 'tr_1', at },
        }
  return hold([judged], at)
}

async function hold(judged: readonly Judged[], at: Date): Promise<string> {
  const wallet = await findWallet(terminal.db, partnerId, 'live')
  if (wallet === null) throw new Error('a partner must have a wallet')
  await terminal.db.transaction((tx) => bookDeposits(tx, { wallet, judged, createdBy: 'bank', action: null, at }))
  const { data } = await terminal.json<Listed>('deposit', 'list')
  return data.find(({ partner }) => partner === slug)?.id ?? ''
}

async function balance(): Promise<bigint> {
  return (await findWallet(terminal.db, partnerId, 'live'))?.balanceMicroUsdc ?? -1n
}

async function decisions(id: string): Promise<unknown> {
  const [row] = await terminal.db.dataSource.query('SELECT * FROM held_deposits WHERE id = $1', [id])
  return row
}
