// Reading and parsing a request body, without a route: repeated keys, lone surrogates, size limits and clients
// that disconnect.
import { once } from 'node:events'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from '@jest/globals'
import { ApiError } from '../../../api/http/errors'
import { parseJson, readBytes, receiveJson } from '../../../api/http/requests/read-json'

test.each([
  [String.raw`{"a":"\":"}`],
  [String.raw`{"a":"x\":y","b":"{\"b\":1}","c":"\\"}`],
  ['{"a":{"a":{"a":[{"a":1},{"a":2},":"]}}}'],
  ['{"":1,"__proto__":{"":2}}'],
  ['[[],{},null,":",1]'],
])('%s is accepted, because it repeats no key', async (json) => {
  expect(await read(json)).toEqual(JSON.parse(json))
})

test.each([
  ['{"a":1,"a":1}'],
  ['{"a":{"b":1,"b":{}}}'],
  ['[{"a":[{"c":0,"c":0}]}]'],
  [String.raw`{"a":1,"\u0061":2}`],
  ['{"__proto__":1,"__proto__":2}'],
  ['{"a":{"b":1},"a":{"c":2}}'],
])('%s is refused, because it repeats a key', async (json) => {
  await expect(read(json)).rejects.toMatchObject({ code: 'invalid_json' })
})

test.each([
  [String.raw`{"a":"\ud83d\ude00"}`],
  [String.raw`{"a":"\\ud800"}`],
  [String.raw`{"\uD83D\uDE00":["\uD83D\uDE00"]}`],
])('%s is accepted, because it has no lone surrogate', async (json) => {
  expect(await read(json)).toEqual(JSON.parse(json))
})

test.each([
  [String.raw`{"a":"A\ud800"}`],
  [String.raw`{"a":"A\uDC00"}`],
  [String.raw`{"a":"\ude00\ud83d"}`],
  [String.raw`{"a":[{"b":"\udfff"}]}`],
  [String.raw`{"\ud800":1}`],
  [String.raw`"\ud800"`],
])('%s is refused, because it has a lone surrogate', async (json) => {
  await expect(read(json)).rejects.toMatchObject({
    code: 'invalid_json',
    message: expect.stringContaining('surrogate'),
  })
})

test('a client that disconnects before its body is read causes no server error', async () => {
  const request = new IncomingMessage(new Socket())
  request.destroy()
  await once(request, 'close')

  await expect(readBytes(request)).rejects.toMatchObject({ code: 'bad_request' })
})

test.each([
  ['100 fields', bodyOf(100, (n) => `"k${n}":"a:b,c"`)],
  [
    '100 fields across several objects',
    `{"a":${bodyOf(50, (n) => `"k${n}":[]`)},"b":${bodyOf(48, (n) => `"k${n}":0`)}}`,
  ],
  ['101 list items', `{"a":[${Array.from({ length: 101 }, () => '0').join()}]}`],
])('a body with %s is accepted', async (_name, json) => {
  expect(await read(json)).toEqual(JSON.parse(json))
})

test.each([
  ['101 fields', bodyOf(101, (n) => `"k${n}":0`)],
  [
    '101 fields across several objects',
    `{"a":${bodyOf(50, (n) => `"k${n}":[]`)},"b":${bodyOf(49, (n) => `"k${n}":0`)}}`,
  ],
  ['102 list items', `{"a":[${Array.from({ length: 102 }, () => '0').join()}]}`],
])('a body with %s is refused before it is validated', async (_name, json) => {
  await expect(read(json)).rejects.toMatchObject({ code: 'invalid_request' })
})

function bodyOf(count: number, field: (n: number) => string): string {
  return `{${Array.from({ length: count }, (_, n) => field(n)).join()}}`
}

async function read(json: string): Promise<unknown> {
  const received = await receiveJson(aRequest(json))
  if (received instanceof ApiError) throw received
  return parseJson(received)
}

function aRequest(body: string): IncomingMessage {
  const request = new IncomingMessage(new Socket())
  request.headers['content-type'] = 'application/json'
  request.push(body)
  request.push(null)
  return request
}
