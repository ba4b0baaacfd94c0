// Erased data cannot be recovered: even with the secret keys, no remaining hash identifies a sort code or an
// account number.
import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from '@jest/globals'
import type { Static } from 'typebox'
import { eraseRecipients } from '../../../activities/controls/retention'
import type { CreatePayoutRequest } from '../../../api/payouts/request/body'
import { readPayoutRequest } from '../../../api/payouts/request/order'
import { shredRecipient } from '../../../db/controls/retention'
import { fingerprintOf } from '../../../db/payouts/fingerprint'
import { detailsHash } from '../../../db/payouts/recipients/at-bank'
import { accountHash } from '../../../db/payouts/recipients/sealed'
import { systemClock } from '../../../runtime/clock'
import { testKeyring } from '../../support/api/client'
import { type Payer, usePayoutWorld } from '../../support/api/payout-world'
import { quick, until } from '../../support/bank/client'
import { dump } from '../../support/db/dump'

type Request = Static<typeof CreatePayoutRequest>

const dayMs = 86_400_000
const recipient = {
  first_name: 'Zebulon',
  last_name: 'Quixote',
  email: 'zq@quixote.example',
  address: { line1: '12 St James Square', city: 'London', postal_code: 'SW1Y 4JH' },
  bank: { bank_name: 'Barclays', sort_code: '918273', account_number: '73519264' },
}
const request: Request = { amount_gbp: '120.00', reference: 'Zebulon rent', recipient }
const world = usePayoutWorld({ bank: { delaysMs: quick } })
let payer: Payer

beforeEach(async () => {
  payer = await world.aPayer()
})

test.each([
  ['shredding', (id: string) => world.api.db.transaction((tx) => shredRecipient(tx, testKeyring, id))],
  ['the nightly erasure', () => eraseAt(31)],
])(
  'after %s, the database contains no hash of the recipient’s data, and the idempotency key still returns the payout',
  async (_how, erase) => {
    const key = `order-${randomUUID()}`
    const first = await paid(request, key)
    const before = await remainingDataOf(request)

    await erase(first)

    expect(before).toEqual(expect.arrayContaining(['account', 'registration', 'recipient.bank.sort_code', 'bank body']))
    expect(await remainingDataOf(request)).toEqual([])
    const again = await world.pay(payer, request, { key, environment: 'live' })
    expect([again.status, again.body.id, again.body.recipient]).toMatchObject([200, first, { account_last4: '9264' }])
  },
)

test('after the erasure, a reused key with another body is still refused, and the error names a field that can still be compared', async () => {
  const key = `order-${randomUUID()}`
  const payout_id = await paid(request, key)
  await eraseAt(31)
  const reused = async (change: object) =>
    (await world.pay(payer, { ...request, ...change }, { key, environment: 'live' })).body.error

  const other = { ...recipient, bank: { ...recipient.bank, sort_code: '918274' } }
  expect(await reused({ recipient: other })).toMatchObject({
    code: 'idempotency_key_reused',
    details: { payout_id, differing_fields: ['recipient'] },
  })
  expect((await reused({ amount_gbp: '121.00', recipient: other }))?.details).toEqual({
    payout_id,
    differing_fields: ['amount_gbp'],
  })
})

test('an account whose registration was erased can be paid again', async () => {
  await paid(request, `order-${randomUUID()}`)
  await eraseAt(31)

  await paid(request, `order-${randomUUID()}`)

  expect(await remainingDataOf(request)).toContain('registration')
})

test('the nightly erasure also deletes old bank registrations of accounts that were never paid, in batches', async () => {
  await eraseAt(31)
  const insert = `INSERT INTO bank_recipients (id, customer_ref, details_hash, recipient_ref, created_at)
    SELECT gen_random_uuid(), 'cust', sha256(n::text::bytea), 'ref', now() FROM generate_series(1, 3) n`
  await query(insert)
  // IDs begin with their creation time, so older IDs make the rows old.
  await query(`UPDATE bank_recipients SET id = overlay(id::text PLACING '00000000-0000' FROM 1)::uuid`)

  expect([await eraseAt(29), await eraseAt(31, 2), await eraseAt(31, 2)]).toEqual([0, 2, 1])
})

/** Names the recipient's data that is still in the database: hashes, and the body of the request to the bank. */
async function remainingDataOf(wanted: Request): Promise<string[]> {
  const text = await dump(world.api.db)
  const { fields, details } = readPayoutRequest(wanted)
  const hashes = Object.entries(fingerprintOf(testKeyring, fields).fields)
    .filter(([path]) => path.startsWith('recipient.'))
    .concat([
      ['account', accountHash(testKeyring, details.sortCode, details.accountNumber).hash.toString('hex')],
      ['registration', detailsHash(testKeyring, details).toString('hex')],
      ['bank body', 'external_account_id'],
    ])
  return hashes.filter(([, hash]) => text.includes(hash)).map(([what]) => what)
}

async function paid(wanted: Request, key: string): Promise<string> {
  const { body } = await world.pay(payer, wanted, { key, environment: 'live' })
  await until('the payout is final', async () => {
    const [row] = await query<{ at: Date | null }>('SELECT closed_at AS at FROM payouts WHERE id = $1', [body.id])
    return row?.at !== null
  })
  return String(body.id)
}

function eraseAt(days: number, limit = 1_000): Promise<number> {
  const clock = { now: () => new Date(systemClock.now().getTime() + days * dayMs) }
  const retention = { recipientDays: 30, bankEventDays: 30 }
  return eraseRecipients({ db: world.api.db, clock, retention }, { limit })
}

function query<Row>(sql: string, values: unknown[] = []): Promise<Row[]> {
  return world.api.db.dataSource.query(sql, values)
}
