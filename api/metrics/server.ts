// GET /metrics on a separate port, so that a proxy that publishes the API does not publish the metrics.
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { MetricsConfig } from '../../runtime/config/config'
import { asText, contentType, createProcessMetrics } from '../../runtime/metrics'
import type { Admission } from '../http/admission'
import { listen, stop } from '../http/listen'
import { type BusinessParts, createBusinessMetrics } from './business'
import type { BankMetrics, RequestMetrics } from './requests'

interface MetricsParts extends BusinessParts {
  readonly requests: RequestMetrics
  readonly bankCalls: BankMetrics
  readonly admission: Pick<Admission, 'metrics'>
}

/** Opens nothing if no port is configured. */
export async function openMetrics(config: MetricsConfig, parts: MetricsParts): Promise<{ close(): Promise<void> }> {
  if (config.apiPort === null) return { close: async () => undefined }
  const server = await createMetricsServer(parts)
  await listen(server, { host: config.host, port: config.apiPort, variable: 'METRICS_PORT' })
  return { close: () => stop(server) }
}

export async function createMetricsServer(all: MetricsParts): Promise<Server> {
  const { requests, bankCalls, admission, ...parts } = all
  const business = createBusinessMetrics(parts)
  const ownFigures = createProcessMetrics()
  await business.start()
  return createServer((request, response) => {
    if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    void answer(response)
  })

  async function answer(response: ServerResponse): Promise<void> {
    const figures = await business.metrics()
    response.writeHead(200, { 'Content-Type': contentType })
    const counted = [requests, bankCalls, admission].flatMap((each) => each.metrics())
    response.end(asText([...figures, ...counted, ...ownFigures()]))
  }
}
