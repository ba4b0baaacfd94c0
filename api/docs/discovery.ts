// GET / and GET /v1: the API's name and version, and links to its documentation.
import { Type } from 'typebox'
import type { ApiDeps } from '../deps'
import { get, type OpenRequest, ok, type Reply, type RouteDocs } from '../http/route'
import { Component, Uri } from '../http/schema'
import { openToAnyone, validate } from '../http/steps'

export const apiVersion = '1.3.0'

const Discovery = Component('Discovery', {
  name: Type.String(),
  version: Type.String({ description: 'The version of the API description.' }),
  docs: Uri({ description: 'The documentation of the API.' }),
})

const discoveryDocs = {
  reply: ok('Name, version and documentation.', Discovery, {
    name: 'Payouts',
    version: apiVersion,
    docs: 'https://payouts.example.com/docs',
  }),
} as const satisfies Partial<RouteDocs>

export const getRootRoute = get('/', 'getRoot', {
  steps: [openToAnyone, validate(), describeApi],
  ...discoveryDocs,
  summary: 'Retrieve API information (root path)',
  description: 'A browser, which prefers HTML to JSON, gets a page with links to the dashboard and this reference.',
})

export const getDiscoveryRoute = get('/v1', 'getDiscovery', {
  steps: [openToAnyone, validate(), describeApi],
  ...discoveryDocs,
  summary: 'Retrieve API information',
  description: 'The name and version of the API, and the address of its documentation.',
})

async function describeApi(_request: OpenRequest, { config }: ApiDeps): Promise<Reply> {
  return { body: { name: 'Payouts', version: apiVersion, docs: `${config.publicUrl}/docs` } }
}
