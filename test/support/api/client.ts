// Starts the real API on a free port with its own database. Calls fail on any response that the route does not
// document.
import { randomBytes } from 'node:crypto'
import { Agent, request as httpRequest, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { createActivityLog } from '../../../api/controls/activity-log'
import type { ApiDeps } from '../../../api/deps'
import { createAdmission } from '../../../api/http/admission'
import { createRateLimiter, unlimited } from '../../../api/http/callers/rate-limiter'
import { type CostlyReadLimits, costlyReadMs, createCostlyReads, limitsFor } from '../../../api/http/costly-reads'
import { listen, stop } from '../../../api/http/listen'
import { createMailSender } from '../../../api/mail-sender'
import { createRequestMetrics } from '../../../api/metrics/requests'
import { createApi } from '../../../api/server'
import { createRateStore } from '../../../db/bank/exchange-rates'
import { openDatabase } from '../../../db/data-source'
import type { Db } from '../../../db/database'
import { type Keyring, openKeyring } from '../../../db/keyring'
import type { RailName } from '../../../domain/environment'
import { createMailer } from '../../../mail/mailer'
import { createRates, type RateSource } from '../../../rail/rates'
import { createSimulatedRail } from '../../../rail/simulated'
import { simulatedBankOrNone } from '../../../rail/simulated-bank'
import { type Clock, systemClock } from '../../../runtime/clock'
import type { Log } from '../../../runtime/log'
import { connectClient, pingTemporal } from '../../../runtime/temporal/client'
import { createWorkflows } from '../../../runtime/temporal/workflows'
import { createDatabase, openDb } from '../db/database'
import { testSystem } from '../jest/system'
import { keptLog } from '../kept-logs'
import { opened } from '../opened'
import { requirePromised } from './promised'

export interface ApiOptions {
  /** The URL of a database that the test drops itself. By default, a new database is created and dropped. */
  readonly database?: string
  readonly clock?: Clock
  readonly rails?: Partial<Record<RailName, RateSource>>
  /** The prefix of the payout workers' task queues. By default, no worker polls the queues. */
  readonly taskQueuePrefix?: string
  readonly answerTimeoutMs?: number
  /** The default allows for a busy machine. */
  readonly simulateTimeouts?: { readonly connectMs: number; readonly callMs: number }
  readonly temporalAddress?: string
  readonly pollMs?: readonly number[]
  readonly rateLimit?: 'on' | 'off'
  readonly publicUrl?: string
  readonly log?: Log
  readonly signUp?: 'on' | 'off'
  /** The mail server. By default, emails remain in the queue. */
  readonly smtpUrl?: string
  readonly session?: ApiDeps['config']['session']
  readonly trustedProxies?: number
  readonly temporalUiUrl?: string
  readonly mailInboxUrl?: string
  readonly bank?: ApiDeps['config']['bank']
  readonly caseDueMs?: ApiDeps['config']['caseDueMs']
  readonly opsEmail?: string
  readonly supportEmail?: string
  readonly seller?: ApiDeps['config']['seller']
  readonly readLimits?: CostlyReadLimits
  readonly payoutsAtOnce?: number
  /** Replaces the default secret keys. */
  readonly keyring?: Keyring
}

export interface Api {
  readonly url: string
  readonly databaseUrl: string
  readonly db: Db
  readonly keyring: Keyring
  readonly clock: Clock
  /** The dependencies, for a test that pauses a single request. */
  readonly deps: ApiDeps
  /** The HTTP server, for a test about connections. */
  readonly server: Server
  get(path: string, options?: CallOptions): Promise<Answer>
  post(path: string, body: unknown, options?: CallOptions): Promise<Answer>
  /** Sends a request with any method, including those that only the dashboard uses. */
  send(method: Method, path: string, body: unknown, options?: CallOptions): Promise<Answer>
  close(): Promise<void>
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export interface CallOptions {
  /** The secret of an API key. */
  readonly key?: string
  /** A token from `aSession`. The call then appears to come from our own pages, unless `headers` override that. */
  readonly session?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: AnswerBody
  readonly bytes: Buffer
}

/** The fields that tests read. All others have an unknown type. A response without a body has no fields. */
export interface AnswerBody {
  readonly error?: { readonly code: string; readonly message: string; readonly details?: unknown }
  readonly data?: readonly Readonly<Record<string, unknown>>[]
  readonly has_more?: boolean
  readonly next_cursor?: string | null
  readonly [field: string]: unknown
}

/** The origin of our own pages. */
export const testOrigin = 'http://payouts.test'
const mailFrom = { name: 'Payouts', address: 'codes@payouts.test' }

/** The tests' default secret keys. The second one is an older key, which is used only for existing data. */
export const testSecretKeys = [
  { id: 'k2', bytes: Buffer.alloc(32, 2) },
  { id: 'k1', bytes: Buffer.alloc(32, 1) },
]
export const testKeyring = openKeyring(testSecretKeys)

/** The default limits for exchange rates. */
export const testRateLimits = { maxAgeMs: 900_000, midBasisPoints: 200, jumpBasisPoints: 500 }

/** An API for this test file. Pass a function if the options depend on fixtures opened earlier. */
export function useApi(options: ApiOptions | (() => ApiOptions) = {}): Api {
  return opened(
    () => startApi(typeof options === 'function' ? options() : options),
    (api) => api.close(),
  )
}

export async function startApi(options: ApiOptions = {}): Promise<Api> {
  const {
    clock = systemClock,
    rails = { simulated: createSimulatedRail({ clock }) },
    rateLimit = 'off',
    keyring = testKeyring,
  } = options
  const log = options.log ?? keptLog()
  const fresh = options.database === undefined ? await createDatabase() : null
  const databaseUrl = options.database ?? fresh?.url ?? ''
  const db = await openDb(databaseUrl, 10)
  const reading = { url: databaseUrl, poolSize: 4, onError: () => undefined, connectMs: 60_000 }
  const readDb = await openDatabase({ ...reading, statementMs: costlyReadMs })
  const temporal = connectClient({
    address: options.temporalAddress ?? testSystem().temporalAddress,
    namespace: 'default',
    tls: null,
    apiKey: null,
  })
  const activityLog = createActivityLog({ db, clock, log })
  const mailer = options.smtpUrl === undefined ? null : createMailer({ smtpUrl: options.smtpUrl, from: mailFrom })
  const mails = createMailSender({ db, keyring, mailer, clock, log })
  const pollMs = options.pollMs ?? [1_000]
  const { simulateTimeouts = { connectMs: 20_000, callMs: 20_000 } } = options
  const sandboxBank = simulatedBankOrNone(options.bank?.sandbox ?? null, clock, simulateTimeouts)
  const liveBank = simulatedBankOrNone(options.bank?.live ?? null, clock, simulateTimeouts)
  const deps: ApiDeps = {
    config: {
      publicUrl: options.publicUrl ?? testOrigin,
      session: options.session ?? { idleMs: 12 * 3_600_000, absoluteMs: 7 * 86_400_000 },
      signUp: options.signUp ?? 'on',
      trustedProxies: options.trustedProxies ?? 0,
      temporalUiUrl: options.temporalUiUrl ?? null,
      mailInboxUrl: options.mailInboxUrl ?? null,
      bank: options.bank ?? { sandbox: null, live: null },
      caseDueMs: options.caseDueMs ?? { recall: 10 * 86_400_000, trace: 5 * 86_400_000 },
      opsEmail: options.opsEmail ?? null,
      supportEmail: options.supportEmail ?? null,
      seller: options.seller ?? null,
    },
    db,
    admission: createAdmission(options.payoutsAtOnce ?? 1_000),
    costlyReads: createCostlyReads({ db: readDb, limits: options.readLimits ?? limitsFor(1) }),
    keyring,
    rates: createRates({
      rails,
      store: createRateStore(db, testRateLimits),
      limits: testRateLimits,
      clock,
      onRejected: (rail, rejection) => log.warn({ rail, rejection }, 'rejected exchange rate'),
    }),
    workflows: createWorkflows({
      temporal,
      config: {
        taskQueuePrefix: options.taskQueuePrefix ?? `nobody-${randomBytes(6).toString('hex')}`,
        verificationPollMs: pollMs,
        payouts: {
          pollMs,
          get answerTimeoutMs() {
            return options.answerTimeoutMs ?? 300
          },
        },
      },
      log,
    }),
    sandboxBank,
    liveBank,
    mails,
    activityLog,
    rateLimiter: rateLimit === 'on' ? createRateLimiter({ db, clock, log }) : unlimited,
    clock,
    log,
    requests: createRequestMetrics(),
    tracer: null,
    pingTemporal: () => pingTemporal(temporal, 2_000),
  }
  const server = createApi(deps)
  await listen(server, { host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${portOf(server.address())}`
  return {
    url,
    databaseUrl,
    db,
    keyring,
    clock,
    deps,
    server,
    get: (path, call) => send(url, 'GET', path, undefined, call),
    post: (path, body, call) => send(url, 'POST', path, body, call),
    send: (method, path, body, call) => send(url, method, path, body, call),
    close: async () => {
      await stop(server)
      await mails.close()
      mailer?.close()
      sandboxBank?.close()
      liveBank?.close()
      await activityLog.close()
      await temporal.connection.close()
      await readDb.close()
      await db.close()
      await fresh?.drop()
    },
  }
}

export function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}

async function send(
  url: string,
  method: Method,
  path: string,
  body: unknown,
  { key, session, headers = {} }: CallOptions = {},
): Promise<Answer> {
  const reply = await request(url + path, {
    method,
    headers: {
      ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
      ...(session === undefined ? {} : { Cookie: `__Host-session=${session}`, Origin: testOrigin }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? '' : JSON.stringify(body),
  })
  const isJson = reply.bytes.length > 0 && reply.headers.get('Content-Type')?.startsWith('application/json')
  const parsed = isJson ? JSON.parse(reply.bytes.toString('utf8')) : reply.bytes.length > 0 ? '' : {}
  const answer = { ...reply, body: parsed }
  requirePromised(method, path, answer)
  return answer
}

/** Closes an idle connection before the server does, which would make the next request fail. */
const agent = new Agent({ keepAlive: true, timeout: 4_000 })

/** Unlike `fetch`, asks for no compression and follows no redirect, and both sides take less processor time. */
async function request(
  url: string,
  { method, headers, body }: { method: Method; headers: Record<string, string>; body: string },
): Promise<{ status: number; headers: Headers; bytes: Buffer }> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const length = body === '' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
    httpRequest(url, { method, headers: { ...length, ...headers }, agent }, resolve)
      .on('error', reject)
      .end(body)
  })
  const received = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  return { status: response.statusCode ?? 0, headers: new Headers(received), bytes: await buffer(response) }
}
