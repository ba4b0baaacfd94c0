// Input and result of a control plane handler.
import type { Bank } from '../bank'
import type { CollectionName, Environment } from '../storage/records'
import type { Outages } from './outages'

export interface ControlCall {
  readonly bank: Bank
  readonly outages: Outages
  readonly query: URLSearchParams
  readonly body: unknown
  readonly param: (name: string) => string
  /** The environment that contains an object. Throws a 404 if neither does. */
  readonly holderOf: (collection: CollectionName, id: string) => Environment
}

export interface ControlAnswer {
  readonly status: number
  readonly body: unknown
}

export interface ControlRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly handler: (call: ControlCall) => ControlAnswer | Promise<ControlAnswer>
}

export function ok(body: unknown): ControlAnswer {
  return { status: 200, body }
}
