// The proof finds charges that do not match a live payout's row, and returns that are not credited.
import { expect, test } from '@jest/globals'
import { runProof } from '../../../../activities/controls/proof/run'
import { listDrifts } from '../../../../db/controls/proof/drifts'
import type { PayoutRef } from '../../../../workflows/payouts/payout'
import { withoutTriggers } from '../../../support/db/without-triggers'
import { fine, useProofStage } from '../../../support/stages/proof'

const { stage, db, deps, steps } = useProofStage()

test('completed, returned, failed and in-flight payouts show no drift', async () => {
  const payouts = [await aCompleted(), await aReturned(), await stage.aSentPayout()]
  const failed = await stage.aSentPayout()
  await stage.advance(failed, 'refunded')
  await steps.settle(failed)

  expect(await runProof(deps)).toMatchObject(fine)
  const feesAndCosts = ['exception', 'network_fee', 'network_fee', 'payout_fee', 'payout_fee']
  expect(await chargesOf(payouts)).toEqual(['credit', ...feesAndCosts])
})

const copy = (change: object) => `INSERT INTO charges SELECT (jsonb_populate_record(c, '${JSON.stringify(change)}'
  || jsonb_build_object('id', gen_random_uuid()))).* FROM charges c WHERE payout_id = $1 AND kind = 'payout_fee'`

test.each([
  ['no charge at all', 'DELETE FROM charges WHERE payout_id = $1'],
  ['no fee', `DELETE FROM charges WHERE payout_id = $1 AND kind = 'payout_fee'`],
  ['no network fee', `DELETE FROM charges WHERE payout_id = $1 AND kind = 'network_fee'`],
  ['a different fee', `UPDATE charges SET amount_micropounds = 1 WHERE payout_id = $1 AND kind = 'payout_fee'`],
  ['a fee for another partner', `UPDATE charges SET partner_id = gen_random_uuid() WHERE payout_id = $1`],
  ['a second fee', copy({ cause_ref: 'once-more' })],
  ['a credit', copy({ kind: 'credit' })],
  ['a higher fee in its row', 'UPDATE payouts SET fee_pence = fee_pence + 500 WHERE id = $1'],
  ['a lower fee in its row', 'UPDATE payouts SET fee_pence = fee_pence - 1 WHERE id = $1'],
])('the proof reports a completed payout with %s', async (_what, plantFault) => {
  const { payoutId } = await aCompleted()

  await withoutTriggers(db, plantFault, [payoutId])
  await runProof(deps)

  // A fee that was changed without the triggers also differs from the monthly totals.
  expect((await stage.found()).filter(([kind]) => kind !== 'payout_totals')).toEqual([['payout_charge', payoutId]])
})

test.each([
  ['no credit', `DELETE FROM charges WHERE payout_id = $1 AND kind = 'credit'`],
  [
    'half of its credit',
    `UPDATE charges SET amount_micropounds = amount_micropounds / 2 WHERE payout_id = $1 AND kind = 'credit'`,
  ],
])('the proof reports a returned payout with %s', async (_what, plantFault) => {
  const { payoutId } = await aReturned()

  await withoutTriggers(db, plantFault, [payoutId])
  await runProof(deps)

  expect(await stage.found()).toEqual([['payout_charge', payoutId]])
})

test('the proof reports a fee for a payout that is not completed and a fee without a payout, in pounds', async () => {
  const [completed, { payoutId }] = [await aCompleted(), await stage.aSentPayout()]
  await withoutTriggers(db, copy({ payout_id: payoutId, cause_ref: payoutId }), [completed.payoutId])
  await withoutTriggers(db, copy({ payout_id: null, cause_ref: 'made-up' }), [completed.payoutId])

  await runProof(deps)

  expect(await stage.found()).toEqual([
    ['payout_charge', payoutId],
    ['payout_charge', 'made-up'],
  ])
  const [drift] = await listDrifts(db, 'open', 1)
  expect(drift?.expected).toBe('0 fees of 0 GBP, 0 network fees, 0 credits of 0 GBP')
  expect(drift?.found).toMatch(/^1 fees of 1\.\d\d? GBP, 0 network fees, 0 credits of 0 GBP$/)
})

async function aCompleted(): Promise<PayoutRef> {
  const payout = await stage.aSentPayout()
  await stage.advance(payout, 'payment_processed')
  await steps.settle(payout)
  return payout
}

async function aReturned(): Promise<PayoutRef> {
  const payout = await aCompleted()
  await stage.advance(payout, 'refunded')
  await steps.pollReturn(payout)
  return payout
}

async function chargesOf(payouts: readonly PayoutRef[]): Promise<string[]> {
  const rows: { kind: string }[] = await db.dataSource.query(
    'SELECT kind FROM charges WHERE payout_id = ANY ($1) ORDER BY kind',
    [payouts.map(({ payoutId }) => payoutId)],
  )
  return rows.map(({ kind }) => kind)
}
