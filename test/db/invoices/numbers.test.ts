// Concurrent billing creates one invoice per month, and numbers without gaps even if some transactions roll back.
import { expect, test } from '@jest/globals'
import type { Db, Tx } from '../../../db/database'
import { type Issued, issueInvoice } from '../../../db/invoices/issue'
import { voidInvoice } from '../../../db/invoices/moves'
import type { PartnerRow } from '../../../db/partners/partners'
import { aSeller } from '../../support/api/fixtures'
import { aPricedPartner, bill, charge, chargeMany } from '../../support/db/billing'
import { useDatabase } from '../../support/db/database'

const db = useDatabase(25)

async function aPartnerWithCharges(count = 20): Promise<PartnerRow> {
  const partner = await aPricedPartner(db, { liveOpenedAt: new Date('2026-09-01T00:00:00Z') })
  await chargeMany(db, partner, { count, month: '2026-10' })
  return partner
}

const outcomes = (issued: readonly Issued[]) => issued.map(({ outcome }) => outcome).toSorted()

test('fifty concurrent runs for one partner and month create one invoice', async () => {
  const partner = await aPartnerWithCharges()

  const issued = await Promise.all(Array.from({ length: 50 }, () => bill(db, partner, '2026-10')))

  expect(outcomes(issued)).toEqual([...Array.from({ length: 49 }, () => 'already'), 'issued'])
  expect(new Set(issued.map(({ number }) => number)).size).toBe(1)
  expect(await rows('SELECT count(*)::int AS n FROM invoices WHERE partner_id = $1', [partner.id])).toEqual([{ n: 1 }])
  expect(await uninvoiced(partner)).toBe(0)
  await expectNoGaps()
})

test('concurrent billing of many partners leaves no gap in the numbers, even with repeated and failed runs', async () => {
  const partners = await Promise.all(Array.from({ length: 20 }, () => aPartnerWithCharges(5)))
  let nth = 0
  const now = () => (nth++ % 3 === 0 ? failingAtTheEnd(db) : db)
  const at = new Date('2026-11-01T06:00:00Z')
  const tries = partners.flatMap(({ id: partnerId }) =>
    [1, 2, 3].map(() => issueInvoice(now(), { partnerId, period: '2026-10', at, seller: aSeller })),
  )

  const settled = await Promise.allSettled(tries)
  const again = await Promise.all(partners.map((partner) => bill(db, partner, '2026-10')))

  expect(settled.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0)
  expect(new Set(again.map(({ number }) => number)).size).toBe(20)
  for (const partner of partners) expect(await uninvoiced(partner)).toBe(0)
  await expectNoGaps()
})

test('a charge that arrives during billing is on this invoice or on the next one, and none is lost', async () => {
  const partner = await aPartnerWithCharges(2_000)
  const arriving = Array.from({ length: 40 }, () =>
    charge(db, partner, { kind: 'payout_fee', amountMicropounds: 1_000_000n, at: '2026-10-31T23:59:59Z' }),
  )

  await Promise.all([bill(db, partner, '2026-10'), ...arriving])
  await bill(db, partner, '2026-11')

  expect(await uninvoiced(partner)).toBe(0)
})

test('concurrent issuing and voiding for one month leaves one valid invoice and no gap in the numbers', async () => {
  const partner = await aPartnerWithCharges()
  const at = new Date('2026-11-01T07:00:00Z')
  const turn = async () => {
    const { number } = await bill(db, partner, '2026-10')
    if (number !== null) await db.transaction((tx) => voidInvoice(tx, { number, reason: 'again', at }))
  }

  await Promise.all(Array.from({ length: 6 }, async () => [await turn(), await turn(), await turn()]))
  await bill(db, partner, '2026-10')

  const counted = `SELECT count(*)::int AS n FROM invoices WHERE partner_id = $1 AND status <> 'void'`
  expect(await rows(counted, [partner.id])).toEqual([{ n: 1 }])
  expect(await uninvoiced(partner)).toBe(0)
  await expectNoGaps()
})

/** Rolls back each transaction at its end, as if the worker had crashed before the commit. */
function failingAtTheEnd(real: Db): Db {
  const transaction = <T>(work: (tx: Tx) => Promise<T>) =>
    real.transaction(async (tx) => {
      await work(tx)
      throw new Error('the worker died')
    })
  return { ...real, transaction }
}

async function expectNoGaps(): Promise<void> {
  const numbers = await rows<{ number: string }>('SELECT number FROM invoices ORDER BY number', [])
  const expected = numbers.map((_, index) => `INV-2026-${String(index + 1).padStart(6, '0')}`)
  expect(numbers.map(({ number }) => number)).toEqual(expected)
}

async function uninvoiced({ id }: PartnerRow): Promise<number> {
  const [row] = await rows<{ n: number }>(
    `SELECT count(*)::int AS n FROM charges WHERE partner_id = $1
      AND 1 <> (SELECT count(*) FROM invoice_charges WHERE charge_id = charges.id AND NOT voided)`,
    [id],
  )
  return row?.n ?? -1
}

function rows<Row = unknown>(text: string, values: readonly unknown[]): Promise<Row[]> {
  return db.dataSource.query(text, [...values])
}
