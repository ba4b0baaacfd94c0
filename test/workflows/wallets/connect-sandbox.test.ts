// Connecting a sandbox is durable: it survives an unavailable bank, and waits for the last simulated payout.
import { expect, test } from '@jest/globals'
import { openPartner } from '../../../db/partners/open'
import { findWallet } from '../../../db/wallets/wallets'
import { systemClock } from '../../../runtime/clock'
import { startConnectSandbox } from '../../../runtime/temporal/workflows'
import { connectSandboxId } from '../../../workflows/names'
import { accessTo, type TestBank, useSandboxBank } from '../../support/bank/client'
import { aPayout } from '../../support/db/a-payout'
import { useWorker } from '../../support/temporal/a-worker'
import { until } from '../../support/until'

const bank = useSandboxBank({ fsync: 'off', controlPort: 0, sandboxKyc: 'manual' })
const worker = useWorker(() => ({ clock: systemClock, bank: { ...accessTo(bank), live: null } }))
let partners = 0

test('a sandbox is connected even if the bank is down at first and then reviews the customer', async () => {
  const partnerId = await aPartnerId()
  await bank.control('POST', '/outage', { ms: 600_000 })
  await Promise.all([start(partnerId), start(partnerId), start(partnerId)])
  await until('a request to the bank has failed', async () => {
    const { raw } = await handleOf(partnerId).describe()
    return (raw.pendingActivities?.[0]?.attempt ?? 0) > 1
  })

  await bank.control('DELETE', '/outage')
  const customer = await until('the bank has the customer', async () => customersOf(bank))
  expect(await walletOf(partnerId)).toMatchObject({ rail: 'simulated' })
  await bank.control('POST', `/customers/${customer}/kyc`, { status: 'approved', tos_status: 'approved' })
  await handleOf(partnerId).result()

  expect(await walletOf(partnerId)).toMatchObject({ rail: 'provider_sandbox', balanceMicroUsdc: 10_000_000_000n })
})

test('a sandbox is connected only after the last simulated payout is final', async () => {
  const partnerId = await aPartnerId()
  const wallet = await walletOf(partnerId)
  const { id } = await aPayout(worker.db, {}, wallet)
  const before = (await allCustomers(bank)).length
  await start(partnerId)
  const customer = await until('the bank has the customer', async () => (await allCustomers(bank))[before])
  await bank.control('POST', `/customers/${customer}/kyc`, { status: 'approved', tos_status: 'approved' })
  await until('the wallet was found busy', async () => {
    const { events } = await handleOf(partnerId).fetchHistory()
    return events?.some((event) => event.timerStartedEventAttributes && Number(event.eventId) > 20)
  })
  expect(await walletOf(partnerId)).toEqual(wallet)

  await worker.db.dataSource.query('UPDATE payouts SET closed_at = now() WHERE id = $1', [id])
  await handleOf(partnerId).result()

  expect(await walletOf(partnerId)).toMatchObject({ rail: 'provider_sandbox' })
})

async function aPartnerId(): Promise<string> {
  partners += 1
  const about = { name: 'Acme Ltd', slug: `durable-${partners}`, email: 'ada@acme.test', createdBy: 'ops:grace' }
  const opened = await openPartner({ db: worker.db, clock: systemClock }, about)
  if (opened.outcome !== 'opened') throw new Error(opened.outcome)
  return opened.partner.id
}

async function walletOf(partnerId: string) {
  const wallet = await findWallet(worker.db, partnerId, 'sandbox')
  if (wallet === null) throw new Error('a partner must have a wallet')
  return wallet
}

function start(partnerId: string): Promise<void> {
  return startConnectSandbox({ temporal: worker.client, queuePrefix: worker.queuePrefix }, partnerId)
}

function handleOf(partnerId: string) {
  return worker.client.workflow.getHandle(connectSandboxId(partnerId))
}

async function customersOf(from: TestBank): Promise<string | undefined> {
  return (await allCustomers(from))[0]
}

/** The IDs of all customers, oldest first. */
async function allCustomers(from: TestBank): Promise<string[]> {
  const { json } = await from.get('/customers')
  return json.data.map(({ id }: { id: string }) => id).toReversed()
}
