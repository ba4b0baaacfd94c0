// Reads a JSON body, or fails with 400, 408, 413, 415 or 422.
import type { IncomingMessage } from 'node:http'
import { ApiError } from '../errors'

const maxBytes = 64 * 1024
const jsonType = /^application\/json(\s*;\s*charset="?utf-8"?)?\s*$/i
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The timeout for reading the body. */
const bodyMs = 5_000

/**
 * More keys than any valid body has. Validation takes time for each key, and unknown callers could send any number of
 * keys.
 */
const maxKeys = 100

/**
 * Returns the error for an unreadable body instead of throwing it, because an unauthorized caller must get the
 * authorization error first.
 */
export async function receiveJson(request: IncomingMessage): Promise<Buffer | ApiError> {
  // A compressed body is refused, because its size is unknown until it is decompressed.
  if (request.headers['content-encoding'] !== undefined) return new ApiError('unsupported_media_type')
  if (!jsonType.test(request.headers['content-type'] ?? '')) return new ApiError('unsupported_media_type')
  return readBytes(request).catch((error: ApiError) => error)
}

/** Reads the raw body, up to 64 KiB. Throws only ApiError. */
export async function readBytes(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw new ApiError('payload_too_large')
  try {
    return await collect(request)
  } catch (error) {
    // Any other failure is caused by the client's connection and is not an internal error.
    throw error instanceof ApiError
      ? error
      : new ApiError('bad_request', { message: 'The body did not arrive completely.' })
  } finally {
    // Discard the rest, so that the client gets the response and the connection can be reused.
    request.resume()
  }
}

/** Uses events: an iterator would create several promises for a body that usually arrives in one chunk. */
function collect(request: IncomingMessage): Promise<Buffer> {
  let timer: NodeJS.Timeout | undefined
  const collected = new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const tooSlow = () => reject(new ApiError('request_timeout', { headers: { Connection: 'close' } }))
    timer = setTimeout(tooSlow, bodyMs)
    // Every request eventually emits `close`, so the error is created only if the body is incomplete.
    const closed = () => (request.readableEnded ? undefined : reject(new Error('the connection was closed')))
    // If the connection closed before this function was called, no event follows.
    if (request.destroyed) closed()
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > maxBytes) reject(new ApiError('payload_too_large'))
      else chunks.push(chunk)
    })
    request.on('end', () => resolve(Buffer.concat(chunks)))
    request.on('error', reject)
    request.on('close', closed)
  })
  return collected.finally(() => clearTimeout(timer))
}

export function parseJson(bytes: Buffer): unknown {
  let value: unknown
  let text: string
  try {
    text = utf8.decode(bytes)
    // The bytes are valid UTF-8, so only an escape sequence can produce a lone surrogate.
    value = surrogateEscape.test(text) ? JSON.parse(text, requireWellFormed) : JSON.parse(text)
  } catch (error) {
    throw error instanceof ApiError ? error : new ApiError('invalid_json')
  }
  const { keys, commas } = separatorsIn(text)
  if (keys > maxKeys || commas > maxKeys)
    throw new ApiError('invalid_request', { details: { errors: [`body (at most ${maxKeys} fields and list items)`] } })
  // JSON.parse keeps the last of two equal keys. We do not guess which of two amounts the caller meant.
  if (keys !== keysRead(value))
    throw new ApiError('invalid_json', { message: 'The body repeats a key inside one object.' })
  return value
}

const surrogateEscape = /\\u[dD][89a-fA-F]/

/** A lone surrogate would be stored as U+FFFD, and different bodies would become equal. */
function requireWellFormed(key: string, value: unknown): unknown {
  if (key.isWellFormed() && (typeof value !== 'string' || value.isWellFormed())) return value
  throw new ApiError('invalid_json', { message: 'The body contains a lone surrogate, such as \\ud800.' })
}

/** In valid JSON, outside of strings, a colon follows every key and nothing else. */
function separatorsIn(json: string): { readonly keys: number; readonly commas: number } {
  let keys = 0
  let commas = 0
  let inText = false
  for (let at = 0; at < json.length; at++) {
    const char = json.charCodeAt(at)
    if (char === quote) inText = !inText
    else if (inText && char === backslash) at++
    else if (!inText && char === colon) keys++
    else if (!inText && char === comma) commas++
  }
  return { keys, commas }
}

const [quote, backslash, colon, comma] = ['"', '\\', ':', ','].map((char) => char.charCodeAt(0))

/** Iterative, because a body may be nested deeper than the stack allows. */
function keysRead(value: unknown): number {
  const objects = [value]
  let count = 0
  for (let object = objects.pop(); object !== undefined; object = objects.pop()) {
    if (typeof object !== 'object' || object === null) continue
    const inner: unknown[] = Object.values(object)
    if (!Array.isArray(object)) count += inner.length
    for (const each of inner) if (typeof each === 'object' && each !== null) objects.push(each)
  }
  return count
}
