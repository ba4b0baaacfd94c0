// The parts of a request, typed by the schemas that have checked them.
import type { Static, TSchema } from 'typebox'
import type { OpenRequest } from '../route'

export function paramsOf<Schema extends TSchema>(request: OpenRequest): Static<Schema> {
  return checked<Schema>(request.params)
}

export function queryOf<Schema extends TSchema>(request: OpenRequest): Static<Schema> {
  return checked<Schema>(request.query)
}

export function bodyOf<Schema extends TSchema>(request: OpenRequest): Static<Schema> {
  return checked<Schema>(request.body)
}

function checked<Schema extends TSchema>(value: unknown): Static<Schema> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Ajv has checked it before the handler is called.
  return value as Static<Schema>
}
