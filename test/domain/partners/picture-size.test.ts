// An image's size is read from its header. The tests build valid and invalid headers byte by byte.
import { describe, expect, test } from '@jest/globals'
import { logoMaxPixels, logoOf, pictureSize } from '../../../domain/partners/logo'

const u32 = (n: number) => Buffer.from([n >>> 24, n >>> 16, n >>> 8, n])
const u16 = (n: number) => Buffer.from([n >>> 8, n])
const little = (bytes: Buffer) => Buffer.from(bytes.toReversed())
const ascii = (text: string) => Buffer.from(text, 'latin1')

const png = (width: number, height: number) =>
  Buffer.concat([ascii('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'), u32(width), u32(height), Buffer.alloc(9)])
const jpeg = (width: number, height: number) =>
  Buffer.concat([
    ascii('\xff\xd8\xff\xe0\0\x04\x07\x07\xff\xc4\0\x03\x07\xff\xc2\0\x08\x08'),
    u16(height),
    u16(width),
    ascii('\x01'),
  ])
const webp = (chunk: string, body: Buffer) => {
  const data = Buffer.concat([ascii(`WEBP${chunk}`), little(u32(body.length)), body, Buffer.alloc(10)])
  return Buffer.concat([ascii('RIFF'), little(u32(data.length)), data])
}
const lossy = (width: number, height: number) =>
  webp('VP8 ', Buffer.concat([ascii('\x30\x01\0\x9d\x01\x2a'), little(u16(width)), little(u16(height))]))
const lossless = (width: number, height: number) =>
  webp('VP8L', Buffer.concat([ascii('\x2f'), little(u32((width - 1) | ((height - 1) << 14)))]))
const extended = (width: number, height: number) =>
  webp('VP8X', Buffer.concat([u32(0), little(u32(width - 1)).subarray(0, 3), little(u32(height - 1)).subarray(0, 3)]))

const kinds = [
  ['PNG', 'image/png', png],
  ['JPEG', 'image/jpeg', jpeg],
  ['lossy WebP', 'image/webp', lossy],
  ['lossless WebP', 'image/webp', lossless],
  ['extended WebP', 'image/webp', extended],
] as const

describe.each(kinds)('an image of type %s', (_kind, type, made) => {
  test('reports its size, and is a valid logo up to 2000 pixels a side', () => {
    const max = logoMaxPixels

    expect(pictureSize(type, made(640, 480))).toEqual({ width: 640, height: 480 })
    expect([logoOf(type, made(1, 1)), logoOf(type, made(max, max))]).not.toContain(null)
    expect([logoOf(type, made(max + 1, 1)), logoOf(type, made(1, max + 1))]).toEqual([null, null])
  })

  test('is invalid if it is truncated anywhere within its header', () => {
    const header = type === 'image/webp' ? 30 : made(640, 480).length
    const cut = Array.from({ length: header }, (_, length) => made(640, 480).subarray(0, length))

    expect(cut.map((bytes) => pictureSize(type, bytes))).toEqual(cut.map(() => null))
  })
})

test.each([
  ['a PNG without width', 'image/png', png(0, 1)],
  ['a JPEG without height', 'image/jpeg', jpeg(1, 0)],
  ['a WebP without width', 'image/webp', lossy(0, 1)],
  ['a JPEG without a frame', 'image/jpeg', ascii('\xff\xd8\xff\xe0\0\x04\x07\x07\xff\xda\0\x02')],
  ['a WebP that is shorter than its declared length', 'image/webp', extended(1, 1).subarray(0, -1)],
  ['a WebP of an unknown kind', 'image/webp', webp('VP9 ', Buffer.alloc(20))],
] as const)('%s is not a valid logo', (_what, type, bytes) => {
  expect(logoOf(type, bytes)).toBeNull()
})
