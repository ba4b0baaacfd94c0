// The control plane: lets tests and developers on this machine set faults, move objects and read the journal.
import type { IncomingMessage } from 'node:http'
import type { Bank } from '../bank'
import type { Reply } from '../http/answer'
import { notFound, refusal } from '../http/errors'
import { createFinder } from '../http/find-route'
import type { Incoming } from '../http/protocol'
import { type Environment, environments } from '../storage/records'
import type { ControlCall, ControlRoute } from './call'
import { faultRoutes } from './fault-routes'
import { handRoutes } from './hand-routes'
import type { Outages } from './outages'
import { readingRoutes } from './reading-routes'

interface ControlRequest {
  readonly bank: Bank
  readonly outages: Outages
  readonly incoming: Incoming
  readonly request: IncomingMessage
}

const routes: readonly ControlRoute[] = [...faultRoutes, ...handRoutes, ...readingRoutes]
const findRoute = createFinder('/_control', routes)

export async function answerControl({ bank, outages, incoming, request }: ControlRequest): Promise<Reply> {
  if (isForeign(request)) throw notFound('address')
  const { route, params } = findRoute(incoming.method, incoming.url.pathname)
  const call: ControlCall = {
    bank,
    outages,
    query: incoming.url.searchParams,
    body: parse(incoming.body),
    param: (name) => params.get(name) ?? '',
    holderOf: (collection, id) => holderOf(bank, collection, id),
  }
  const { status, body } = await route.handler(call)
  await bank.settled()
  return { status, body: JSON.stringify(body, presentable), headers: {}, wire: { kind: 'whole' } }
}

/** IDs are unique across both environments, so the control plane needs no key to find an object. */
function holderOf(bank: Bank, collection: keyof Bank['books'][Environment], id: string): Environment {
  const environment = environments.find((each) => bank.books[each][collection].get(id))
  if (!environment) throw notFound('object')
  return environment
}

/** Whether a request comes from another machine, or from a web page, including one that uses DNS rebinding. */
function isForeign({ socket, headers: { host = '', origin } }: IncomingMessage): boolean {
  return !isLoopback(socket.remoteAddress) || origin !== undefined || !ownName.test(host)
}

const ownName = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(?:::ffff:)?127\.|^::1$/.test(address)
}

function parse(body: Buffer): unknown {
  if (body.length === 0) return {}
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw refusal(400, 'invalid_json', 'The body is not valid JSON.')
  }
}

/** Writes amounts as text and omits private keys, which stay in the journal file. */
function presentable(key: string, value: unknown): unknown {
  if (key === 'privateKey') return undefined
  return typeof value === 'bigint' ? value.toString() : value
}
