// Temporary refusals: the bank is busy, or a payout loses a race for the wallet. Covers a bank that forgets its
// refusals for an idempotency key and a bank that replays them.
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { sent, type World } from '../../support/system/world'

const toTransfers = { method: 'POST', path: '/v0/transfers' }

export function temporaryRefusals(open: () => World): void {
  let world: World

  beforeAll(() => {
    world = open()
  })
  afterEach(async () => {
    await world.bank.control('DELETE', '/faults')
    await world.judge()
  })

  describe.each(['forgotten', 'replayed'] as const)(
    'when the bank’s refusals for an idempotency key are %s',
    (refusals) => {
      beforeAll(() => world.bank.restartWith(refusals))

      test('a payout that loses a race for the wallet is retried before the API responds, and paid once', async () => {
        await world.bank.fault({ kind: 'busy', times: 2, match: toTransfers })

        const { status, body } = await world.pay()

        expect([status, body.status]).toEqual([201, sent])
        expect(await world.settled(body.id)).toMatchObject({ status: 'completed' })
        expect(await world.transfersOf(body.id)).toHaveLength(1)
      })

      test('while the bank stays busy, a payout gets 502, and the same key pays after the bank is no longer busy', async () => {
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

      test('payouts that race for one wallet after `rail resume` all complete, and none is paid twice', async () => {
        await world.ops('rail', 'pause', '--environment', 'sandbox')
        const answers = await Promise.all(Array.from({ length: 8 }, () => world.pay({ amount_gbp: '10.00' })))
        await world.bank.fault({ kind: 'busy', racing: 'only', times: 20, match: toTransfers })

        await world.ops('rail', 'resume', '--environment', 'sandbox')

        const rows = await world.allSettled(answers)
        expect(rows.map(({ status }) => status)).toEqual(rows.map(() => 'completed'))
        for (const { id } of rows) expect(await world.transfersOf(id)).toHaveLength(1)
      })
    },
  )
}
