// Sealed recipients are unreadable in the database, bound to their payout, and readable after a key rotation.
import { expect, test } from '@jest/globals'
import { type Keyring, openKeyring } from '../../../db/keyring'
import {
  accountHash,
  type BankDetails,
  openRecipient,
  sealRecipient,
  wipeRecipient,
} from '../../../db/payouts/recipients/sealed'
import { aPayout } from '../../support/db/a-payout'
import { useDatabase } from '../../support/db/database'
import { dump } from '../../support/db/dump'

const oldKey = { id: 'k1', bytes: Buffer.alloc(32, 1) }
const newKey = { id: 'k2', bytes: Buffer.alloc(32, 2) }
const keyring = openKeyring([oldKey])

const canary: BankDetails = {
  type: 'individual',
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'canary.ada@lovelace.test',
  address: {
    line1: '12 Canary Wharf Crescent',
    line2: 'Flat 7734',
    city: 'Canaryborough',
    postalCode: 'CN4 9RY',
    region: 'Canaryshire',
  },
  bankName: 'Bank of Canaries',
  // The hyphens exclude a match by chance: six plain digits can occur in a hash.
  sortCode: '91-82-73',
  accountNumber: '64738291',
}

const db = useDatabase(3)

function seal(payoutId: string, details: BankDetails = canary, ring: Keyring = keyring): Promise<void> {
  return db.transaction((tx) => sealRecipient(tx, ring, payoutId, details))
}

function sealedOf(payoutId: string): Promise<{ sealed: Buffer }[]> {
  return db.sql<{ sealed: Buffer }>`SELECT sealed FROM sealed_recipients WHERE payout_id = ${payoutId}`
}

async function overwrite(payoutId: string, sealed: Buffer): Promise<void> {
  await db.sql`UPDATE sealed_recipients SET sealed = ${sealed} WHERE payout_id = ${payoutId}`
}

test('a recipient sealed for a payout can be opened for that payout', async () => {
  const { id } = await aPayout(db)

  await seal(id)

  expect(await openRecipient(db, keyring, id)).toEqual(canary)
})

test('a full dump of the database contains no bank details, whether in plain text, hex or base64', async () => {
  const { keyId, hash } = accountHash(keyring, canary.sortCode, canary.accountNumber)
  const payout = await aPayout(db, { accountLast4: '8291', accountHash: hash, accountHashKeyId: keyId })
  await seal(payout.id)

  const everything = await dump(db)

  // The dump includes readable columns and sealed bytes, so it would also include plain bank details.
  expect(everything).toContain(payout.idempotencyKey)
  expect(everything).toContain('8291')
  const [row] = await sealedOf(payout.id)
  expect(everything).toContain(row?.sealed.toString('hex'))
  const { sortCode, accountNumber, email, address } = canary
  const { line1, line2, city, postalCode, region } = address
  for (const secret of [sortCode, accountNumber, email, line1, line2, city, postalCode, region, canary.bankName]) {
    for (const form of formsOf(secret ?? '')) expect(everything).not.toContain(form)
  }
})

test('a sealed recipient that was copied to another payout cannot be opened', async () => {
  const one = await aPayout(db)
  const other = await aPayout(db)
  await seal(one.id)
  await seal(other.id, { ...canary, accountNumber: '11112222' })
  const [row] = await sealedOf(one.id)

  await overwrite(other.id, row?.sealed ?? Buffer.alloc(0))

  await expect(openRecipient(db, keyring, other.id)).rejects.toThrow('unable to authenticate')
  expect(await openRecipient(db, keyring, one.id)).toEqual(canary)
})

test('a sealed recipient that was changed or truncated cannot be opened', async () => {
  const { id } = await aPayout(db)
  await seal(id)
  const [row] = await sealedOf(id)
  const sealed = row?.sealed ?? Buffer.alloc(0)

  for (const position of [0, 11, 12, 40, sealed.length - 17, sealed.length - 1]) {
    const changed = Buffer.from(sealed)
    changed.writeUInt8(changed.readUInt8(position) ^ 1, position)
    await overwrite(id, changed)
    await expect(openRecipient(db, keyring, id)).rejects.toThrow('unable to authenticate')
  }
  await overwrite(id, sealed.subarray(0, 10))
  await expect(openRecipient(db, keyring, id)).rejects.toThrow('Invalid authentication tag length')
})

test('the same details are sealed differently every time', async () => {
  const { id } = await aPayout(db)

  await seal(id)
  const [first] = await sealedOf(id)
  await seal(id)
  const [second] = await sealedOf(id)

  expect(first?.sealed).not.toEqual(second?.sealed)
  expect(await openRecipient(db, keyring, id)).toEqual(canary)
})

test('after a rotation, the old key still opens its data, and the new key seals new data', async () => {
  const before = await aPayout(db)
  const after = await aPayout(db)
  const rotated = openKeyring([newKey, oldKey])
  await seal(before.id)

  await seal(after.id, canary, rotated)

  expect(await openRecipient(db, rotated, before.id)).toEqual(canary)
  expect(await openRecipient(db, rotated, after.id)).toEqual(canary)
  await expect(openRecipient(db, keyring, after.id)).rejects.toThrow('the key k2 must stay in the keyring')
  const impostor = openKeyring([{ ...newKey, id: 'k1' }])
  await expect(openRecipient(db, impostor, before.id)).rejects.toThrow('unable to authenticate')
})

test('opening an erased recipient returns null', async () => {
  const { id } = await aPayout(db)
  await seal(id)

  await db.transaction((tx) => wipeRecipient(tx, id))

  expect(await openRecipient(db, keyring, id)).toBeNull()
})

test('the account hash is the same for the same account and differs for another account or key', () => {
  const hash = (sortCode: string, accountNumber: string, ring = keyring) =>
    accountHash(ring, sortCode, accountNumber).hash.toString('hex')

  expect(hash('918273', '64738291')).toBe(hash('918273', '64738291'))
  const others = [
    hash('918274', '64738291'),
    hash('918273', '64738292'),
    hash('918273', '64738291', openKeyring([newKey])),
  ]
  expect(others).not.toContain(hash('918273', '64738291'))
  expect(accountHash(keyring, '918273', '64738291').keyId).toBe('k1')
})

/**
 * The base64 of a text depends on its alignment, so this returns, for each alignment, the part that does not depend on
 * the neighbouring bytes.
 */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const aligned = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replaceAll('=', '')
    return text.slice(shift === 0 ? 0 : 4, -1)
  })
  return [secret, secret.toLowerCase(), bytes.toString('hex'), ...aligned.filter((text) => text.length >= 6)]
}
