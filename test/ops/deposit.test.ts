// What ops decides about deposits that were held: once, with who and why, and to the last millionth.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { bookDeposits } from '../../activities/wallet-reading/book-deposits'
import { type Judged, judgeHistory } from '../../activities/wallet-reading/judge-history'
import { systemClock } from '../../clock'
import { latestActivity } from '../../db/activity'
import { clearFailedReading, recordFailedReading } from '../../db/wallet-readings'
import { findWallet } from '../../db/wallets'
import type { HistoryRow } from '../../rail/rail'
import { requireSoundLedger } from '../referee/ledger-rules'
import { type OpsTerminal, openTerminal } from './terminal'

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
  await requireSoundLedger(terminal.db.dataSource)
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

test('one that is held is listed, shown with its wallet and credited once, also when two decide at once', async () => {
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

test('one that is kept stays in suspense, is listed no more and is in the activity list', async () => {
  const id = await aHeld(5_000_000n)

  const { out } = await terminal.ops('deposit', 'keep', '--deposit', id, '--note', 'Taken back')

  expect(out).toBe(`The deposit ${id} stays where it is.\n`)
  expect(await balance()).toBe(0n)
  expect((await terminal.json<Listed>('deposit', 'list')).data.map((deposit) => deposit.id)).not.toContain(id)
  expect(await latestActivity(terminal.db, partnerId, 1)).toMatchObject([{ action: 'deposit.keep' }])
})

test('one whose amount could not be read is credited with what ops says, and the movement never again', async () => {
  const id = await aHeld(null)
  const credit = (...more: string[]) =>
    terminal.ops('deposit', 'credit', '--deposit', id, '--note', 'Read by eye', ...more)

  const without = await credit()
  expect(without).toMatchObject({ err: expect.stringContaining('--usdc') })
  expect(await balance()).toBe(0n)
  expect((await credit('--usdc', '7.50')).out).toBe(`Credited 7.50 USDC to the live wallet of ${slug}.\n`)

  expect(await balance()).toBe(7_500_000n)
})

test('one whose amount is known takes no other', async () => {
  const id = await aHeld(5_000_000n)
  const argv = ['deposit', 'credit', '--deposit', id, '--note', 'More', '--usdc', '500.00']

  expect(await terminal.ops(...argv)).toMatchObject({ err: expect.stringContaining('leave --usdc out') })

  expect(await balance()).toBe(0n)
  expect((await terminal.json<Listed>('deposit', 'list')).data).toContainEqual(expect.objectContaining({ id }))
})

test.each(['unreadable', 'unexplained'] as const)(
  'a withdrawal that is %s is never credited, and can be kept',
  async (how) => {
    const id = await aHeldWithdrawal(how)
    const argv = ['deposit', 'credit', '--deposit', id, '--note', 'Mine']

    expect(await terminal.ops(...argv)).toMatchObject({ err: expect.stringContaining('has left the wallet') })
    expect(await terminal.ops(...argv, '--usdc', '7.50')).toMatchObject({ err: expect.stringContaining('has left') })

    expect(await balance()).toBe(0n)
    expect((await terminal.ops('deposit', 'keep', '--deposit', id, '--note', 'Known')).err).toBe('')
  },
)

/** As the reading holds them. */
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

/** In the live wallet; without an amount it could not be read. */
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
