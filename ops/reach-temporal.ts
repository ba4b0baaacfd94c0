// Asks the Temporal server something from a command, with an end to the waiting.
import type { Client } from '@temporalio/client'
import type * as reaching from '../runtime/temporal/client'
import { refusalOf } from '../runtime/temporal/refusal'
import type { Ops } from './connect'
import { Trouble } from './trouble'

const withinMs = 5_000

export async function withTemporal<T>(
  { temporal }: Pick<Ops, 'temporal'>,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  if (temporal === null) throw new Trouble('TEMPORAL_ADDRESS must be set too, to the server that the workers use.')
  // Only some commands need Temporal's client, which takes longer to load than most commands to run.
  const { connectClient, deadlineIn }: typeof reaching = require('../runtime/temporal/client')
  const client = connectClient(temporal)
  try {
    return await client.withDeadline(deadlineIn(withinMs), () => work(client))
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal !== null) throw new Trouble(`Temporal can not be used: ${refusal}.`)
    if (isAway(error)) throw new Trouble('Temporal does not answer: see that it runs, then repeat the command.')
    throw error
  } finally {
    await client.connection.close()
  }
}

/** DEADLINE_EXCEEDED and UNAVAILABLE of gRPC, which the client wraps. */
function isAway(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && (cause.code === 4 || cause.code === 14)) return true
  }
  return false
}
