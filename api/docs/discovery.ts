// GET / and GET /v1: name, version and documentation of the API.
import { Type } from 'typebox'
import type { ApiDeps } from '../deps'
import { get, type OpenRequest, ok, type Reply, type RouteDocs } from '../http/route'
import { Component, Uri } from '../http/schema'
import { openToAnyone, validate } from '../http/steps'

/** The version of the API description. */
export const apiVersion = '1.3.0'

const Discovery = Component('Discovery', {
  name: Type.String(),
  version: Type.String({ description: 'The version of the API description.' }),
  docs: Uri({ description: 'The documentation of the API.' }),
})

const discoveryDocs = {
  tag: 'Public pages',
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
})

export const getDiscoveryRoute = get('/v1', 'getDiscovery', {
  steps: [openToAnyone, validate(), describeApi],
  ...discoveryDocs,
  summary: 'Retrieve API information',
})

async function describeApi(_request: OpenRequest, { config }: ApiDeps): Promise<Reply> {
  return { body: { name: 'Payouts', version: apiVersion, docs: `${config.publicUrl}/docs` } }
}
