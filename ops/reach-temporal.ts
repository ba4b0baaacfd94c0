// Connects a command to the Temporal server, with a deadline.
import type { Client } from '@temporalio/client'
import type { TemporalConfig } from '../runtime/config/config'
import type * as connecting from '../runtime/temporal/client'
import { refusalOf } from '../runtime/temporal/refusal'
import type * as starting from '../runtime/temporal/workflows'
import type { Ops } from './connect'
import { OperatorError } from './errors'

type Work<T> = (client: Client, workflows: typeof starting) => Promise<T>

const withinMs = 5_000
const bestEffortMs = 3_000

export async function withTemporal<T>(
  { temporal }: Pick<Ops, 'temporal'>,
  work: Work<T>,
  deadlineMs = withinMs,
): Promise<T> {
  if (temporal === null) throw new OperatorError('Also set TEMPORAL_ADDRESS, to the server that the workers use.')
  try {
    return await reach(temporal, deadlineMs, work)
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal !== null) throw new OperatorError(`Temporal cannot be used: ${refusal}.`)
    if (isUnreachable(error))
      throw new OperatorError('Temporal does not answer: check that it is running, then repeat the command.')
    throw error
  }
}

/**
 * For work that a sweep or the workflow itself would do later anyway. Does nothing if Temporal is not available, and
 * never throws.
 */
export async function tryTemporal({ temporal }: Pick<Ops, 'temporal'>, work: Work<unknown>): Promise<void> {
  if (temporal !== null) await reach(temporal, bestEffortMs, work).catch(() => {})
}

async function reach<T>(temporal: TemporalConfig, ms: number, work: Work<T>): Promise<T> {
  // Temporal's client is loaded only when needed, because loading it takes longer than most commands.
  const { connectClient, deadlineIn }: typeof connecting = require('../runtime/temporal/client')
  const workflows: typeof starting = require('../runtime/temporal/workflows')
  const client = connectClient(temporal)
  try {
    return await client.withDeadline(deadlineIn(ms), () => work(client, workflows))
  } finally {
    await client.connection.close()
  }
}

/** gRPC's DEADLINE_EXCEEDED and UNAVAILABLE, which the client wraps. */
function isUnreachable(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && (cause.code === 4 || cause.code === 14)) return true
  }
  return false
}
