// Values that are read as one JSON text equal the column values exactly: amounts, times and bytes.
import { createHash } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { openKeyring } from '../../../db/keyring'
import { apiKeyDigests } from '../../../db/partners/api-key-secret'
import { createApiKey } from '../../../db/partners/api-keys'
import { findCallerAndClaim, findClaim } from '../../../db/payouts/claims'
import { bigintFrom } from '../../../db/payouts/one-text'
import { findCallerAndPayout, findPayout } from '../../../db/payouts/payouts'
import { at } from '../../support/db/a-partner'
import { aPayout } from '../../support/db/a-payout'
import { useDatabase } from '../../support/db/database'

const keyring = openKeyring([{ id: 'k1', bytes: createHash('sha256').update('one-text').digest() }])
const acknowledged = {
  reference: 'Zoë said "\\x41" \n 🐘',
  amountPence: 2_000_000n,
  walletSendsMicroUsdc: 9_007_199_254_740_000n,
  verdict: 'accepted',
  verdictAt: new Date('2026-03-29T01:00:00.001Z'),
  updatedAt: new Date('2026-10-25T00:59:59.999Z'),
  fieldFingerprints: { 'recipient.bank.sort_code': '00ff' },
}

const db = useDatabase(4)

test('a payout has the same values whether it is read with or without its caller', async () => {
  const { payout, scope, digest } = await aStoredPayout()

  const withCaller = await findCallerAndPayout(db, digest, payout.id)
  const alone = await findPayout(db, scope, payout.id)

  expect(withCaller?.payout).toEqual(alone)
  expect(withCaller?.payout).toMatchObject({
    reference: acknowledged.reference,
    walletSendsMicroUsdc: acknowledged.walletSendsMicroUsdc,
    updatedAt: acknowledged.updatedAt,
  })
})

test('the row for an Idempotency-Key is read as it was stored', async () => {
  const { payout, scope, digest } = await aStoredPayout()

  const claim = await findClaim(db, { ...scope, idempotencyKey: payout.idempotencyKey })
  const withCaller = await findCallerAndClaim(db, digest, payout.idempotencyKey)

  expect(withCaller?.claim).toEqual(claim)
  expect(claim).toMatchObject({
    amountPence: payout.amountPence,
    feeInTransferPence: payout.feeInTransferPence,
    gbpPerUsdNano: payout.gbpPerUsdNano,
    fingerprint: { whole: payout.fingerprint, keyId: 'k1', fields: acknowledged.fieldFingerprints },
    verdictAt: acknowledged.verdictAt,
    answeredAt: null,
    releasedAt: null,
  })
})

test('a caller is found even if the payout does not exist', async () => {
  const { digest, scope } = await aStoredPayout()

  const found = await findCallerAndPayout(db, digest, '00000000-0000-7000-8000-000000000000')

  expect(found).toMatchObject({ caller: { partner: { id: scope.partnerId } }, payout: null })
})

test('an amount that JSON may have rounded is an error', () => {
  expect(() => bigintFrom(2 ** 53)).toThrow('must be a safe integer')
  expect(bigintFrom(2 ** 53 - 1)).toBe(9_007_199_254_740_991n)
})

async function aStoredPayout() {
  const payout = await aPayout(db, acknowledged)
  const scope = { partnerId: payout.partnerId, environment: 'sandbox' } as const
  const made = await db.transaction((tx) => createApiKey(tx, { ...scope, label: null, createdBy: 'test', at, keyring }))
  if (made.outcome !== 'created') throw new Error(made.outcome)
  const [digest] = apiKeyDigests(keyring, made.secret)
  if (digest === undefined) throw new Error('a keyring has a key')
  return { payout, scope, digest: digest.digest }
}
