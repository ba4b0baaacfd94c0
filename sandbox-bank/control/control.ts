// The control plane: lets tests and developers on this machine set faults, move objects and read the journal.
import type { IncomingMessage } from 'node:http'
import type { Bank } from '../bank'
import type { Reply } from '../http/answer'
import { invalid, notFound, refusal } from '../http/errors'
import { valueAt } from '../http/fields'
import { createFinder } from '../http/find-route'
import type { Incoming } from '../http/protocol'
import { formatDecimal } from '../money'
import { presentTransfer } from '../objects/transfer-json'
import { presentHistory } from '../objects/wallets'
import { type Environment, environments, type Transfer } from '../storage/records'
import { type ControlAnswer, type ControlCall, type ControlRoute, ok } from './call'
import { readFault } from './faults'
import { handRoutes } from './hand-routes'
import type { Outages } from './outages'

interface ControlRequest {
  readonly bank: Bank
  readonly outages: Outages
  readonly incoming: Incoming
  readonly request: IncomingMessage
}

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

/** Routes that set, list and remove faults, and that start and end an outage. */
const faultRoutes: readonly ControlRoute[] = [
  { method: 'POST', path: '/faults', handler: addFault },
  { method: 'GET', path: '/faults', handler: ({ bank }) => ok({ data: bank.faults.list() }) },
  { method: 'DELETE', path: '/faults', handler: resetFaults },
  { method: 'DELETE', path: '/faults/:fault', handler: removeFault },
  { method: 'POST', path: '/outage', handler: beginOutage },
  { method: 'DELETE', path: '/outage', handler: endOutage },
]

const longestOutageMs = 600_000

function addFault({ bank, body }: ControlCall): ControlAnswer {
  return { status: 201, body: bank.faults.add(readFault(body, bank.settings.firstState)) }
}

function resetFaults({ bank }: ControlCall): ControlAnswer {
  bank.faults.reset()
  return ok({ data: [] })
}

function removeFault({ bank, param }: ControlCall): ControlAnswer {
  if (!bank.faults.remove(param('fault'))) throw notFound('fault')
  return ok({ data: bank.faults.list() })
}

/** An outage always has a time limit, because it may also close the port through which it could be ended. */
function beginOutage({ outages, body }: ControlCall): ControlAnswer {
  const ms = valueAt(body, 'ms')
  if (typeof ms !== 'number' || !Number.isSafeInteger(ms) || ms < 1 || ms > longestOutageMs) {
    throw invalid('ms', `ms must be a whole number from 1 to ${longestOutageMs}.`)
  }
  outages.begin(ms)
  return ok({ down: true, ms })
}

async function endOutage({ outages }: ControlCall): Promise<ControlAnswer> {
  await outages.end()
  return ok({ down: outages.isDown() })
}

/** Routes that only read. Tests compare their results with API responses and with our ledger. */
const readingRoutes: readonly ControlRoute[] = [
  { method: 'GET', path: '/health', handler: () => ok({ status: 'ok' }) },
  { method: 'GET', path: '/journal', handler: readJournal },
  { method: 'GET', path: '/transfers', handler: readTransfers },
  { method: 'GET', path: '/wallets', handler: readWallets },
  { method: 'GET', path: '/wallets/:wallet/history', handler: readHistory },
]

const mostLines = 10_000

/**
 * Returns the journal lines after a sequence number, without private keys. Call it again with the last number until
 * the list is empty.
 */
async function readJournal({ bank, query }: ControlCall): Promise<ControlAnswer> {
  const after = numberIn(query, 'after', 0)
  const limit = Math.min(mostLines, numberIn(query, 'limit', mostLines))
  return ok({ data: await bank.readJournal(after, limit) })
}

/** All matching transfers, oldest first, with fields that the protocol does not show. */
function readTransfers({ bank, query }: ControlCall): ControlAnswer {
  const wanted = (name: string, value: string | null) => query.get(name) === null || query.get(name) === value
  const data = environmentsIn(query).flatMap((environment) =>
    bank.books[environment].transfers
      .all()
      .filter((each) => wanted('customer_id', each.customerId) && wanted('client_reference_id', each.clientReferenceId))
      .map((transfer) => ({ environment, ...presentTransfer(transfer), next: presentNext(transfer) })),
  )
  return ok({ count: data.length, data })
}

function presentNext({ next }: Transfer): unknown {
  return next && { state: next.state, at: new Date(next.at).toISOString() }
}

function readWallets({ bank, query }: ControlCall): ControlAnswer {
  const customer = query.get('customer_id')
  const data = environmentsIn(query).flatMap((environment) =>
    bank.books[environment].wallets
      .all()
      .filter(({ customerId }) => customer === null || customer === customerId)
      .map(({ id, customerId, balanceMicro }) => {
        return { environment, id, customer_id: customerId, balance: formatDecimal(balanceMicro, 6) }
      }),
  )
  return ok({ count: data.length, data })
}

/** The complete history, oldest first. */
function readHistory({ bank, param, holderOf }: ControlCall): ControlAnswer {
  const rows = bank.books[holderOf('wallets', param('wallet'))].history.of(param('wallet'))
  return ok({ count: rows.length, data: rows.map(presentHistory) })
}

function environmentsIn(query: URLSearchParams): readonly Environment[] {
  const wanted = query.get('environment')
  return environments.filter((environment) => wanted === null || wanted === environment)
}

function numberIn(query: URLSearchParams, name: string, otherwise: number): number {
  const text = query.get(name)
  if (text === null) return otherwise
  if (!/^\d{1,12}$/.test(text)) throw invalid(name, `${name} must be a whole number.`, 'query')
  return Number(text)
}

const findRoute = createFinder('/_control', [...faultRoutes, ...handRoutes, ...readingRoutes])
