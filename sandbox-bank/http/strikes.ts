// Applies a fault to a request, before anything is stored or after.
import type { Fault, Faults } from '../control/faults'
import type { Reply } from './answer'

export const requestFaults = ['reset', 'hang', 'status', 'truncated', 'malformed', 'slow_body'] as const

/** Null: the request continues, perhaps later, even if its client has disconnected. */
export async function strikeBefore(faults: Faults, fault: Fault): Promise<Reply | null> {
  if (fault.stage !== 'before') return null
  if (fault.kind === 'hang') return (await faults.hang(fault)) === 'elapsed' ? null : dropped
  if (fault.kind === 'reset') return dropped
  return fault.kind === 'status' ? failure(fault) : null
}

export async function strikeAfter(faults: Faults, fault: Fault, reply: Reply): Promise<Reply> {
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

/** A 500 has its own format. */
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
