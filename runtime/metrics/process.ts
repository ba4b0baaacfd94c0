// What the process itself uses, under the names that dashboards for Node know.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Metric } from './text'

/** Watches from its first call on. */
export function createProcessFigures(): () => Metric[] {
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  return () => {
    const { user, system } = process.cpuUsage()
    const lagSeconds = delay.count === 0 ? 0 : delay.percentile(99) / 1e9
    delay.reset()
    return [
      one('process_cpu_seconds_total', 'counter', 'Processor time used.', (user + system) / 1e6),
      one('process_resident_memory_bytes', 'gauge', 'Memory used.', process.memoryUsage.rss()),
      one('nodejs_eventloop_lag_p99_seconds', 'gauge', 'How late the event loop was since the last look.', lagSeconds),
    ]
  }
}

function one(name: string, type: Metric['type'], help: string, value: number): Metric {
  return { name, help, type, samples: [{ value }] }
}
