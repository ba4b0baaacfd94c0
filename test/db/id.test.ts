// Row IDs are version 7 UUIDs that contain their creation time.
import { expect, test } from '@jest/globals'
import { newId } from '../../db/id'

test('an ID is a unique version 7 UUID that starts with its creation time', () => {
  const at = new Date('2026-11-15T12:00:00.123Z')

  const ids = Array.from({ length: 100 }, () => newId(at))

  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  for (const id of ids) expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(at.getTime())
  expect(new Set(ids).size).toBe(100)
})

test('IDs sort by creation time', () => {
  const earlier = newId(new Date('2026-11-15T12:00:00.123Z'))
  const later = newId(new Date('2026-11-15T12:00:00.124Z'))

  expect(earlier < later).toBe(true)
})
