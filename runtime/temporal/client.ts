// Client connections to the Temporal server. Workers use their own kind of connection with the same address and
// credentials.

import {
  Client,
  type ClientInterceptors,
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
  type TLSConfig,
} from '@temporalio/client'
import { systemClock } from '../clock'
import type { TemporalConfig, TemporalTls } from '../config/config'

interface Server {
  readonly address: string
  readonly tls: TLSConfig | false
  readonly apiKey?: string
}

/** The first call connects, so a process may start before its Temporal server. */
export function connectClient(config: TemporalConfig, interceptors: ClientInterceptors = {}): Client {
  const connection = Connection.lazy({
    ...serverOf(config),
    interceptors: [retryUntilDeadline],
    // Without a cap, the reconnect backoff grows to two minutes during an outage.
    channelArgs: { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 2_000 },
  })
  return new Client({ connection, namespace: config.namespace, interceptors })
}

/** Throws unless the server confirms our namespace before the deadline. */
export async function pingTemporal(client: Client, deadlineMs: number): Promise<void> {
  const { namespace } = client.options
  await askWithin(client, deadlineMs, () => client.workflowService.describeNamespace({ namespace }))
}

/**
 * Like `withDeadline`, for a process that also does other work. The SDK stores the deadline in an async context. On
 * Node 20, such a context slows down every promise, and API reads by about a quarter. So the context is disabled while
 * no call is pending.
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

/** Converts a duration for `withDeadline`, which expects a point in time by the system clock. */
export function deadlineIn(ms: number): number {
  return systemClock.now().getTime() + ms
}

/** Must be longer than the 20 s for which the server holds a long poll open. */
const longestCallMs = 30_000

const { delayFunction, retryableDecider } = defaultGrpcRetryOptions({ maxJitter: 0 })

/**
 * Gives every call a deadline, because a call without one waits forever if no server or worker answers. Stops retrying
 * when the next backoff would end after the deadline: otherwise the SDK would exceed it, and would throw an uncatchable
 * error if the client were closed during the backoff.
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

/** Address and credentials in the form that client and worker connections accept. */
export function serverOf({ address, tls, apiKey }: TemporalConfig): Server {
  return { address, tls: tls !== null && tlsOf(tls), ...(apiKey !== null && { apiKey }) }
}

function tlsOf({ ca, serverName, client }: TemporalTls): TLSConfig {
  return {
    ...(ca !== null && { serverRootCACertificate: Buffer.from(ca) }),
    ...(serverName !== null && { serverNameOverride: serverName }),
    ...(client !== null && { clientCertPair: { crt: Buffer.from(client.certificate), key: Buffer.from(client.key) } }),
  }
}
