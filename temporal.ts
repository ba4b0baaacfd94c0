// The way to the Temporal server for everybody who asks it something; workers bring their own connection.

import { setTimeout as wait } from 'node:timers/promises'
import { Client, Connection, defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client'
import { systemClock } from './clock'
import type { TemporalConfig } from './config'

/** Opens nothing yet: the first call connects, so a process may start before its Temporal server. */
export function connectClient(config: TemporalConfig): Client {
  const connection = Connection.lazy({
    ...serverOf(config),
    interceptors: [retryUntilDeadline],
    // Without a cap the pause between two attempts to reconnect grows to two minutes after an outage.
    channelArgs: { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 2_000 },
  })
  return new Client({ connection, namespace: config.namespace })
}

/** Throws unless the server knows our namespace and says so in time. */
export async function pingTemporal(client: Client, deadlineMs: number): Promise<void> {
  const done = new AbortController()
  try {
    await Promise.race([describeNamespace(client, deadlineMs), tooLate(deadlineMs, done.signal)])
  } finally {
    done.abort()
  }
}

/** Address and credentials in the form both kinds of connection take; an API key never travels in plain text. */
export function serverOf(config: TemporalConfig): { address: string; tls: boolean; apiKey?: string } {
  return config.apiKey === null
    ? { address: config.address, tls: config.tls }
    : { address: config.address, tls: true, apiKey: config.apiKey }
}

/** Longer than the 20 s for which the server itself holds a waiting call open. */
const longestCallMs = 30_000

const retry = makeGrpcRetryInterceptor(defaultGrpcRetryOptions())

/** A call with no deadline waits for ever when no server or worker answers: whoever sets none gets this one. */
const retryUntilDeadline: typeof retry = (options, nextCall) =>
  retry({ ...options, deadline: options.deadline ?? systemClock.now().getTime() + longestCallMs }, nextCall)

async function describeNamespace(client: Client, deadlineMs: number): Promise<void> {
  const { namespace } = client.options
  await client.withDeadline(systemClock.now().getTime() + deadlineMs, () =>
    client.workflowService.describeNamespace({ namespace }),
  )
}

/** The client's own deadline may overshoot by the pause between two retries. */
async function tooLate(deadlineMs: number, signal: AbortSignal): Promise<never> {
  await wait(deadlineMs, null, { signal })
  throw new Error(`Temporal did not answer within ${deadlineMs} ms.`)
}
