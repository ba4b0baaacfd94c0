// /postman.json is a Postman collection of every operation for API keys, and its requests work as they are.
import { beforeAll, describe, expect, test } from '@jest/globals'
import { useApi } from '../../support/api/client'
import { aKey, aPartner } from '../../support/api/fixtures'

const publicUrl = 'http://payouts.test'

const api = useApi({ publicUrl })
let key: string

beforeAll(async () => {
  key = await aKey(api, await aPartner(api), 'sandbox')
})

describe('the Postman collection', () => {
  let collection: PostmanCollection

  beforeAll(async () => {
    collection = await readJson('/postman.json')
  })

  test('has the format v2.1, with variables for the server and the key', () => {
    expect(collection.info).toMatchObject({ name: 'Payouts API', schema: expect.stringContaining('/v2.1.0/') })
    expect(collection.auth).toMatchObject({ type: 'bearer', bearer: [{ key: 'token', value: '{{api_key}}' }] })
    expect(variable('base_url')).toBe(publicUrl)
    expect(variable('api_key')).toBe('')
  })

  test('has one request for each operation for API keys', async () => {
    const document = await readJson('/openapi.json')
    const requests = items().map(({ request }) => `${request.method} ${request.url.raw.replace('{{base_url}}', '')}`)

    expect(requests.map((each) => each.replaceAll(/:(\w+)|\{\{(\w+)\}\}/g, '{$1$2}')).toSorted()).toEqual(
      operationsIn(document).toSorted(),
    )
  })

  test('has parts that belong together in every request', () => {
    const known = collection.variable.map(({ key: name }) => name)

    for (const { name, request, response } of items()) {
      const { url, header, body } = request
      expect([typeof name, Array.isArray(response), url.host]).toEqual(['string', true, ['{{base_url}}']])
      expect(url.raw).toBe(`${url.host.join('.')}/${url.path.join('/')}`)
      const inPath = url.path.filter((segment) => segment.startsWith(':')).map((segment) => segment.slice(1))
      expect(url.variable.map(({ key: each }) => each)).toEqual(inPath)
      for (const [, used] of JSON.stringify(request).matchAll(/\{\{(\w+)\}\}/g)) expect(known).toContain(used)
      expect(header.some((each) => each.key === 'Content-Type')).toBe(body !== undefined)
    }
  })

  test('creates a quote and a payout when it is sent as it is, and never pays twice', async () => {
    const quote = await sendItem('Create a quote')
    const [first, again] = [await sendItem('Create a payout'), await sendItem('Create a payout')]

    expect([quote.status, first.status, again.status]).toEqual([200, 201, 200])
    expect(JSON.parse(await again.text()).id).toBe(JSON.parse(await first.text()).id)
  })

  function variable(name: string): string | undefined {
    return collection.variable.find((each) => each.key === name)?.value
  }

  function items(): PostmanItem[] {
    return collection.item.flatMap(({ item }) => item)
  }

  /** Sends a request as Postman does: with its variables filled in, and without what is disabled. */
  function sendItem(name: string): Promise<Response> {
    const { method, url, header, body } = items().find((item) => item.name === name)?.request ?? {
      method: '',
      url: { raw: '' },
      header: [],
    }
    const values: Record<string, string | undefined> = { base_url: api.url, api_key: key }
    const filled = (text: string) =>
      text.replaceAll(/\{\{(\w+)\}\}/g, (_, each: string) => values[each] ?? variable(each) ?? '')
    const sent = header.filter(({ disabled }) => !disabled).map((each) => [each.key, filled(each.value)])
    return fetch(filled(url.raw), {
      method,
      headers: { ...Object.fromEntries(sent), Authorization: filled('Bearer {{api_key}}') },
      ...(body && { body: filled(body.raw) }),
    })
  }
})

interface PostmanCollection {
  readonly info: object
  readonly auth: object
  readonly variable: readonly PostmanVariable[]
  readonly item: readonly { readonly item: PostmanItem[] }[]
}

interface PostmanItem {
  readonly name: string
  readonly response: readonly unknown[]
  readonly request: {
    readonly method: string
    readonly header: readonly PostmanVariable[]
    readonly body?: { readonly raw: string }
    readonly url: {
      readonly raw: string
      readonly host: readonly string[]
      readonly path: readonly string[]
      readonly variable: readonly PostmanVariable[]
    }
  }
}

interface PostmanVariable {
  readonly key: string
  readonly value: string
  readonly disabled?: boolean
}

async function readJson(path: string) {
  return JSON.parse(await (await fetch(api.url + path)).text())
}

function operationsIn({ paths }: { paths: Readonly<Record<string, object>> }): string[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
}
