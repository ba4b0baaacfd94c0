// Money arrives at the bank while our processes are down: it is booked once when they are back.
import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { scheduleIds } from '../../workflows/names'
import type { Json } from '../support/bank/client'
import type { World } from '../support/system/world'
import { until } from '../support/until'

/** The sum of 1.01 to 1.10 USDC. */
const tenDeposits = 10_550_000n

export function depositDuringRestart(open: () => World): void {
  let world: World
  let walletRef: string

  beforeAll(async () => {
    world = open()
    await world.bankKnowsUs()
    const [wallet] = await world.db.dataSource.query<Json[]>(
      `SELECT wallet_ref FROM wallets WHERE partner_id = $1 AND environment = 'live'`,
      [world.partner.id],
    )
    walletRef = wallet.wallet_ref
  })
  afterEach(async () => {
    await world.bank.control('DELETE', '/faults')
    await world.judge()
  })

  test('every deposit is booked once when undelivered events are sent again, each twice', async () => {
    const before = await world.balance('live')
    await world.bank.fault({ kind: 'webhook_duplicate', copies: 1, times: null })
    await killBoth()

    const ids = await deposits(10)
    await startBoth()

    expect(await booked(ids)).toEqual({ sets: 10, balance: before + tenDeposits })
  })

  test('the scheduled read of all wallets finds the deposits when their events are lost', async () => {
    const before = await world.balance('live')
    const lost = await world.bank.fault({ kind: 'webhook_lost', times: null })
    await killBoth()

    const ids = await deposits(10)
    await startBoth()
    await world.trigger(scheduleIds.walletReadings)

    expect(await booked(ids)).toEqual({ sets: 10, balance: before + tenDeposits })
    expect((await world.bank.counts(lost)).fired).toBeGreaterThanOrEqual(10)
  })

  test('every deposit is booked once when the API and the worker are killed after the first booking', async () => {
    const before = await world.balance('live')

    const ids = await deposits(10)
    await until('one deposit is booked', async () => (await countBooked(ids)) > 0)
    await killBoth()
    await startBoth()

    expect(await booked(ids)).toEqual({ sets: 10, balance: before + tenDeposits })
  })

  async function killBoth(): Promise<void> {
    await Promise.all([world.api.kill(), world.worker.kill()])
  }

  async function startBoth(): Promise<void> {
    await Promise.all([world.api.start(), world.worker.start()])
  }

  /** Makes deposits of 1.01, 1.02, 1.03 … USDC, one after the other. Returns the bank's references. */
  async function deposits(count: number): Promise<string[]> {
    const ids: string[] = []
    for (let cents = 1; cents <= count; cents++) {
      const amount = `1.${String(cents).padStart(2, '0')}`
      ids.push((await world.bank.control('POST', `/wallets/${walletRef}/deposits`, { amount })).json.id)
    }
    return ids
  }

  async function countBooked(ids: readonly string[]): Promise<number> {
    const [row] = await world.db.dataSource.query<Json[]>(
      `SELECT count(*)::int AS n FROM ledger_sets WHERE cause = 'deposit' AND bank_ref = ANY ($1)`,
      [ids],
    )
    return row.n
  }

  /** The number of ledger sets and the balance once all deposits are booked. */
  async function booked(ids: readonly string[]): Promise<{ sets: number; balance: bigint }> {
    await until('all are booked', async () => (await countBooked(ids)) >= ids.length)
    return { sets: await countBooked(ids), balance: await world.balance('live') }
  }
}
