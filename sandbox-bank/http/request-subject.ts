// What a fault can be aimed at in a request: its address, and the objects that its address and its body name.
import type { Bank } from '../bank'
import type { Subject } from '../control/faults'
import type { Environment } from '../storage/records'
import { valueAt } from './fields'

export interface SubjectParts {
  readonly bank: Bank
  readonly environment: Environment
  readonly incoming: { readonly method: string; readonly url: URL }
  readonly params: ReadonlyMap<string, string>
  readonly body: unknown
}

export function subjectOf({ bank, environment, incoming, params, body }: SubjectParts): Subject {
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

function named(aim: keyof Subject, value: unknown): Subject {
  return typeof value === 'string' ? { [aim]: value } : {}
}
