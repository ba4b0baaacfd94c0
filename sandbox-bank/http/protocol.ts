// One request of the wire protocol from the key to the durable answer, with the faults that can strike on the way.
import type { Bank } from '../bank'
import type { Put } from '../storage/records'
import type { Reply } from './answer'
import { environmentOf } from './authenticate'
import { type Call, momentAt, type Outcome, type Route } from './call'
import { Refusal, refusal } from './errors'
import { valueAt } from './fields'
import { createInFlight, type Keyed, readKey, replay } from './idempotency'
import { subjectOf } from './request-subject'
import { findRoute } from './routes'
import { requestFaults, strikeAfter, strikeBefore } from './strikes'
import { createWalletRace } from './wallet-race'

export interface Incoming {
  readonly method: string
  readonly url: URL
  readonly apiKey: string | undefined
  readonly idempotencyKey: string | undefined
  readonly body: Buffer
}

/** Throws a Refusal for what it refuses. */
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
      const struck = fault && (await strikeBefore(bank.faults, fault))
      if (struck) return struck
      const moment = momentAt(bank, environment)
      const call: Call = {
        ...moment,
        path: url.pathname,
        query: url.searchParams,
        body,
        param: (name) => params.get(name) ?? '',
      }
      const reply = perform(call, route, keyed, () => racer?.check(bank.faults, subject))
      // What is not on disk yet has not happened: a read waits for it as the write itself does.
      await bank.settled()
      return fault ? await strikeAfter(bank.faults, fault, reply) : reply
    } finally {
      racer?.leave()
      leave?.()
    }
  }
}

/** The change and the memory of its answer are one line of the journal: neither is ever there without the other. */
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
