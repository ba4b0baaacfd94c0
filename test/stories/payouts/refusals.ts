// Temporary refusals of the bank: busy, a race for the wallet, a pause. Includes a bank that replays its
// refusals under a key.
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { World } from '../../support/system/world'

const toTransfers = { method: 'POST', path: '/v0/transfers' }

export function refusedForNow(open: () => World): void {
  let world: World

  beforeAll(() => {
    world = open()
  })
  afterEach(async () => {
    await world.bank.control('DELETE', '/faults')
    await world.judge()
  })

  describe.each(['forgotten', 'replayed'] as const)('refusals under a repeated key are %s', (refusals) => {
    beforeAll(() => world.bank.restartWith(refusals))

    test('the loser of a race for the wallet is retried within the answer time, and paid once', async () => {
      await world.bank.fault({ kind: 'busy', times: 2, match: toTransfers })

      const { status, body } = await world.pay()

      expect([status, body.status]).toEqual([201, 'processing'])
      expect(await world.settled(body.id)).toMatchObject({ status: 'completed' })
      expect(await world.transfersOf(body.id)).toHaveLength(1)
    })

    test('a bank that stays busy has sent nothing: 502, and the same key pays when it is no longer busy', async () => {
      const key = `order-busy-${refusals}`
      const busy = await world.bank.fault({ kind: 'busy', times: null, match: toTransfers })

      const refused = await world.pay({}, { key })
      await world.bank.control('DELETE', `/faults/${busy}`)
      const again = await world.pay({}, { key })

      expect([refused.status, refused.body.error.code]).toEqual([502, 'payout_not_created'])
      expect(again.status).toBe(201)
      expect(await world.settled(again.body.id)).toMatchObject({ status: 'completed' })
      expect(await world.transfersOf(again.body.id)).toHaveLength(1)
    })

    test('payouts that race for one wallet after rail resume all complete, each once', async () => {
      await world.ops('rail', 'pause', '--environment', 'sandbox')
      const answers = await Promise.all(Array.from({ length: 8 }, () => world.pay({ amount_gbp: '10.00' })))
      await world.bank.fault({ kind: 'busy', racing: 'only', times: 20, match: toTransfers })

      await world.ops('rail', 'resume', '--environment', 'sandbox')

      const rows = await world.allSettled(answers)
      expect(rows.map(({ status }) => status)).toEqual(rows.map(() => 'completed'))
      for (const { id } of rows) expect(await world.transfersOf(id)).toHaveLength(1)
    })
  })
}
