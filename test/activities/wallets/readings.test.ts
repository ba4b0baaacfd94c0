// A deposit is booked within moments of the bank's event. Without an event, the scheduled read of all wallets
// books the deposit.
import { isDeepStrictEqual } from 'node:util'
import { beforeEach, expect, test } from '@jest/globals'
import { registerWebhook } from '../../../activities/bank/webhooks'
import { findBankWebhook } from '../../../db/bank/webhooks'
import { findWallet, type WalletRow } from '../../../db/wallets/wallets'
import type { Environment } from '../../../domain/environment'
import { systemClock } from '../../../runtime/clock'
import type { proof, sweep, walletReadings } from '../../../workflows'
import type { Swept } from '../../../workflows/controls/sweep'
import { useApi } from '../../support/api/client'
import { accessTo, type Json, still, useSandboxBank } from '../../support/bank/client'
import { anAccount, aTransfer } from '../../support/bank/parties'
import { aConnectedPartner, railsTo } from '../../support/stages/payout'
import { useWorker } from '../../support/temporal/a-worker'
import { until } from '../../support/until'

const bank = useSandboxBank({ delaysMs: still, fsync: 'off', controlPort: 0 })
const worker = useWorker(() => ({ clock: systemClock, bank: accessTo(bank) }))
const api = useApi(() => ({ database: worker.databaseUrl, taskQueuePrefix: worker.queuePrefix }))
let partnerId: string
let runs = 0

beforeEach(async () => {
  partnerId = (await aConnectedPartner(worker.db, bank)).id
})
test('without any event, all wallets of both environments are read, page by page', async () => {
  for (let partner = 0; partner < 3; partner++) await aConnectedPartner(worker.db, bank)
  await readAll()
  const before = await balances()
  await deposit('sandbox', '3.00')
  await deposit('live', '5.00')

  await readAll({ pageSize: 1, pages: 2 })

  expect(await balances()).toEqual({ sandbox: before.sandbox + 3_000_000n, live: before.live + 5_000_000n })
})

test.each(['sandbox', 'live'] as const)('a %s bank that hangs delays only its own wallets', async (hanging) => {
  const other = hanging === 'live' ? 'sandbox' : 'live'
  await readAll()
  const before = await balances()
  await deposit('sandbox', '3.00')
  await deposit('live', '3.00')
  const match = { method: 'GET', path: '/v0/wallets/*/history', environment: hanging }
  const fault = await bank.fault({ kind: 'hang', times: null, match })

  const handle = await start()
  await until('the other environment is read', async () => (await balances())[other] > before[other])
  expect((await handle.describe()).status.name).toBe('RUNNING')
  expect((await balances())[hanging]).toBe(before[hanging])
  await bank.control('DELETE', `/faults/${fault}`)
  await handle.result()
  await readAll()
  await readAll()

  expect((await balances())[hanging]).toBe(before[hanging] + 3_000_000n)
})

test('an unavailable bank is skipped, and all its wallets are read within two reads once it is available again', async () => {
  await readAll()
  const before = await balances()
  await deposit('live', '5.00')
  await bank.control('POST', '/outage', { ms: 600_000 })
  await readAll()
  await bank.control('DELETE', '/outage')

  await readAll()
  await readAll()

  expect((await balances()).live).toBe(before.live + 5_000_000n)
})

test('a bank event triggers a read of the wallet, unless it is about a withdrawal or an unknown wallet', async () => {
  await readAll()
  const before = await balances()
  await tellBankOurAddress()
  await deposit('live', '5.00')

  await until('the deposit is booked', async () => (await balances()).live === before.live + 5_000_000n)
  await withdraw()
  await until('the withdrawal event has arrived', async () => (await outcomes()).includes('not_needed'))
  const stranger = await bank.post('/kyc_links', aStranger(), { environment: 'sandbox' })
  await bank.post(`/customers/${stranger.json.customer_id}/wallets`, { chain: 'base' }, { environment: 'sandbox' })
  await until('the event of the unknown wallet has arrived', async () => (await outcomes()).includes('unknown_wallet'))

  expect(await outcomes()).toEqual(['told', 'not_needed', 'unknown_wallet'])
})

test('the sweep enables a webhook that the bank disabled, registers a deleted one again, and events arrive again', async () => {
  await readAll()
  await tellBankOurAddress()
  const before = await balances()
  const refs = { sandbox: await webhookRef('sandbox'), live: await webhookRef('live') }
  await bank.send('PUT', `/webhooks/${refs.sandbox}`, { status: 'disabled' }, { environment: 'sandbox' })
  await bank.send('DELETE', `/webhooks/${refs.live}`, undefined, { environment: 'live' })

  // The bank can need more time to create a webhook than one sweep allows. A later sweep completes the registration.
  await until('both webhooks are active', async () => {
    await sweepAll()
    return (await activeRefs('sandbox')).includes(refs.sandbox) && (await activeRefs('live')).length === 1
  })

  expect(await activeRefs('live')).toEqual([await webhookRef('live')])
  expect(await webhookRef('live')).not.toBe(refs.live)
  await deposit('live', '5.00')
  await deposit('sandbox', '3.00')
  const expected = { sandbox: before.sandbox + 3_000_000n, live: before.live + 5_000_000n }
  await until('both deposits are booked', async () => isDeepStrictEqual(await balances(), expected))
})

test('a bank that does not answer does not stop the sweep', async () => {
  await tellBankOurAddress()
  await bank.control('POST', '/outage', { ms: 600_000 })

  const swept = await sweepAll()

  await bank.control('DELETE', '/outage')
  expect(swept.failed).toBe(0)
})

test('neither a read nor a proof calls the bank for an idle sandbox, but a deposit is still booked', async () => {
  await tellBankOurAddress()
  await readAll()
  await proveAll()
  const before = await balances()
  const { id, walletRef, customerRef } = await walletOf('sandbox')
  await worker.db.dataSource.query(`UPDATE wallets SET updated_at = now() - interval '25 hours' WHERE id = $1`, [id])
  const aim = (path: string) => bank.fault({ kind: 'status', status: 503, times: null, match: { path } })
  const faults = [await aim(`/v0/wallets/${walletRef}*`), await aim(`/v0/customers/${customerRef}*`)]

  await readAll()
  await proveAll()
  const first = await proofOf(id)
  await readAll()
  await proveAll()

  expect(await Promise.all(faults.map((fault) => bank.counts(fault)))).toMatchObject([{ fired: 0 }, { fired: 0 }])
  expect(first.outcome).toBe('idle')
  expect(await proofOf(id)).toEqual(first)

  for (const fault of faults) await bank.control('DELETE', `/faults/${fault}`)
  await deposit('sandbox', '3.00')
  await until('the deposit is booked', async () => (await balances()).sandbox === before.sandbox + 3_000_000n)
  await proveAll()
  expect((await proofOf(id)).outcome).toBe('equal')
})

function start(how = { pageSize: 50, pages: 100 }) {
  runs += 1
  return worker.client.workflow.start<typeof walletReadings>('walletReadings', {
    workflowId: `${worker.queuePrefix}-wallet-readings-${runs}`,
    taskQueue: worker.taskQueue,
    args: [how],
  })
}

async function readAll(how?: { pageSize: number; pages: number }): Promise<void> {
  await (await start(how)).result()
}

function sweepAll(): Promise<Swept> {
  return worker.client.workflow.execute<typeof sweep>('sweep', optionsOf('sweep'))
}

async function webhookRef(environment: Environment): Promise<string> {
  return (await findBankWebhook(worker.db, environment))?.webhookRef ?? ''
}

async function activeRefs(environment: Environment): Promise<string[]> {
  const { json } = await bank.get('/webhooks', { environment })
  return json.data.flatMap(({ id, status }: Json) => (status === 'active' ? [id] : []))
}

async function proveAll(): Promise<void> {
  await worker.client.workflow.execute<typeof proof>('proof', optionsOf('proof'))
}

function optionsOf(name: string) {
  runs += 1
  const args: [{ pageSize: number; pages: number }] = [{ pageSize: 50, pages: 100 }]
  return { workflowId: `${worker.queuePrefix}-${name}-${runs}`, taskQueue: worker.taskQueue, args }
}

async function proofOf(walletId: string): Promise<{ outcome: string; looked_at: Date }> {
  const [row] = await worker.db.dataSource.query('SELECT outcome, looked_at FROM proofs WHERE wallet_id = $1', [
    walletId,
  ])
  return row
}

async function walletOf(environment: Environment): Promise<WalletRow> {
  const wallet = await findWallet(worker.db, partnerId, environment)
  if (wallet === null) throw new Error('a partner must have a wallet')
  return wallet
}

async function balances(): Promise<Record<Environment, bigint>> {
  const [sandbox, live] = [await walletOf('sandbox'), await walletOf('live')]
  return { sandbox: sandbox.balanceMicroUsdc, live: live.balanceMicroUsdc }
}

async function deposit(environment: Environment, amount: string): Promise<void> {
  const { walletRef } = await walletOf(environment)
  await bank.control('POST', `/wallets/${walletRef}/deposits`, { amount })
}

async function withdraw(): Promise<void> {
  const { customerRef, walletRef } = await walletOf('live')
  const asked = { environment: 'live' } as const
  const account = await bank.post(`/customers/${customerRef}/external_accounts`, anAccount(), asked)
  const party = { customer: customerRef ?? '', wallet: walletRef ?? '', account: String(account.json.id) }
  expect((await bank.post('/transfers', aTransfer(party), asked)).status).toBe(201)
}

async function tellBankOurAddress(): Promise<void> {
  // The bank is slow to create a webhook key.
  const rails = railsTo(bank)
  const railOf = { sandbox: rails.provider_sandbox, live: rails.provider_production }
  for (const environment of ['sandbox', 'live'] as const) {
    const deps = { db: worker.db, clock: systemClock, rail: railOf[environment] }
    await registerWebhook(deps, { environment, url: `${api.url}/webhooks/bank` })
  }
  rails.close()
}

function aStranger() {
  const endorsements = ['base', 'faster_payments']
  return { full_name: 'Stranger Ltd', email: 'stranger@example.com', type: 'business', endorsements }
}

async function outcomes(): Promise<string[]> {
  const sql = `SELECT outcome FROM bank_events WHERE category = 'bridge_wallet.activity' ORDER BY received_at`
  const rows: { outcome: string }[] = await worker.db.dataSource.query(sql)
  return rows.map(({ outcome }) => outcome)
}
