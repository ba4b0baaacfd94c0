// Price commands create a new price list from a given month, and leave past prices unchanged.
import { beforeAll, expect, test } from '@jest/globals'
import { latestActivity } from '../../../db/controls/activity'
import { findPartnerBySlug } from '../../../db/partners/partners'
import { oneSentence, useTerminal } from '../../support/terminal'

interface Prices {
  readonly data: readonly Readonly<Record<string, string | null>>[]
}

const terminal = useTerminal()

beforeAll(async () => {
  await terminal.json('partner', 'create', '--name', 'Acme Ltd', '--slug', 'acme', '--email', 'ada@acme.test')
})

const set = (...argv: string[]) => terminal.ops('price', 'set', '--partner', 'acme', ...argv)

test('a price change creates a list from its month on, and ends the previous list without changing its prices', async () => {
  const changes = ['--payout-fixed', '0.79', '--monthly-account', '10.00', '--network-cost', '0.0125']
  const prices = await terminal.json<Prices>('price', 'set', '--partner', 'acme', '--from', '2099-04', ...changes)

  const [before, after] = prices.data
  expect(prices.data).toHaveLength(2)
  expect(before).toMatchObject({ payout_fixed_gbp: '0.99', monthly_account_gbp: '15.00', network_cost_gbp: '0.018' })
  expect(after).toEqual({
    valid_from: '2099-03-31T23:00:00.000Z',
    valid_until: null,
    payout_fixed_gbp: '0.79',
    payout_percent: '1.00',
    bank_fixed_gbp: '0.50',
    bank_percent: '0.50',
    monthly_account_gbp: '10.00',
    verification_gbp: '39.00',
    network_cost_gbp: '0.0125',
    network_markup_percent: '10.00',
    exception_markup_percent: '20.00',
    return_cost_gbp: '5.00',
    made_by: expect.stringMatching(/^ops:/),
  })
  expect(before?.['valid_until']).toBe(after?.['valid_from'])
  expect(await terminal.json('price', 'list', '--partner', 'acme')).toEqual(prices)
  const { id } = (await findPartnerBySlug(terminal.db, 'acme')) ?? { id: '' }
  const [entry] = await latestActivity(terminal.db, id, 1)
  expect(entry).toMatchObject({
    action: 'price.update',
    detail: 'from 2099-03-31T23:00:00.000Z: payout_fixed_gbp 0.79, monthly_account_gbp 10.00, network_cost_gbp 0.0125',
  })
})

test('the prices planned for a month can be replaced or removed until the month begins', async () => {
  const before = await terminal.json<Prices>('price', 'list', '--partner', 'acme')

  await set('--from', '2099-04', '--payout-percent', '0.80')
  const replaced = await terminal.json<Prices>('price', 'list', '--partner', 'acme')
  expect(replaced.data).toHaveLength(2)
  expect(replaced.data[0]).toEqual(before.data[0])
  // An omitted price is the one in effect before that month, not the one in the replaced plan.
  expect(replaced.data[1]).toMatchObject({
    valid_from: '2099-03-31T23:00:00.000Z',
    payout_fixed_gbp: '0.99',
    payout_percent: '0.80',
  })

  await set('--from', '2099-06', '--payout-fixed', '0.69')
  const remove = (month: string) => terminal.ops('price', 'remove', '--partner', 'acme', '--from', month)
  expect((await remove('2099-04')).err).toBe(
    'Cannot remove prices from 2099-04: only the last planned prices can be removed, before they take effect.\n',
  )
  expect((await remove('2099-06')).code).toBe(0)
  expect(await terminal.json('price', 'list', '--partner', 'acme')).toEqual(replaced)
  const { id } = (await findPartnerBySlug(terminal.db, 'acme')) ?? { id: '' }
  expect(await latestActivity(terminal.db, id, 1)).toMatchObject([
    { action: 'price.remove', detail: 'from 2099-05-31T23:00:00.000Z' },
  ])
})

test('price default set changes the prices of new partners only, from now on or from a given month', async () => {
  const ofAcme = await terminal.json<Prices>('price', 'list', '--partner', 'acme')
  const before = await terminal.json<Prices>('price', 'default', 'show')

  const now = await terminal.json<Prices>('price', 'default', 'set', '--payout-fixed', '0.89')
  const planned = await terminal.ops('price', 'default', 'set', '--from', '2099-01', '--monthly-account', '20.00')
  await terminal.json('partner', 'create', '--name', 'Beta Ltd', '--slug', 'beta', '--email', 'ada@beta.test')
  const ofBeta = await terminal.json<Prices>('price', 'list', '--partner', 'beta')

  expect(before.data).toMatchObject([{ payout_fixed_gbp: '0.99', valid_until: null }])
  expect(now.data.map((each) => each['payout_fixed_gbp'])).toEqual(['0.99', '0.89'])
  expect(now.data.map((each) => each['made_by'])).toEqual([null, expect.stringMatching(/^ops:/)])
  expect(planned.out).toMatch(/^FROM +UNTIL +PAYOUT .*\n(.*\n){2}2099-01-01T00:00:00\.000Z +- +0\.89 .* 20\.00 /)
  expect(ofBeta.data).toMatchObject([{ payout_fixed_gbp: '0.89', monthly_account_gbp: '15.00', valid_until: null }])
  expect(await terminal.json('price', 'list', '--partner', 'acme')).toEqual(ofAcme)
  const removed = await terminal.json<Prices>('price', 'default', 'remove', '--from', '2099-01')
  expect(removed).toEqual(now)
  expect((await terminal.ops('price', 'default', 'remove', '--from', '2099-01')).err).toMatch(
    /^Cannot remove prices from/,
  )
  const early = await terminal.ops('price', 'default', 'set', '--from', '2020-01', '--payout-fixed', '0.10')
  expect([early.code, early.err]).toEqual([2, '2020-01 has begun: past prices cannot change.\n'])
  expect((await terminal.ops('price', 'default', 'set')).err).toMatch(/^Specify at least one of: --payout-fixed/)
})

test('the database refuses changes to prices that are already in effect', async () => {
  const direct = (text: string) =>
    terminal.db.dataSource.query(`${text} WHERE partner_id IS NOT NULL AND valid_from < now()`)
  const refused = { code: '23001' }

  await expect(direct('DELETE FROM price_lists')).rejects.toMatchObject(refused)
  await expect(direct('UPDATE price_lists SET payout_fixed_pence = 1')).rejects.toMatchObject(refused)
  await expect(direct(`UPDATE price_lists SET valid_until = now() + interval '1 year'`)).rejects.toMatchObject(refused)
})

test.each([
  ['a command without a price', [], 'Specify at least one of'],
  ['a month that has begun', ['--from', '2020-01', '--payout-fixed', '0.10'], 'past prices cannot change'],
  ['a month before a planned change', ['--from', '2099-03', '--payout-fixed', '0.10'], 'are already planned'],
  ['an invalid price', ['--payout-fixed', '-1.00'], '--payout-fixed must be'],
  ['a markup above 100%', ['--network-markup', '100.01'], '--network-markup must be'],
])('%s is refused with a message, and nothing changes', async (_, argv, message) => {
  const before = await terminal.json('price', 'list', '--partner', 'acme')

  const { code, err } = await set(...argv)

  expect(code).not.toBe(0)
  expect(err).toMatch(oneSentence)
  expect(err).toContain(message)
  expect(await terminal.json('price', 'list', '--partner', 'acme')).toEqual(before)
})

test('price list refuses an unknown partner', async () => {
  expect((await terminal.ops('price', 'list', '--partner', 'nobody')).err).toBe('There is no partner nobody.\n')
})

test('a billing address is given with "|" between its lines, and removed with "none"', async () => {
  const setAddress = (address: string) =>
    terminal.json<{ billing_address: string | null }>(
      'partner',
      'set',
      '--partner',
      'acme',
      '--billing-address',
      address,
    )

  expect((await setAddress('1 High Street | London | EC1A 1AA')).billing_address).toBe(
    '1 High Street\nLondon\nEC1A 1AA',
  )
  expect((await terminal.ops('partner', 'set', '--partner', 'acme', '--billing-address', 'a||b')).err).toMatch(
    oneSentence,
  )
  expect((await setAddress('none')).billing_address).toBeNull()
})
