// Handles one protocol request, from the API key to the durable response, and applies faults.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Bank } from '../bank'
import type { Faults, Subject } from '../control/faults'
import { customerRoutes } from '../objects/customers'
import { externalAccountRoutes } from '../objects/external-accounts'
import { kycLinkRoutes } from '../objects/kyc-links'
import { liquidationAddressRoutes } from '../objects/liquidation-addresses'
import { rateRoutes } from '../objects/rates'
import { transferRoutes } from '../objects/transfers'
import { virtualAccountRoutes } from '../objects/virtual-accounts'
import { walletRoutes } from '../objects/wallets'
import { webhookRoutes } from '../objects/webhooks'
import type { Settings } from '../settings'
import type { Environment, Put } from '../storage/records'
import { applyFaultAfter, applyFaultBefore, type Reply, requestFaults } from './answer'
import { type Call, momentAt, type Outcome, type Route } from './call'
import { headerRefusal, insufficientFunds, Refusal, refusal } from './errors'
import { valueAt } from './fields'
import { createFinder } from './find-route'
import { createInFlight, type Keyed, readKey, replay } from './idempotency'

export interface Incoming {
  readonly method: string
  readonly url: URL
  readonly apiKey: string | undefined
  readonly idempotencyKey: string | undefined
  readonly body: Buffer
}

const routes: readonly Route[] = [
  ...kycLinkRoutes,
  ...customerRoutes,
  ...walletRoutes,
  ...externalAccountRoutes,
  ...transferRoutes,
  ...rateRoutes,
  ...virtualAccountRoutes,
  ...liquidationAddressRoutes,
  ...webhookRoutes,
]

const findRoute = createFinder('/v0', routes)

/** Throws a Refusal for an error response. */
export function createProtocol({ bank }: { bank: Bank }): (incoming: Incoming) => Promise<Reply> {
  const inFlight = createInFlight()
  const enterRace = createWalletRace()

  return async (incoming) => {
    const { method, url } = incoming
    const environment = environmentOf(bank.settings, incoming.apiKey)
    const { route, params } = findRoute(method, url.pathname)
    const body = parseBody(incoming)
    const subject = subjectOf({ bank, environment, incoming, params, body })
    const fault = bank.faults.take(requestFaults, subject)
    const keyed =
      route.key === 'required' ? readKey(incoming.idempotencyKey, method, url.pathname, incoming.body) : null

    const leave = keyed && (await inFlight.enter(environment, keyed))
    const racer =
      keyed && route.path === '/transfers' ? enterRace(String(valueAt(body, 'source.bridge_wallet_id'))) : null
    try {
      const faulty = fault && (await applyFaultBefore(bank.faults, fault))
      if (faulty) return faulty
      const moment = momentAt(bank, environment)
      const call: Call = {
        ...moment,
        path: url.pathname,
        query: url.searchParams,
        body,
        param: (name) => params.get(name) ?? '',
      }
      const reply = perform(call, route, keyed, () => racer?.check(bank.faults, subject))
      // No response, not even to a read, is sent before all changes are on disk.
      await bank.settled()
      return fault ? await applyFaultAfter(bank.faults, fault, reply) : reply
    } finally {
      racer?.leave()
      leave?.()
    }
  }
}

/** The change and its response are one line of the journal, so that neither is stored without the other. */
function perform(call: Call, route: Route, keyed: Keyed | null, check: () => void): Reply {
  const { bank } = call
  const first = keyed && replay(call, keyed)
  if (first) return whole(first.status, first.body)
  const outcome = attempt(call, route, check)
  const body = JSON.stringify(outcome.body)
  const remember = keyed && (outcome.status < 400 || bank.settings.refusals === 'replayed')
  const memory: Put[] = remember
    ? [
        [
          'remembered',
          { id: keyed.key, fingerprint: keyed.fingerprint, status: outcome.status, body, createdAt: call.now },
        ],
      ]
    : []
  const puts = [...(outcome.puts ?? []), ...memory]
  if (puts.length > 0) bank.commit(call.environment, outcome.what ?? 'request.answered', puts)
  return whole(outcome.status, body)
}

function attempt(call: Call, { handler }: Route, check: () => void): Outcome {
  try {
    check()
    return handler(call)
  } catch (error) {
    if (error instanceof Refusal) return { status: error.status, body: error.body }
    throw error
  }
}

function parseBody({ method, body }: Incoming): unknown {
  if (method === 'GET' || method === 'DELETE' || body.length === 0) return undefined
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw refusal(400, 'invalid_json', 'The body is not valid JSON.')
  }
}

function whole(status: number, body: string): Reply {
  return { status, body, headers: {}, wire: { kind: 'whole' } }
}

/** The environment of an API key. The environments share no data. */
function environmentOf(settings: Settings, apiKey: string | undefined): Environment {
  if (!apiKey) throw headerRefusal(401, 'required', 'Api-Key', 'Missing Api-Key header.')
  if (sameText(apiKey, settings.sandboxKey)) return 'sandbox'
  if (sameText(apiKey, settings.liveKey)) return 'live'
  throw headerRefusal(401, 'invalid', 'Api-Key', 'Invalid Api-Key header.')
}

function sameText(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

interface SubjectParts {
  readonly bank: Bank
  readonly environment: Environment
  readonly incoming: { readonly method: string; readonly url: URL }
  readonly params: ReadonlyMap<string, string>
  readonly body: unknown
}

/** The fields of a request that a fault can match: its path, and the objects that its path and body refer to. */
function subjectOf({ bank, environment, incoming, params, body }: SubjectParts): Subject {
  const transfer = bank.books[environment].transfers.get(params.get('transfer') ?? '')
  return {
    environment,
    method: incoming.method,
    path: incoming.url.pathname,
    ...named('transfer_id', params.get('transfer')),
    ...named('client_reference_id', transfer?.clientReferenceId ?? valueAt(body, 'client_reference_id')),
    ...named(
      'external_account_id',
      transfer?.externalAccountId ?? params.get('account') ?? valueAt(body, 'destination.external_account_id'),
    ),
    ...named('customer_id', transfer?.customerId ?? params.get('customer') ?? valueAt(body, 'on_behalf_of')),
    ...named('wallet_id', transfer?.walletId ?? params.get('wallet') ?? valueAt(body, 'source.bridge_wallet_id')),
  }
}

function named(field: keyof Subject, value: unknown): Subject {
  return typeof value === 'string' ? { [field]: value } : {}
}

interface Racer {
  /** Throws if a fault makes this request lose the race for its wallet. */
  check(faults: Faults, subject: Subject): void
  leave(): void
}

/**
 * Counts the requests that are creating a transfer from each wallet, so that a fault can refuse the loser of a race.
 */
function createWalletRace(): (walletId: string) => Racer {
  const creating = new Map<string, number>()
  return (walletId) => {
    const others = creating.get(walletId) ?? 0
    creating.set(walletId, others + 1)
    return {
      /** The real bank refuses the loser as if the wallet had no money. */
      check(faults, subject) {
        const busy = faults.peek(['busy'], subject)
        if (!busy || (busy.racing === 'only' && others === 0)) return
        faults.take(['busy'], subject)
        throw insufficientFunds()
      },
      leave() {
        const left = (creating.get(walletId) ?? 1) - 1
        if (left === 0) creating.delete(walletId)
        else creating.set(walletId, left)
      },
    }
  }
}
