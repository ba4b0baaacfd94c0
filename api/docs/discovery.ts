// GET / and GET /v1: what this is, which release, and where it is explained (§9).
import { Type } from 'typebox'
import type { Route } from '../http/route'
import { Answer, Uri } from '../http/schema'

/** The release number of the interface description (§9). */
export const apiVersion = '1.3.0'

const Discovery = Answer(
  {
    name: Type.String(),
    version: Type.String({ description: 'The release of the interface description.' }),
    docs: Uri({ description: 'Where the API is explained.' }),
  },
  { title: 'Discovery' },
)

const discovery = {
  method: 'GET',
  tag: 'Discovery',
  summary: 'Name, version and documentation of the API',
  access: { by: 'anyone' },
  reply: {
    status: 200,
    description: 'What this API is.',
    schema: Discovery,
    example: { name: 'Payouts', version: apiVersion, docs: 'https://payouts.example.com/docs' },
  },
  errors: [],
  handle: async (_request, { config }) => ({
    body: { name: 'Payouts', version: apiVersion, docs: `${config.publicUrl}/docs` },
  }),
} as const satisfies Omit<Route, 'path' | 'operationId'>

export const getRoot: Route = { ...discovery, path: '/', operationId: 'getRoot' }
export const getDiscovery: Route = { ...discovery, path: '/v1', operationId: 'getDiscovery' }
