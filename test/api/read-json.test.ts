// Reading a body, where it is no matter of routes: what counts as a repeated key, and a client that is gone already.
import { once } from 'node:events'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from '@jest/globals'
import { readBytes, readJson } from '../../api/read-json'

test.each([
  [String.raw`{"a":"\":"}`],
  [String.raw`{"a":"x\":y","b":"{\"b\":1}","c":"\\"}`],
  ['{"a":{"a":{"a":[{"a":1},{"a":2},":"]}}}'],
  ['{"":1,"__proto__":{"":2}}'],
  ['[[],{},null,":",1]'],
])('%s repeats no key', async (json) => {
  expect(await readJson(aRequest(json))).toEqual(JSON.parse(json))
})

test.each([
  ['{"a":1,"a":1}'],
  ['{"a":{"b":1,"b":{}}}'],
  ['[{"a":[{"c":0,"c":0}]}]'],
  [String.raw`{"a":1,"\u0061":2}`],
  ['{"__proto__":1,"__proto__":2}'],
  ['{"a":{"b":1},"a":{"c":2}}'],
])('%s repeats a key', async (json) => {
  await expect(readJson(aRequest(json))).rejects.toMatchObject({ code: 'invalid_json' })
})

test('a client that was gone before its body is read is told apart from trouble of ours', async () => {
  const request = new IncomingMessage(new Socket())
  request.destroy()
  await once(request, 'close')

  await expect(readBytes(request)).rejects.toMatchObject({ code: 'bad_request' })
})

function aRequest(body: string): IncomingMessage {
  const request = new IncomingMessage(new Socket())
  request.headers['content-type'] = 'application/json'
  request.push(body)
  request.push(null)
  return request
}
