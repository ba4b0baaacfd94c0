// api/invoices/rendered.ts: a document is made once while it is remembered, and a failure is not remembered.
import { expect, test } from '@jest/globals'
import { createRendered } from '../../../api/invoices/rendered'

function aRenderer(limit: number) {
  const made: string[] = []
  const rendered = createRendered(limit)
  const get = (name: string) =>
    rendered(name, async () => {
      made.push(name)
      return Buffer.from(name)
    })
  return { made, get }
}

test('what is asked for again, also at the same moment, is made once', async () => {
  const { made, get } = aRenderer(2)

  const [first, second] = await Promise.all([get('a'), get('a')])
  await get('a')

  expect(made).toEqual(['a'])
  expect(first).toEqual(second)
})

test('the one that was not asked for the longest is forgotten first', async () => {
  const { made, get } = aRenderer(2)

  for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await get(name)

  expect(made).toEqual(['a', 'b', 'c', 'b'])
})

test('a failure is told to who asked, and tried again for the next', async () => {
  const rendered = createRendered(2)

  await expect(rendered('a', () => Promise.reject(new Error('no font')))).rejects.toThrow('no font')

  expect(await rendered('a', async () => Buffer.from('a'))).toEqual(Buffer.from('a'))
})
