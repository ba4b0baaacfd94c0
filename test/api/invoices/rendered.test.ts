// api/invoices/files.ts: a document is rendered once while it is cached, and a failure is not cached.
import { expect, test } from '@jest/globals'
import { createRenderCache } from '../../../api/invoices/files'

function aRenderer(limit: number) {
  const made: string[] = []
  const rendered = createRenderCache(limit)
  const get = (name: string) =>
    rendered(name, async () => {
      made.push(name)
      return Buffer.from(name)
    })
  return { made, get }
}

test('a document requested twice, even at the same moment, is rendered once', async () => {
  const { made, get } = aRenderer(2)

  const [first, second] = await Promise.all([get('a'), get('a')])
  await get('a')

  expect(made).toEqual(['a'])
  expect(first).toEqual(second)
})

test('the least recently used document is dropped first', async () => {
  const { made, get } = aRenderer(2)

  for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await get(name)

  expect(made).toEqual(['a', 'b', 'c', 'b'])
})

test('a failure is returned to its caller, and the next request tries again', async () => {
  const rendered = createRenderCache(2)

  await expect(rendered('a', () => Promise.reject(new Error('no font')))).rejects.toThrow('no font')

  expect(await rendered('a', async () => Buffer.from('a'))).toEqual(Buffer.from('a'))
})
