// The way to the Temporal server for everybody who asks it something; workers bring their own connection.

import {
  Client,
  type ClientInterceptors,
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client'
import { systemClock } from '../clock'
import type { TemporalConfig } from '../config/config'
import { serverOf } from './server'

/** Opens nothing yet: the first call connects, so a process may start before its Temporal server. */
export function connectClient(config: TemporalConfig, interceptors: ClientInterceptors = {}): Client {
  const connection = Connection.lazy({
    ...serverOf(config),
    interceptors: [retryUntilDeadline],
    // Without a cap the pause between two attempts to reconnect grows to two minutes after an outage.
    channelArgs: { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 2_000 },
  })
  return new Client({ connection, namespace: config.namespace, interceptors })
}

/** Throws unless the server knows our namespace and says so in time. */
export async function pingTemporal(client: Client, deadlineMs: number): Promise<void> {
  const { namespace } = client.options
  await askWithin(client, deadlineMs, () => client.workflowService.describeNamespace({ namespace }))
}

/**
 * `withDeadline` for a process that also does other things: what it keeps its deadline in makes every promise of the
 * process dearer on Node 20 (a read by about a quarter), and is switched off as soon as nobody waits for Temporal.
 */
export async function askWithin<Answer>(client: Client, ms: number, ask: () => Promise<Answer>): Promise<Answer> {
  const { connection } = client
  asking.set(connection, (asking.get(connection) ?? 0) + 1)
  try {
    return await client.withDeadline(deadlineIn(ms), ask)
  } finally {
    const left = (asking.get(connection) ?? 1) - 1
    asking.set(connection, left)
    if (left === 0 && connection instanceof Connection) connection.callContextStorage.disable()
  }
}

const asking = new WeakMap<Client['connection'], number>()

/** For `withDeadline`, which takes a moment of the machine's own clock. */
export function deadlineIn(ms: number): number {
  return systemClock.now().getTime() + ms
}

/** Longer than the 20 s for which the server itself holds a waiting call open. */
const longestCallMs = 30_000

const { delayFunction, retryableDecider } = defaultGrpcRetryOptions({ maxJitter: 0 })

/**
 * A call without a deadline waits for ever when no server or worker answers: whoever sets none gets one here. And no
 * pause reaches past it: left alone the SDK overshoots, and throws where nobody can catch when the client is closed meanwhile.
 */
const retryUntilDeadline: ReturnType<typeof makeGrpcRetryInterceptor> = (options, nextCall) => {
  const deadline = Number(options.deadline ?? deadlineIn(longestCallMs))
  const retry = makeGrpcRetryInterceptor({
    delayFunction,
    retryableDecider: (attempt, status) =>
      retryableDecider(attempt, status) && deadlineIn(delayFunction(attempt, status)) < deadline,
  })
  return retry({ ...options, deadline }, nextCall)
}
