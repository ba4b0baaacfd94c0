// payout find, and the identifiers that payout show accepts, with a real database.
import { beforeAll, expect, test } from '@jest/globals'
import { releaseRow } from '../../../db/payouts/steps'
import { systemClock } from '../../../runtime/clock'
import { type AClaim, aClaim } from '../../support/stages/payout'
import { oneSentence, useTerminal, wordsOf } from '../../support/terminal'

const terminal = useTerminal()
const transfer = 'tr_8f14e45f-ea2b'
let order2001: string
let inLive: string
let refusedOne: string
let ofBeta: string

beforeAll(async () => {
  const acme = await aPartner('acme')
  const beta = await aPartner('beta')
  order2001 = await claimed({
    partnerId: acme,
    idempotencyKey: 'order-2001',
    amountPence: 3_300n,
    accountNumber: '11112222',
  })
  inLive = await claimed({ partnerId: acme, idempotencyKey: 'order-2001', environment: 'live', amountPence: 5_000n })
  refusedOne = await claimed({ partnerId: acme, idempotencyKey: 'order-2002', amountPence: 3_300n })
  ofBeta = await claimed({ partnerId: beta, idempotencyKey: 'order-2001', amountPence: 3_300n })
  await change(`reference = 'Invoice 1042_A', transfer_ref = '${transfer}'`, order2001)
  await change(`created_at = now() - interval '3 days'`, inLive)
  const released = { payoutId: refusedOne, verdict: 'insufficient_funds', details: null } as const
  await terminal.db.transaction((tx) => releaseRow(tx, { ...released, at: systemClock.now() }))
})

test.each<[string, string[], () => string[]]>([
  ['a partner', ['--partner', 'acme'], () => [refusedOne, order2001, inLive]],
  ['an amount', ['--partner', 'acme', '--amount', '33.00'], () => [refusedOne, order2001]],
  ['a key', ['--partner', 'acme', '--key', 'order-2001'], () => [order2001, inLive]],
  ['a key in one environment', ['--partner', 'acme', '--key', 'order-2001', '--environment', 'live'], () => [inLive]],
  ['a part of the reference', ['--partner', 'acme', '--reference', 'invoice 1042_'], () => [order2001]],
  ['a literal percent sign', ['--partner', 'acme', '--reference', 'Invoice%'], () => []],
  ['the last four digits', ['--partner', 'acme', '--recipient-last4', '2222'], () => [order2001]],
  ['a transfer of any partner', ['--transfer', transfer], () => [order2001]],
  ["another partner's transfer", ['--partner', 'beta', '--transfer', transfer], () => []],
  ['the last hours', ['--partner', 'acme', '--since', '36h'], () => [refusedOne, order2001]],
  ['the last days', ['--partner', 'acme', '--since', '4d', '--environment', 'live'], () => [inLive]],
  ['a day', ['--partner', 'acme', '--since', '2020-01-01', '--amount', '50.00'], () => [inLive]],
  ['a status', ['--partner', 'acme', '--status', 'pending'], () => [order2001, inLive]],
  ['refused requests', ['--partner', 'acme', '--status', 'refused'], () => [refusedOne]],
])('payout find by %s finds exactly the matching payouts', async (_, argv, expected) => {
  const { data } = await terminal.json<{ data: { id: string }[] }>('payout', 'find', ...argv)

  expect(data.map(({ id }) => id)).toEqual(expected())
})

test('payout find prints the fields that distinguish payouts, without recipient or reference', async () => {
  const { code, out } = await terminal.ops(...wordsOf('payout find --partner acme --amount 33.00 --status pending'))
  const none = await terminal.ops('payout', 'find', '--partner', 'acme', '--amount', '34.00')

  expect(code).toBe(0)
  expect(out).toMatch(/^ID +CREATED +PARTNER +ENVIRONMENT +STATUS +GBP +ACCOUNT +KEY +ATTENTION\n/)
  expect(out).toMatch(new RegExp(`^${order2001} +20\\S+Z +acme +sandbox +pending +33\\.00 +2222 +order-2001 +-$`, 'm'))
  expect(out).toContain(`\`payout explain ${order2001}\` shows what happened to it.\n`)
  expect(out).not.toMatch(/Ada|Lovelace|Invoice/)
  expect([none.code, none.out]).toEqual([0, 'No payout matches.\n'])
})

test.each([
  [['--amount', '33.00'], "Specify --partner, or --transfer with the bank's reference.\n"],
  [['--partner', 'nobody'], 'There is no partner nobody.\n'],
  [['--partner', 'acme', '--since', '2h30'], /^--since must be a day in UTC, .* such as 45m, 6h or 2d\.\n$/],
  [
    ['--partner', 'acme', '--recipient-last4', '22'],
    '--recipient-last4 must be the last four digits of an account number.\n',
  ],
])('payout find refuses %j with a message', async (argv, message) => {
  const { code, err } = await terminal.ops('payout', 'find', ...argv)

  expect(code).toBe(2)
  expect(err).toMatch(oneSentence)
  expect(err).toMatch(message)
})

test.each<[string, () => string[], () => string]>([
  ['the ID of a payout', () => [order2001], () => order2001],
  ['the ID of a payout with --partner', () => [order2001, '--partner', 'acme'], () => order2001],
  ['a transfer reference', () => [transfer], () => order2001],
  ['a key with --partner', () => ['order-2001', '--partner', 'beta'], () => ofBeta],
  [
    'a key that both environments have, with --environment',
    () => ['order-2001', '--partner', 'acme', '--environment', 'live'],
    () => inLive,
  ],
])('payout show accepts %s', async (_, argv, expected) => {
  expect(await terminal.json('payout', 'show', ...argv())).toMatchObject({
    id: expected(),
    idempotency_key: 'order-2001',
  })
})

test.each<[() => string[], string]>([
  [() => ['order-2001', '--partner', 'acme'], 'Both environments have such a payout: add --environment.\n'],
  [() => ['order-2001'], 'No payout has this transfer reference. To look up an Idempotency-Key, add --partner.\n'],
  [
    () => [order2001, '--partner', 'beta'],
    'beta has no payout with this ID, transfer or Idempotency-Key: try `payout find`.\n',
  ],
  [() => ['order-2001', '--partner', 'nobody'], 'There is no partner nobody.\n'],
])('payout show refuses an identifier that does not match exactly one payout: %#', async (argv, message) => {
  expect(await terminal.ops('payout', 'show', ...argv())).toEqual({ code: 2, out: '', err: message })
})

async function aPartner(slug: string): Promise<string> {
  const argv = ['partner', 'create', '--name', 'Acme Ltd', '--slug', slug, '--email', 'ada@acme.test']
  return (await terminal.json<{ id: string }>(...argv)).id
}

async function claimed(claim: AClaim): Promise<string> {
  return (await aClaim(terminal.db, claim)).payoutId
}

async function change(fields: string, id: string): Promise<void> {
  await terminal.db.dataSource.query(`UPDATE payouts SET ${fields} WHERE id = $1`, [id])
}
