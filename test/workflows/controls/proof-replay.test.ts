// Each path of the proof, the sealer and the erasure runs once. Its results are checked, its history replays, and the
// history contains no personal data. RECORD_HISTORIES=1 records the histories again. Use it only after a change that
// does not affect running workflows.
import { beforeAll, expect, test } from '@jest/globals'
import { WorkflowFailedError } from '@temporalio/client'
import { verifyAudit } from '../../../db/controls/audit/verify'
import { listDrifts } from '../../../db/controls/proof/drifts'
import { systemClock } from '../../../runtime/clock'
import type { proof, retention, sealAudit, verifyAudit as verifying } from '../../../workflows'
import { accessTo, still, useSandboxBank } from '../../support/bank/client'
import { aConnectedPartner } from '../../support/stages/payout'
import { useWorker } from '../../support/temporal/a-worker'
import { type Paths, payloadsOf, replayed } from '../../support/temporal/replayed'
import { until } from '../../support/until'

const bank = useSandboxBank({ delaysMs: still, fsync: 'off', controlPort: 0 })
const limits = { graceMs: 0, balanceLagMs: 0, pauseMs: 0 }
const opsEmail = 'ops@payouts.test'
const worker = useWorker(() => ({ clock: systemClock, bank: accessTo(bank), proof: limits, opsEmail }))
let firstProof: unknown

/** The functions that run the paths, by the names of the recordings. */
const paths: Paths = {
  async 'proof/found'() {
    // This deposit is not booked in our ledger.
    const [wallet] = await worker.db.dataSource.query(`SELECT wallet_ref FROM wallets WHERE environment = 'sandbox'`)
    await bank.control('POST', `/wallets/${wallet.wallet_ref}/deposits`, { amount: '3.00' })
    const handle = await start<typeof proof>('proof', [{ pageSize: 50, pages: 100 }])
    firstProof = await handle.result()
    return handle
  },
  async 'proof/continued'() {
    const handle = await start<typeof proof>('proof', [{ pageSize: 1, pages: 1 }])
    await handle.result()
    // Returns the first run, not the run that continues it.
    return worker.client.workflow.getHandle(handle.workflowId, handle.firstExecutionRunId)
  },
  async 'seal-audit/sealed'() {
    // The sealer skips rows that are not older than every running transaction, including those of other tests.
    await until('the accounts can be sealed', async () => {
      const [{ over }] = await worker.db.dataSource.query(`SELECT bool_and(age(xmin)
        > age(pg_snapshot_xmin(pg_current_snapshot())::xid)) AS over FROM ledger_accounts`)
      return over
    })
    return start<typeof sealAudit>('sealAudit', [{ batchSize: 2, batches: 1_000 }])
  },
  'verify-audit/held': () => start<typeof verifying>('verifyAudit', []),
  'retention/erased': () => start<typeof retention>('retention', [{ batchSize: 10, batches: 10 }]),
}
const names = Object.keys(paths)

beforeAll(async () => {
  await aConnectedPartner(worker.db, bank)
})

test('the proof finds a drift, and emails operators once', async () => {
  const drifts = await listDrifts(worker.db, 'open', 10)

  expect(drifts.map(({ kind }) => kind)).toContain('deposit_not_booked')
  expect(firstProof).toMatchObject({ wallets: 2, drifts: drifts.length, fresh: drifts.length, busy: 0, failed: 0 })
  const mails: unknown[] = await worker.db.dataSource.query(`SELECT id FROM mails WHERE kind = 'notice'`)
  expect(mails).toHaveLength(1)
})

test('the sealer continues after its first batch, and the chain is valid', async () => {
  const { fault, links } = await verifyAudit(worker.db)

  expect(fault).toBeNull()
  expect(links).toBeGreaterThan(3n)
})

test('the chain is verified, and the result is in the history and in the database', async () => {
  const { head, links } = await verifyAudit(worker.db)
  const kept = await worker.db.dataSource.query(
    `SELECT links::int, encode(head, 'hex') AS head, fault FROM audit_verifications`,
  )

  expect(kept).toEqual([{ links: Number(links), head, fault: null }])
  expect(decoded('verify-audit/held')).toContain(head)
})

test('a proof of many wallets continues as new', () => {
  expect(fresh.get('proof/continued')).toContain('EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW')
})

const fresh = replayed(paths)

test.each(names)('the history of %s contains no personal data', (name) => {
  const text = decoded(name)

  expect(text).toMatch(/batchSize|pageSize|"links"/)
  expect(text).not.toMatch(/Acme|ada@|Lovelace|ops@/)
})

test.each([
  ['proof', undefined],
  ['proof', null],
  ['proof', { pageSize: '50', pages: 100 }],
  ['proof', { pageSize: 50, pages: 0 }],
  ['retention', undefined],
  ['retention', { batchSize: 1_000 }],
  ['retention', { batchSize: 1_000_000, batches: 1 }],
])('a %s started manually with %j fails immediately, and the error names the expected input', async (type, input) => {
  const workflowId = `${worker.queuePrefix}-${type}-by-hand-${JSON.stringify(input)}`
  const args = input === undefined ? [] : [input]
  const handle = await worker.client.workflow.start(type, { workflowId, taskQueue: worker.taskQueue, args })

  const failure = await handle.result().catch((error: unknown) => error)

  expect(failure).toBeInstanceOf(WorkflowFailedError)
  const sentence = failure instanceof WorkflowFailedError ? failure.cause?.message : ''
  expect(sentence).toBe(
    type === 'proof'
      ? 'The input must be like {"pageSize": 50, "pages": 100}, with pageSize from 1 to 1000 and pages from 1 to 1000.'
      : 'The input must be like {"batchSize": 1000, "batches": 500}, with batchSize from 1 to 10000 and batches from 1 to 1000.',
  )
})

function start<W extends typeof proof | typeof sealAudit | typeof verifying | typeof retention>(
  type: string,
  args: Parameters<W>,
) {
  const workflowId = `${worker.queuePrefix}-${type}-${JSON.stringify(args).length}`
  return worker.client.workflow.start(type, { workflowId, taskQueue: worker.taskQueue, args: [...args] })
}

function decoded(name: string): string {
  return payloadsOf(fresh.get(name))
}
