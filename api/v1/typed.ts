// A request's parts with the types of the schemas that have checked them: the one place where that is taken on trust.
import type { Static, TSchema } from 'typebox'
import type { ApiRequest } from '../route'

export function paramsOf<Schema extends TSchema>(request: ApiRequest): Static<Schema> {
  return request.params as Static<Schema>
}

export function queryOf<Schema extends TSchema>(request: ApiRequest): Static<Schema> {
  return request.query as Static<Schema>
}

export function bodyOf<Schema extends TSchema>(request: ApiRequest): Static<Schema> {
  return request.body as Static<Schema>
}
