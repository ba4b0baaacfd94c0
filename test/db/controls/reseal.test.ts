// Data under an older secret key is resealed in batches, without overwriting concurrent changes. A hash is rewritten
// only if an older key reproduces it.
import { beforeEach, expect, test } from '@jest/globals'
import { fieldsOfStoredOrder, readPayoutRequest } from '../../../api/payouts/request/order'
import { keyringUse } from '../../../db/controls/keyring-use'
import { firstPayout, resealBatch } from '../../../db/controls/reseal'
import type { Db } from '../../../db/database'
import { openKeyring } from '../../../db/keyring'
import { addPayoutNote, listPayoutNotes, resealNotes } from '../../../db/payouts/cases/notes'
import { fingerprintOf } from '../../../db/payouts/fingerprint'
import { accountHash, openRecipient, sealRecipient, wipeRecipient } from '../../../db/payouts/recipients/sealed'
import { aPayout } from '../../support/db/a-payout'
import { useDatabase } from '../../support/db/database'

const [k1, k2] = [
  { id: 'k1', bytes: Buffer.alloc(32, 1) },
  { id: 'k2', bytes: Buffer.alloc(32, 2) },
]
const [older, both, newer] = [openKeyring([k1]), openKeyring([k2, k1]), openKeyring([k2])]

const recipient = {
  first_name: 'Ada',
  last_name: 'Lovelace',
  address: { line1: '12 St James Square', city: 'London', postal_code: 'SW1Y 4JH' },
  bank: { bank_name: 'Barclays', sort_code: '200415', account_number: '38290008' },
}
const wanted = readPayoutRequest({ amount_gbp: '120.00', recipient })

const db = useDatabase(3)

beforeEach(() => db.dataSource.query('DELETE FROM sealed_recipients'))

test('resealing rewrites all rows in batches, and a second run finds nothing to do', async () => {
  const ids = [await aSealed(), await aSealed(), await aSealed(), await aSealed(), await aSealed()]

  expect(await all()).toEqual({ written: 5, left: 0, batches: 3 })
  expect(await all()).toEqual({ written: 0, left: 0, batches: 3 })
  for (const id of ids) expect(await openRecipient(db, newer, id)).toEqual(wanted.details)
  expect(await keysOf(ids)).toEqual(['k2 k2 k2'])
})

test('a fingerprint that does not match the stored data is left unchanged, but the seal is renewed', async () => {
  const id = await aSealed({ ...wanted.fields, amount_gbp: '1.00' })

  expect(await all()).toMatchObject({ written: 1, left: 1 })
  expect(await keysOf([id])).toEqual(['k2 k1 k2'])
})

test('a row that cannot be decrypted is left unchanged, and does not block the others', async () => {
  const broken = await aSealed()
  const good = await aSealed()
  await db.dataSource.query(`UPDATE sealed_recipients SET sealed = 'broken' WHERE payout_id = $1`, [broken])

  expect(await all()).toMatchObject({ written: 1, left: 1 })
  expect([await keysOf([broken]), await keysOf([good])]).toEqual([['k1 k1 k1'], ['k2 k2 k2']])
})

test('a recipient that is erased during the run remains erased', async () => {
  const id = await aSealed()

  await resealWhile(() => db.transaction((tx) => wipeRecipient(tx, id)))

  expect(await openRecipient(db, both, id)).toBeNull()
  const [row] = await db.dataSource.query('SELECT account_hash, field_fingerprints FROM payouts WHERE id = $1', [id])
  expect(row.account_hash).toBeNull()
  expect(Object.keys(row.field_fingerprints).toSorted()).toEqual(['amount_gbp', 'country'])
})

test('a payout claimed again for another recipient during the run keeps its new recipient and fingerprint', async () => {
  const id = await aSealed()
  const other = readPayoutRequest({ amount_gbp: '5.00', recipient: { ...recipient, first_name: 'Grace' } })
  const { whole } = fingerprintOf(older, other.fields)

  await resealWhile(async () => {
    await db.transaction((tx) => sealRecipient(tx, older, id, other.details))
    await db.dataSource.query('UPDATE payouts SET fingerprint = $2 WHERE id = $1', [id, whole])
  })

  expect(await openRecipient(db, both, id)).toEqual(other.details)
  const [row] = await db.dataSource.query('SELECT fingerprint FROM payouts WHERE id = $1', [id])
  expect(row.fingerprint).toEqual(whole)
  expect(await keysOf([id])).toEqual(['k1 k1 k1'])
})

test('notes are resealed in batches, and a note that cannot be decrypted remains under its older key', async () => {
  const { id: payoutId } = await aPayout(db)
  const write = (text: string) => {
    const note = { payoutId, at: new Date(), madeBy: 'ada@acme.test', text, key: `note-${text}` }
    return db.transaction((tx) => addPayoutNote(tx, older, note, 10))
  }
  for (const text of ['one', 'two', 'three', 'broken']) await write(text)
  await db.dataSource.query(
    `UPDATE payout_notes SET sealed = 'broken'
    WHERE id = (SELECT id FROM payout_notes WHERE payout_id = $1 ORDER BY id DESC LIMIT 1)`,
    [payoutId],
  )
  const notesUnder = async (keyId: string) =>
    (await keyringUse(db, new Date())).find((use) => use.keyId === keyId)?.notes ?? 0
  const before = [await notesUnder('k1'), await notesUnder('k2')]

  const first = await resealNotes(db, both, { after: firstPayout, limit: 3 })
  const second = await resealNotes(db, both, { after: first?.next ?? '', limit: 3 })
  const third = await resealNotes(db, both, { after: second?.next ?? '', limit: 3 })

  expect(first).toMatchObject({ written: 3, left: 0 })
  expect(second).toMatchObject({ written: 0, left: 1 })
  expect(third).toBeNull()
  expect([before, [await notesUnder('k1'), await notesUnder('k2')]]).toEqual([
    [4, 0],
    [1, 3],
  ])
  await db.dataSource.query(`DELETE FROM payout_notes WHERE key_id = 'k1'`)
  expect((await listPayoutNotes(db, newer, payoutId)).map(({ text }) => text)).toEqual(['one', 'two', 'three'])
})

test.each([
  ['with required fields only', {}, {}],
  [
    'with all fields',
    { reference: 'Invoice 7', country: 'GB' as const },
    { email: 'ada@lovelace.test', type: 'business' as const },
  ],
  [
    'with empty instead of missing fields',
    { reference: '' },
    { address: { ...recipient.address, line2: '', region: '' } },
  ],
])(
  'a request %s has the same canonical fields whether they are built from stored data or from its body',
  (_what, order, recipientFields) => {
    const request = readPayoutRequest({
      amount_gbp: '0120.50',
      ...order,
      recipient: { ...recipient, ...recipientFields },
    })

    const { amountPence, reference, details } = request
    expect(fieldsOfStoredOrder({ amountPence, reference }, details)).toEqual(request.fields)
  },
)

/** A payout as the API stored it while k1 was the only key. */
async function aSealed(fingerprinted = wanted.fields): Promise<string> {
  const { keyId, whole, fields } = fingerprintOf(older, fingerprinted)
  const { sortCode, accountNumber } = wanted.details
  const account = accountHash(older, sortCode, accountNumber)
  const { id } = await aPayout(db, {
    fingerprint: whole,
    fingerprintKeyId: keyId,
    fieldFingerprints: fields,
    accountHash: account.hash,
    accountHashKeyId: account.keyId,
  })
  await db.transaction((tx) => sealRecipient(tx, older, id, wanted.details))
  return id
}

async function all(): Promise<{ written: number; left: number; batches: number }> {
  const total = { written: 0, left: 0, batches: 0 }
  for (let after: string | null = firstPayout; after !== null; ) {
    const batch = await resealBatch(db, both, { after, limit: 2, fieldsOf: fieldsOfStoredOrder })
    total.written += batch.written
    total.left += batch.left
    total.batches += 1
    after = batch.next
  }
  return total
}

/** Runs an action between reading a batch and writing it. */
async function resealWhile(act: () => Promise<unknown>): Promise<void> {
  const slow: Db = { ...db, transaction: (work) => act().then(() => db.transaction(work)) }
  await resealBatch(slow, both, { after: firstPayout, limit: 10, fieldsOf: fieldsOfStoredOrder })
}

/** Returns the distinct combinations of the keys used for the seal, the fingerprint and the account hash. */
async function keysOf(ids: readonly string[]): Promise<string[]> {
  const rows = await db.dataSource.query(
    `SELECT DISTINCT concat_ws(' ', s.key_id, p.fingerprint_key_id, p.account_hash_key_id) AS keys
      FROM payouts p JOIN sealed_recipients s ON s.payout_id = p.id WHERE p.id = ANY ($1)`,
    [ids],
  )
  return rows.map(({ keys }: { keys: string }) => keys)
}
