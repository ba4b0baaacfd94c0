// Races between cancel and submit. The payout row decides, and the bank's own records confirm the result.
import { afterEach, expect, test } from '@jest/globals'
import type { Db } from '../../../db/database'
import { loadStep } from '../../../db/payouts/steps'
import { findWallet } from '../../../db/wallets/wallets'
import type { Rail } from '../../../rail/rail'
import type { PayoutRef } from '../../../workflows/payouts/payout'
import { requireValidLedger } from '../../referee/ledger-rules'
import { useDatabase } from '../../support/db/database'
import { actingAfter } from '../../support/db/tapped'
import { aClaim, remainingRecipientData, stepDeps, usePayer } from '../../support/stages/payout'
import { payoutActivities } from '../../support/stages/payout-activities'

const db = useDatabase()
const { bank, rails, partner } = usePayer(db)

afterEach(() => requireValidLedger(db.dataSource))

test('a cancel between the debit and the first call to the bank wins, and nothing is sent', async () => {
  const before = await balance()
  const gate = aGate()
  const steps = stepsWith({
    registerRecipient: gate.before((order) => rails.provider_sandbox.registerRecipient(order)),
  })
  const payout = await aDebited()

  const { submitting, cancelled } = await cancelAt(gate, steps, payout)

  expect(cancelled).toMatchObject({ at: 'over', status: 'cancelled' })
  expect(await submitting).toMatchObject({ at: 'over', status: 'cancelled' })
  expect(await transfersOf(payout)).toHaveLength(0)
  expect(await balance()).toBe(before)
  expect(await remainingRecipientData(db, payout)).toEqual({ account: null, body: null, sealed: false })
})

test('a cancel after the first call to the bank has begun is refused, and the payout continues', async () => {
  const gate = aGate()
  const steps = stepsWith({ submit: gate.before((order) => rails.provider_sandbox.submit(order)) })
  const payout = await aDebited()

  const { submitting, cancelled } = await cancelAt(gate, steps, payout)

  expect(cancelled).toMatchObject({ at: 'unknown', status: 'pending' })
  expect(await submitting).toMatchObject({ at: 'sent', status: 'processing' })
  expect(await transfersOf(payout)).toHaveLength(1)
})

test('either the cancel or the submit wins when they run concurrently', async () => {
  const steps = stepsWith({})
  for (let round = 0; round < 20; round++) {
    const before = await balance()
    const payout = await aDebited()

    await Promise.all([steps.submitToRail(payout), steps.cancelPayout(payout)])

    const { status } = await loadStep(db, payout.payoutId)
    const sent = await transfersOf(payout)
    expect([status, sent.length, before - (await balance())]).toEqual(
      sent.length === 0 ? ['cancelled', 0, 0n] : ['processing', 1, 153_300_000n],
    )
  }
})

test('a submit detects that a cancel erased the recipient between its two reads of the row', async () => {
  const before = await balance()
  const payout = await aDebited()
  const cancelled = actingAfter(
    db,
    (tx) => loadStep(tx, payout.payoutId),
    () => stepsWith({}).cancelPayout(payout),
  )

  const { at, status } = await stepsWith({}, cancelled).submitToRail(payout)

  expect([at, status, (await transfersOf(payout)).length]).toEqual(['over', 'cancelled', 0])
  expect(await balance()).toBe(before)
})

test('a repeated cancel refunds the money once', async () => {
  const before = await balance()
  const steps = stepsWith({})
  const payout = await aDebited()

  const answers = await Promise.all([1, 2, 3].map(() => steps.cancelPayout(payout)))

  expect(answers.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled'])
  expect(await balance()).toBe(before)
})

function stepsWith(change: Partial<Rail>, to: Db = db) {
  const changed = { ...rails, provider_sandbox: { ...rails.provider_sandbox, ...change } }
  const limits = { repeatForMs: 2_000, listLagMs: 200, answerWithinMs: 5_000, answerCallMs: 5_000 }
  const deps = stepDeps(to, changed, { limits })
  return payoutActivities(deps)
}

/** Cancels the payout while the submit waits at the gate. */
async function cancelAt(gate: ReturnType<typeof aGate>, steps: ReturnType<typeof stepsWith>, payout: PayoutRef) {
  const submitting = steps.submitToRail(payout)
  await gate.reached
  const cancelled = await steps.cancelPayout(payout)
  gate.open()
  return { submitting, cancelled }
}

/** A gate that blocks its callers until it is opened. */
function aGate() {
  let open = () => {}
  let reach = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  const before =
    <In, Out>(call: (input: In) => Promise<Out>) =>
    async (input: In): Promise<Out> => {
      reach()
      await opened
      return call(input)
    }
  return { before, reached, open: () => open() }
}

async function aDebited(): Promise<PayoutRef> {
  const payout = await aClaim(db, { partnerId: partner.id })
  await stepsWith({}).debitPayout(payout)
  return payout
}

async function transfersOf({ payoutId }: PayoutRef): Promise<unknown[]> {
  return (await bank.control('GET', `/transfers?client_reference_id=${payoutId}`)).json.data
}

async function balance(): Promise<bigint> {
  return (await findWallet(db, partner.id, 'sandbox'))?.balanceMicroUsdc ?? -1n
}
