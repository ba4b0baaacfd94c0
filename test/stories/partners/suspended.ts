// A partner is suspended while its payouts run. They finish, no new payout starts, and everything can still
// be read.
import { beforeAll, expect, test } from '@jest/globals'
import { environments } from '../../../domain/environment'
import type { World } from '../../support/system/world'

export function suspendedPartner(open: () => World): void {
  let world: World

  beforeAll(() => {
    world = open()
  })

  test.each(environments)(
    'in %s, running payouts finish, new payouts get 403 and replays 200, until the partner is active again',
    async (environment) => {
      // During the suspension, one payout is delivered, one bounces, and one that was delivered before is returned.
      const arrived = await world.pay({}, { environment, key: 'order-arrived' })
      await world.settled(arrived.body.id)
      const before = await world.balance(environment)
      await world.bank.fault({ kind: 'stuck', state: 'pending', times: 2 })
      const running = await world.pay({}, { environment, key: 'order-running' })
      const bouncing = await world.pay({}, { environment, key: 'order-bouncing' })
      expect([running, bouncing].map(({ status, body }) => [status, body.status])).toEqual([
        [201, 'processing'],
        [201, 'processing'],
      ])

      await world.ops('partner', 'suspend', '--partner', world.partner.slug)

      const refused = await world.pay({}, { environment, key: 'order-new' })
      expect([refused.status, refused.body.error.code]).toEqual([403, 'partner_not_active'])
      const replayed = await world.pay({}, { environment, key: 'order-running' })
      expect([replayed.status, replayed.headers.get('Idempotent-Replayed'), replayed.body.id]).toEqual([
        200,
        'true',
        running.body.id,
      ])
      expect((await world.get(`/v1/payouts/${running.body.id}`, environment)).body.status).toBe('processing')

      await advance(running.body.id, 'payment_processed')
      await advance(bouncing.body.id, 'undeliverable')
      await advance(arrived.body.id, 'returned')

      expect(await world.settled(running.body.id)).toMatchObject({ status: 'completed' })
      expect(await world.settled(bouncing.body.id)).toMatchObject({ status: 'failed' })
      const isBack = ({ status, closed_at }: { status: string; closed_at: unknown }) =>
        status === 'returned' && closed_at !== null
      expect(await world.reached(arrived.body.id, isBack)).toMatchObject({ status: 'returned' })
      // The payout delivered during the suspension cost 153.30, and the returned one was refunded 153.30.
      expect(await world.balance(environment)).toBe(before)
      const afterwards = await world.pay({}, { environment, key: 'order-running' })
      expect([afterwards.status, afterwards.body.status]).toEqual([200, 'completed'])
      await world.judge()

      await world.ops('partner', 'reactivate', '--partner', world.partner.slug)
      const again = await world.pay({}, { environment, key: 'order-new' })
      expect(again.status).toBe(201)
      await world.settled(again.body.id)
    },
  )

  test('a payout that waits when its partner is suspended can be cancelled, and is otherwise sent only on reactivation', async () => {
    await world.ops('rail', 'pause', '--environment', 'sandbox')
    const waiting = await world.pay({}, { key: 'order-waiting' })
    const unwanted = await world.pay({}, { key: 'order-unwanted' })
    await world.ops('partner', 'suspend', '--partner', world.partner.slug)

    await world.ops('rail', 'resume', '--environment', 'sandbox')
    const cancelled = await world.cancel(unwanted.body.id)
    const explained = await world.ops('payout', 'explain', '--payout', waiting.body.id)

    expect([cancelled.status, cancelled.body.status]).toEqual([200, 'cancelled'])
    expect(JSON.stringify(explained)).toContain('not active')
    expect(await world.transfersOf(waiting.body.id)).toHaveLength(0)
    await world.ops('partner', 'reactivate', '--partner', world.partner.slug)
    expect(await world.settled(waiting.body.id)).toMatchObject({ status: 'completed' })
    await world.judge()
  })

  async function advance(payoutId: string, state: string): Promise<void> {
    const [transfer] = await world.transfersOf(payoutId)
    const { status } = await world.bank.control('POST', `/transfers/${transfer.id}/advance`, { state })
    expect(status).toBe(200)
  }
}
