// The contenders of `npm run bench -- compare`: what each does and promises, and how to start it.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { projectDir } from '../../local/files'
import { choosePort } from '../../local/ports'
import { createProviderRail } from '../../rail/provider'
import { systemClock } from '../../runtime/clock'
import { payoutText } from '../payouts/requests'
import type { Stage } from '../payouts/stage'
import { type Child, type System, startChild } from '../system'
import { ourRecords, peerRecords, peerSchema, type Records, type Work } from './referee'

export interface Contender {
  readonly id: string
  readonly name: string
  readonly work: Work
  /** A contender that answers early has paid only later. */
  readonly answers: 'early' | 'when paid'
  readonly promises: string
  readonly lacks: string
}

/** A contender that runs. */
export interface Running extends Contender {
  readonly port: number
  requestFor(key: string, recipient: number): string
  records(): Promise<Records>
  /** Resolves when every accepted payout is paid. */
  untilPaid(): Promise<void>
  /** Returns when each payout was paid, as milliseconds since 1970. Only for a contender that answers early. */
  paidAt(keys: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** Sets how long the contender's bank takes to answer. */
  setBank(delayMs: number): Promise<void>
}

interface Peer extends Contender {
  readonly file: string
  /** One process for each role. The last one serves HTTP. */
  readonly roles: readonly string[]
}

const resumed = 'resumed after a crash, paid once because the bank knows the key'

const peers: readonly Peer[] = [
  {
    id: 'koa_static',
    name: 'Koa, static answer',
    work: 'none',
    answers: 'when paid',
    promises: 'nothing: it reads and checks the request, and answers',
    lacks: 'all of the work; it is the upper limit of HTTP on this machine',
    file: 'koa.mjs',
    roles: ['static'],
  },
  {
    id: 'koa_rows',
    name: 'Koa + SQL create',
    work: 'rows',
    answers: 'when paid',
    promises: 'one row and one debit for each key',
    lacks: 'the payment: it never calls the bank',
    file: 'koa.mjs',
    roles: ['rows'],
  },
  {
    id: 'koa_inline',
    name: 'Koa + bank inline',
    work: 'paid',
    answers: 'when paid',
    promises: 'one row, one debit and one payment for each key, unless it crashes or the bank fails',
    lacks: 'resuming: a crash or a lost answer leaves money debited and the payout stuck; no retry',
    file: 'koa.mjs',
    roles: ['inline'],
  },
  {
    id: 'temporal_noop',
    name: 'Temporal, no-op workflow',
    work: 'none',
    answers: 'when paid',
    promises: 'nothing: a workflow that returns',
    lacks: 'all of the work; it is the upper limit of one workflow per request',
    file: 'temporal.mjs',
    roles: ['worker', 'noop'],
  },
  {
    id: 'temporal_three',
    name: 'Temporal, three activities',
    work: 'paid',
    answers: 'when paid',
    promises: resumed,
    lacks:
      'a row before the workflow starts, unknown outcomes after the key expires, settlement; recipients are in the history',
    file: 'temporal.mjs',
    roles: ['worker', 'payout'],
  },
  {
    id: 'graphile_worker',
    name: 'graphile-worker 0.17',
    work: 'paid',
    answers: 'early',
    promises: 'row, debit and job in one transaction; at least once, paid once because the bank knows the key',
    lacks:
      'the verdict in the answer; a killed worker locks its jobs for four hours; unknown outcomes after the key expires',
    file: 'graphile-worker.mjs',
    roles: ['worker', 'api'],
  },
  {
    id: 'dbos',
    name: 'DBOS 4.24',
    work: 'paid',
    answers: 'when paid',
    promises: resumed,
    lacks:
      'a takeover by another process without its Conductor service; unknown outcomes after the key expires; recipients are in its tables',
    file: 'dbos.mjs',
    roles: ['serve'],
  },
]

const ours: Contender = {
  id: 'ours',
  name: 'ours',
  work: 'paid',
  answers: 'when paid',
  promises:
    'resumed after a crash, paid once even when the answer is lost for good; authentication, quote, sealed recipient, audit',
  lacks: 'speed: it does the most work for each payout',
}

export const contenders: readonly Contender[] = [...peers, ours]

/** What the peers share: a sandbox bank of their own, so that they cause no events in our system. */
export interface PeerStage {
  readonly databaseUrl: string
  readonly temporalAddress: string
  readonly bankUrl: string
  readonly bankKey: string
  /** The bytes of a transfer, with PAYOUT_ID as its reference. */
  readonly bankBody: string
  close(): Promise<void>
}

const bankKey = 'sk-test-compare'
const hourMs = 3_600_000

export async function openPeerStage(given: Pick<System, 'databaseUrl' | 'temporalAddress'>): Promise<PeerStage> {
  const dataDir = mkdtempSync(join(tmpdir(), 'payouts-compare-'))
  const port = await choosePort(0)
  const settings = {
    port,
    'data-dir': dataDir,
    'sandbox-key': bankKey,
    'pending-ms': hourMs,
    'float-usdc': '1000000000',
  }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])
  const bank = await startChild(join(projectDir(), 'dist/sandbox-bank/main.js'), {}, args)
  const bankUrl = `http://127.0.0.1:${port}`
  return {
    databaseUrl: given.databaseUrl,
    temporalAddress: given.temporalAddress,
    bankUrl,
    bankKey,
    bankBody: await transferBodyAt(bankUrl, bankKey),
    async close() {
      await bank.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Opens a customer with a wallet and a recipient at the bank, and returns the body of a transfer of 1.00 GBP. */
export async function transferBodyAt(bankUrl: string, apiKey: string): Promise<string> {
  const timeouts = { connectMs: 5_000, callMs: 10_000 }
  const rail = createProviderRail({ baseUrl: `${bankUrl}/v0`, apiKey, clock: systemClock, timeouts })
  const about = { legalName: 'Compare Ltd', email: 'compare@payouts.test', redirectUrl: null, key: randomUUID() }
  const customer = await rail.openCustomer(about)
  const customerRef = customer.outcome === 'opened' ? customer.verification.customerRef : null
  if (customerRef === null) throw new Error('The bank opened no customer for the peers.')
  const { walletRef } = await rail.createWallet({ customerRef, chain: 'base', key: randomUUID() })
  const address = { line1: '12 St James Square', line2: null, city: 'London', postalCode: 'SW1Y 4JH', region: null }
  const person = { type: 'individual', firstName: 'Ada', lastName: 'Lovelace', address } as const
  const recipient = { ...person, bankName: 'Barclays', sortCode: '200415', accountNumber: '10000001' }
  const registered = await rail.registerRecipient({ customerRef, recipient, key: randomUUID() })
  if (registered.outcome !== 'registered') throw new Error(`The bank refused the recipient: ${registered.outcome}.`)
  const amounts = { amountPence: 100n, sendsMicroUsdc: 1_300_000n, reference: 'Invoice 1042' }
  const body = rail.transferBody({ payoutId: 'PAYOUT_ID', customerRef, walletRef, ...registered, ...amounts })
  rail.close()
  return body
}

/** Starts one peer with an empty database of its own. The processes are pushed to `children`, for the caller to stop. */
export async function startPeer(id: string, stage: PeerStage, children: Child[]): Promise<Running> {
  const peer = peers.find((each) => each.id === id)
  if (peer === undefined) throw new Error(`There is no peer "${id}".`)
  const databaseUrl = await createDatabase(stage.databaseUrl, `compare_${id}`)
  const port = await choosePort(0)
  const env = {
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: stage.temporalAddress,
    BANK_URL: stage.bankUrl,
    BANK_KEY: stage.bankKey,
    BANK_BODY: stage.bankBody,
    NAME: id,
    PORT: String(port),
  }
  for (const role of peer.roles)
    children.push(await startChild(join(projectDir(), 'bench/peers', peer.file), env, [role]))
  const sql = new Client({ connectionString: databaseUrl })
  await sql.connect()
  children.push({ stop: () => sql.end() })
  return {
    ...peer,
    port,
    requestFor: (key, recipient) => payoutText(key, 'none', recipient),
    records: async () => peerRecords(sql, await transfersAt(stage.bankUrl, `${id}/`)),
    untilPaid: () => untilNone(sql, 'SELECT count(*)::int AS count FROM payouts WHERE transfer_ref IS NULL', peer.work),
    paidAt: (keys) => paidAt(sql, keys),
    setBank: (delayMs) => setBank(stage.bankUrl, delayMs),
  }
}

/** Our own service, through an API that polls the bank once an hour, so that only accepting is measured. */
export async function startOurs(stage: Stage): Promise<Running> {
  const { system, port, sql } = stage
  for (let n = 0; n < topUps; n++) await topUp(system)
  await stage.gate('shut')
  const undecided = `SELECT count(*)::int AS count FROM payouts WHERE verdict_at IS NULL AND released_at IS NULL`
  return {
    ...ours,
    port,
    requestFor: (key, recipient) => payoutText(key, system.sandboxKey, recipient),
    records: async () => ourRecords(sql, system.partnerId, await transfersAt(system.bankUrl, '')),
    untilPaid: () => untilNone(sql, undecided, ours.work),
    paidAt: async () => new Map(),
    setBank: (delayMs) => setBank(system.bankUrl, delayMs),
  }
}

/** Each adds 10,000 USDC, which is enough for about 7,000 payouts. */
const topUps = 5

async function topUp({ port, sandboxKey }: System): Promise<void> {
  const headers = { Authorization: `Bearer ${sandboxKey}`, 'Content-Type': 'application/json' }
  const url = `http://127.0.0.1:${port}/v1/sandbox/top-ups`
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ usdc: '10000.00' }) })
  if (response.status !== 201) throw new Error(`The top-up was refused: ${await response.text()}`)
  await response.arrayBuffer()
}

async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const url = new URL(serverUrl)
  const server = new Client({ connectionString: serverUrl })
  await server.connect()
  await server.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  await server.query(`CREATE DATABASE ${name}`)
  await server.end()
  url.pathname = `/${name}`
  const database = new Client({ connectionString: url.href })
  await database.connect()
  await database.query(peerSchema)
  await database.end()
  return url.href
}

async function untilNone(sql: Client, count: string, work: Work): Promise<void> {
  if (work !== 'paid') return
  while ((await sql.query<{ count: number }>(count)).rows[0]?.count !== 0) await wait(20)
}

async function paidAt(sql: Client, keys: readonly string[]): Promise<Map<string, number>> {
  const text = `SELECT key, extract(epoch FROM paid_at)::float8 * 1000 AS at FROM payouts WHERE key = ANY ($1)`
  const { rows } = await sql.query<{ key: string; at: number }>(text, [keys])
  return new Map(rows.map(({ key, at }) => [key, at]))
}

/** A delay of 0 is as fast as the bank can answer, which includes flushing its journal. */
async function setBank(bankUrl: string, delayMs: number): Promise<void> {
  await fetch(`${bankUrl}/_control/faults`, { method: 'DELETE' })
  if (delayMs === 0) return
  const slow = { kind: 'hang', ms: delayMs, times: null, match: { method: 'POST', path: '/v0/transfers' } }
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(`${bankUrl}/_control/faults`, { method: 'POST', headers, body: JSON.stringify(slow) })
  if (response.status !== 201) throw new Error(`The bank refused the delay: ${await response.text()}`)
}

interface BankTransfer {
  readonly id: string
  readonly client_reference_id: string
  readonly destination: { readonly amount: string }
}

/** The transfers whose reference starts with the prefix. The rest of the reference is the ID of the payout. */
async function transfersAt(bankUrl: string, prefix: string): Promise<Records['transfers']> {
  const response = await fetch(`${bankUrl}/_control/transfers?environment=sandbox`)
  const { data }: { data: BankTransfer[] } = JSON.parse(await response.text())
  return data
    .filter(({ client_reference_id: reference }) => reference.startsWith(prefix))
    .map(({ id, client_reference_id: reference, destination }) => ({
      id,
      payoutId: reference.slice(prefix.length),
      pence: Number(destination.amount.replace('.', '')),
    }))
}
