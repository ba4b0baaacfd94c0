// Serves the metrics of an API under test on a separate port.
import { once } from 'node:events'
import { createBankMetrics } from '../../../api/metrics/requests'
import { createMetricsServer } from '../../../api/metrics/server'
import { type Api, portOf } from './client'

export interface MetricsServer {
  readonly url: string
  close(): void
}

export async function startMetrics({ deps }: Pick<Api, 'deps'>): Promise<MetricsServer> {
  const retention = { recipientDays: 400, bankEventDays: 30 }
  const server = await createMetricsServer({ ...deps, retention, bankCalls: createBankMetrics([]) })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
