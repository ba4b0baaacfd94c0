// The API inside an explored schedule: its real routes and webhook handling, called without a socket.
import { Readable } from 'node:stream'
import type { Client } from '@temporalio/client'
import { receiveEvent as receive } from '../../api/bank/webhook'
import type { ApiDeps } from '../../api/deps'
import { createAdmission } from '../../api/http/admission'
import { answer } from '../../api/http/answer'
import { unlimited } from '../../api/http/callers/rate-limiter'
import { ApiError } from '../../api/http/errors'
import type { Route } from '../../api/http/route'
import { type ReceivedEvent, storeBankEvents } from '../../db/bank/events'
import { createRateStore } from '../../db/bank/exchange-rates'
import type { Db } from '../../db/database'
import { createRates } from '../../rail/rates'
import type { Log } from '../../runtime/log'
import { createWorkflows, type Workflows } from '../../runtime/temporal/workflows'
import { testKeyring, testRateLimits } from '../support/api/client'
import type { ExploredBank } from './bank'
import type { Process, Schedule } from './schedule'

/** The default values of the settings. */
export const settings = {
  pollMs: [3_000, 5_000, 10_000, 30_000, 60_000, 300_000],
  answerTimeoutMs: 8_000,
  limits: { repeatForMs: 23 * 3_600_000, listLagMs: 600_000, answerWithinMs: 1_500, answerCallMs: 1_000 },
  briefCallMs: 1_000,
  backgroundCallMs: 6_000,
  sweep: { olderThanMs: 10_000, settleWithinMs: 2 * 3_600_000, knownWithinMs: 15 * 60_000 },
}

/** An API process. Its memory is lost when it crashes. */
export interface Api {
  readonly process: Process
  readonly deps: ApiDeps
}

export interface ApiParts {
  readonly schedule: Schedule
  readonly bank: ExploredBank
  readonly db: Db
  readonly temporal: Client
  readonly log: Log
}

export function createApi(name: string, parts: ApiParts): Api {
  const { bank, db, log } = parts
  const { clock } = parts.schedule
  // Contains only the dependencies that the payout routes use.
  const deps = {
    config: { publicUrl: 'http://payouts.test', trustedProxies: 0 },
    db,
    keyring: testKeyring,
    rates: createRates({
      rails: { provider_production: bank.rail(settings.briefCallMs) },
      store: createRateStore(db, testRateLimits),
      limits: testRateLimits,
      clock,
      onRejected: (rail, rejection) => log.warn({ rail, rejection }, 'rejected exchange rate'),
    }),
    admission: createAdmission(64),
    workflows: workflowsFor(parts),
    rateLimiter: unlimited,
    clock,
    log,
  }
  return { process: { name, alive: true }, deps: deps as unknown as ApiDeps }
}

export function workflowsFor({ temporal, log }: Pick<ApiParts, 'temporal' | 'log'>): Workflows {
  const { answerTimeoutMs, pollMs } = settings
  const config = { taskQueuePrefix: 'payouts', verificationPollMs: pollMs, payouts: { answerTimeoutMs, pollMs } }
  return createWorkflows({ temporal, config, log })
}

/** Handles an event as the webhook route does after verifying its signature, but stores each event alone. */
export async function receiveEvent(deps: ApiDeps, event: ReceivedEvent): Promise<void> {
  try {
    await receive(event, (handled) => storeBankEvents(deps.db, [handled]), deps)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
}

export interface Called {
  readonly headers: Readonly<Record<string, string>>
  readonly params: Readonly<Record<string, string>>
  readonly body?: unknown
}

export interface ApiAnswer {
  readonly http: number
  readonly json: Readonly<Record<string, unknown>>
  readonly code: string | null
  /** The payout's status in the error details, if the error has one. */
  readonly details: string | null
}

/** Runs the route's authentication, checks and handler as Koa does. */
export async function callApi(route: Route, deps: ApiDeps, { headers, params, body }: Called): Promise<ApiAnswer> {
  const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body))
  const sent = { ...headers, 'content-type': 'application/json', 'content-length': String(bytes.length) }
  const req = Object.assign(Readable.from([bytes]), { headers: sent, socket: { remoteAddress: '127.0.0.1' } })
  const state = { requestId: 'explorer', route: null, caller: null, activityWritten: false, subject: null }
  const get = (name: string) => new Map(Object.entries(sent)).get(name.toLowerCase()) ?? ''
  const context = { state, params, get, req, res: { setHeader: () => {} }, querystring: '', method: route.method }
  const answered: { status?: number; body?: string } = context as object
  try {
    await answer(route, deps)(context as unknown as Parameters<ReturnType<typeof answer>>[0])
    const json: Readonly<Record<string, unknown>> = JSON.parse(answered.body ?? '{}')
    return { http: answered.status ?? 200, json, code: null, details: null }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const details = error.options.details as { status?: string } | undefined
    return { http: error.status, json: {}, code: error.code, details: details?.status ?? null }
  }
}
