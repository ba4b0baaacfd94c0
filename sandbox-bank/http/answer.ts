// Applies faults to responses, and writes responses to the connection, complete or damaged.
import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Fault, Faults } from '../control/faults'

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

/** Sends a TCP reset instead of a normal close, like a bank that crashed or lost its network. */
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

export const requestFaults = ['reset', 'hang', 'status', 'truncated', 'malformed', 'slow_body'] as const

/**
 * Applies a fault before anything is stored. Returns null if the request continues, perhaps later, even if its client
 * has disconnected.
 */
export async function applyFaultBefore(faults: Faults, fault: Fault): Promise<Reply | null> {
  if (fault.stage !== 'before') return null
  if (fault.kind === 'hang') return (await faults.hang(fault)) === 'elapsed' ? null : dropped
  if (fault.kind === 'reset') return dropped
  return fault.kind === 'status' ? failure(fault) : null
}

/** Applies a fault to the response, after any change is stored. */
export async function applyFaultAfter(faults: Faults, fault: Fault, reply: Reply): Promise<Reply> {
  if (fault.kind === 'slow_body') return { ...reply, wire: { kind: 'slow', ms: fault.ms ?? 0 } }
  if (fault.kind === 'truncated' || fault.kind === 'malformed') return { ...reply, wire: { kind: fault.kind } }
  if (fault.stage === 'before') return reply
  if (fault.kind === 'reset') return dropped
  if (fault.kind === 'hang') return (await faults.hang(fault)) === 'elapsed' ? reply : dropped
  return failure(fault)
}

const dropped: Reply = { status: 0, body: '', headers: {}, wire: { kind: 'dropped' } }

function failure(fault: Fault): Reply {
  const status = fault.status ?? 500
  const headers = fault.retry_after === null ? {} : { 'Retry-After': String(fault.retry_after) }
  return { status, body: JSON.stringify(failureBody(status, fault.code)), headers, wire: { kind: 'whole' } }
}

/** The 500 response has its own format. */
function failureBody(status: number, code: string | null): unknown {
  const message = 'The request could not be completed.'
  if (status === 500) return { errors: [{ code: code ?? 'unexpected', message }] }
  return { code: code ?? usualCodes[status] ?? 'external_dependency_failed', message }
}

const usualCodes: Readonly<Record<number, string>> = {
  400: 'bad_request',
  401: 'not_allowed',
  403: 'developer_limits_exceeded',
  404: 'not_found',
  409: 'resource_state_conflict',
  422: 'unprocessable_entity',
  429: 'rate_limited',
}
