// Routes to read the bank's own records, the oracle that tests compare everything else with.
import { invalid } from '../http/errors'
import { formatDecimal } from '../money'
import { presentTransfer } from '../objects/transfer-json'
import { presentHistory } from '../objects/wallets'
import { type Environment, environments, type Transfer } from '../storage/records'
import { type ControlAnswer, type ControlCall, type ControlRoute, ok } from './call'

export const readingRoutes: readonly ControlRoute[] = [
  { method: 'GET', path: '/health', handler: () => ok({ status: 'ok' }) },
  { method: 'GET', path: '/journal', handler: readJournal },
  { method: 'GET', path: '/transfers', handler: readTransfers },
  { method: 'GET', path: '/wallets', handler: readWallets },
  { method: 'GET', path: '/wallets/:wallet/history', handler: readHistory },
]

const mostLines = 10_000

/** Journal lines after a sequence number, without private keys. Repeat with the last number until the list is empty. */
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
