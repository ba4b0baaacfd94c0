// Migration 22 erases the remaining hashes of erased recipients, and keeps all data that may still be needed.
import { expect, test } from '@jest/globals'
import { ErasedRecipients1794700800022 } from '../../db/migrations/020-029/22-erased-recipients'
import { aPayout } from '../support/db/a-payout'
import { useDatabase } from '../support/db/database'

const db = useDatabase(2)

test('hashes are erased only if the recipient is erased and the payout is closed', async () => {
  const fieldFingerprints = { amount_gbp: 'aa', 'recipient.bank.sort_code': 'bb' }
  const hashed = { fieldFingerprints, accountHash: Buffer.from('cc'), accountHashKeyId: 'k1', bankBody: '{}' }
  const closed = { ...hashed, closedAt: new Date() }
  const [erased, sealed, open] = [await aPayout(db, closed), await aPayout(db, closed), await aPayout(db, hashed)]
  await db.dataSource.query(`INSERT INTO sealed_recipients VALUES ($1, 'k1', 'sealed')`, [sealed.id])

  const runner = db.dataSource.createQueryRunner()
  await new ErasedRecipients1794700800022().up(runner)
  await runner.release()

  const rows: { id: string }[] = await db.dataSource.query(
    `SELECT id, field_fingerprints AS fields, account_hash AS account, account_hash_key_id AS key, bank_body AS body FROM payouts`,
  )
  const all = { fields: fieldFingerprints, account: hashed.accountHash, key: 'k1', body: '{}' }
  expect(rows.find(({ id }) => id === erased.id)).toMatchObject({
    fields: { amount_gbp: 'aa' },
    account: null,
    key: null,
    body: null,
  })
  for (const kept of [sealed, open]) expect(rows.find(({ id }) => id === kept.id)).toMatchObject(all)
})
