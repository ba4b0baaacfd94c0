// Reads a request's body as one JSON value, or says exactly why not: 413, 415 or 400.
import type { IncomingMessage } from 'node:http'
import { ApiError } from './errors'

const maxBytes = 64 * 1024
const jsonType = /^application\/json(\s*;\s*charset="?utf-8"?)?\s*$/i
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export async function readJson(request: IncomingMessage): Promise<unknown> {
  // A compressed body is refused unread: its real size is not known before it is unpacked.
  if (request.headers['content-encoding'] !== undefined) throw new ApiError('unsupported_media_type')
  if (!jsonType.test(request.headers['content-type'] ?? '')) throw new ApiError('unsupported_media_type')
  return parseJson(await readBytes(request))
}

/** The body as it came, up to 64 KiB. */
export async function readBytes(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw new ApiError('payload_too_large')
  try {
    return await collect(request)
  } catch (error) {
    // What else fails here is the caller's connection, which must not be taken for trouble of ours.
    throw error instanceof ApiError ? error : new ApiError('bad_request', { message: 'The body did not arrive whole.' })
  } finally {
    // What was not read is dropped, so that the client hears the answer and the connection can be used again.
    request.resume()
  }
}

async function collect(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += chunk.length
    if (length > maxBytes) throw new ApiError('payload_too_large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function parseJson(bytes: Buffer): unknown {
  let value: unknown
  let text: string
  try {
    text = utf8.decode(bytes)
    value = JSON.parse(text)
  } catch {
    throw new ApiError('invalid_json')
  }
  const repeated = repeatedKey(text)
  if (repeated) throw new ApiError('invalid_json', { message: 'The body repeats a key inside one object.' })
  return value
}

/** JSON.parse lets the last of two equal keys win; which of two amounts was meant is not ours to guess. */
function repeatedKey(json: string): boolean {
  const open: (Set<string> | null)[] = []
  for (const [token, text, colon] of json.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/g)) {
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(null)
    else if (token === '}' || token === ']') open.pop()
    else if (text !== undefined && colon !== undefined) {
      const keys = open.at(-1)
      const key: unknown = JSON.parse(text)
      if (keys?.has(String(key))) return true
      keys?.add(String(key))
    }
  }
  return false
}
