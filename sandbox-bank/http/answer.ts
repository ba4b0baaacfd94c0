// Writes a response to the connection: complete, or damaged as a fault requires.
import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

type Wire =
  | { readonly kind: 'whole' }
  | { readonly kind: 'dropped' }
  | { readonly kind: 'truncated' }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'slow'; readonly ms: number }

export interface Reply {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly wire: Wire
}

const slowPieces = 10

export async function writeReply(response: ServerResponse, reply: Reply): Promise<void> {
  const { wire } = reply
  if (wire.kind === 'dropped') return drop(response)
  const body = wire.kind === 'malformed' ? reply.body.replace('"', '') : reply.body
  response.writeHead(reply.status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    ...reply.headers,
  })
  if (wire.kind === 'truncated') return truncate(response, body)
  if (wire.kind === 'slow') await writeSlowly(response, Buffer.from(body), wire.ms)
  else response.write(body)
  response.end()
}

/** A TCP reset instead of a normal close, as from a crashed or disconnected bank. */
function drop(response: ServerResponse): void {
  response.socket?.resetAndDestroy()
}

function truncate(response: ServerResponse, body: string): void {
  const half = Buffer.from(body).subarray(0, Math.floor(Buffer.byteLength(body) / 2))
  response.write(half, () => response.socket?.destroy())
}

async function writeSlowly(response: ServerResponse, body: Buffer, ms: number): Promise<void> {
  const size = Math.ceil(body.length / slowPieces)
  for (let from = 0; from < body.length && !response.destroyed; from += size) {
    await pause(ms / slowPieces, undefined, { ref: false })
    response.write(body.subarray(from, from + size))
  }
}
