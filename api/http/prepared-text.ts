// Serves static texts, each compressed once for each encoding, and compares ETags.
import { createHash } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { Type } from 'typebox'
import type { ApiContext } from './route'
import { Answer } from './schema'

export interface PreparedText {
  readonly type: string
  readonly etag: string
  readonly encoded: Readonly<Record<Encoding, () => Buffer>>
}

type Encoding = 'br' | 'gzip' | 'identity'

export function prepareText(type: string, text: string): PreparedText {
  const identity = Buffer.from(text)
  // The ETag is weak, because all three encodings share it.
  const etag = `W/"${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}"`
  const br = once(() => brotliCompressSync(identity))
  const gzip = once(() => gzipSync(identity))
  return { type, etag, encoded: { br, gzip, identity: () => identity } }
}

/** Computes the value on the first call, so that it does not slow down startup. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

export function answerText(context: ApiContext, { type, etag, encoded }: PreparedText): void {
  context.status = 200
  context.vary('Accept-Encoding')
  context.set('Cache-Control', 'no-cache')
  context.set('ETag', etag)
  // Koa's `fresh` would send the text again to clients that also send `Cache-Control: no-cache`, as fetch in Node
  // does.
  if (matchesEtag(etag, context.get('If-None-Match'))) {
    context.status = 304
    return
  }
  const encoding = chooseEncoding(context)
  if (encoding !== 'identity') context.set('Content-Encoding', encoding)
  context.type = type
  context.body = encoded[encoding]()
}

export function chooseEncoding(context: ApiContext): Encoding {
  if (context.req.headers['accept-encoding'] === undefined) return 'identity'
  const accepted = context.acceptsEncodings('br', 'gzip', 'identity')
  return accepted === 'br' || accepted === 'gzip' ? accepted : 'identity'
}

export const IfNoneMatchHeader = Answer({
  'If-None-Match': Type.Optional(Type.String({ description: 'The ETag of an earlier response.' })),
})

/** If-None-Match is a list or `*`. The comparison is weak. */
export function matchesEtag(etag: string, ifNoneMatch: string): boolean {
  if (ifNoneMatch === '') return false
  const opaque = etag.replace(/^W\//, '')
  return ifNoneMatch.split(',').some((each) => ['*', opaque].includes(each.trim().replace(/^W\//, '')))
}
