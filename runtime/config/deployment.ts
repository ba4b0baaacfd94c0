// What stands around the processes: the proxies before the API, the Prometheus that reads figures, and who gives commands.
import { isProduction } from './production'
import type { Reader } from './reader'

/** Where Prometheus reads; null for a process that it does not. Each has a port, as both may run on one machine. */
export interface MetricsConfig {
  readonly host: string
  readonly apiPort: number | null
  readonly workerPort: number | null
}

/** We speak no TLS, so https ends at a proxy: uncounted, all callers would share its address, and its limits. */
export function readTrustedProxies(read: Reader): number {
  if (read.text('PUBLIC_URL', '').startsWith('https:') && !read.has('TRUSTED_PROXIES')) {
    read.mistakes.push(
      'TRUSTED_PROXIES is required where PUBLIC_URL is https: how many proxies stand before the API, or 0.',
    )
  }
  return read.integer('TRUSTED_PROXIES', 0, 0, 10)
}

/** Loopback unless told otherwise: the figures tell a partner's competitors more than they should know. */
export function readMetrics(read: Reader): MetricsConfig {
  const port = (name: string) => (read.has(name) ? read.integer(name, 0, 1, 65535) : null)
  return {
    host: read.text('METRICS_HOST', '127.0.0.1'),
    apiPort: port('METRICS_PORT'),
    workerPort: port('WORKER_METRICS_PORT'),
  }
}

/** In a container everybody is the same user of the system, so that nobody could tell who it was. */
export function readOpsUser(read: Reader): string | null {
  const user = read.text('OPS_USER', '')
  if (user === '' && isProduction(read))
    read.mistakes.push('OPS_USER is required in production: who you are, as the activity list will tell.')
  if (user !== '' && !/^[A-Za-z0-9_.@+-]{1,60}$/.test(user))
    read.mistakes.push('OPS_USER must be 1 to 60 letters, digits and . _ @ + - without blanks.')
  return user || null
}
