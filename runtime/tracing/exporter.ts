// Sends finished spans in batches, and lets them go rather than keep anybody waiting: who adds one never notices the collector.
import type { Log } from '../log'
import { exportRequest } from './otlp'
import { type Collector, createSender } from './sender'
import type { Attributes, FinishedSpan } from './span'

export interface Exporter {
  /** Never waits and never throws. */
  add(span: FinishedSpan): void
  /** How many spans were lost since the collector last took some. */
  lost(): number
  /** Sends what is left, as far as that goes in time; never throws. */
  close(): Promise<void>
}

export interface ExporterOptions {
  readonly collector: Collector
  /** Who sends. */
  readonly resource: Attributes
  readonly log: Log
  readonly limits?: Partial<Limits>
}

export interface Limits {
  readonly batchMax: number
  /** About a kilobyte each. */
  readonly queueMax: number
  /** What does not fill a batch waits no longer. */
  readonly everyMs: number
  readonly postWithinMs: number
  readonly closeWithinMs: number
}

const usual: Limits = { batchMax: 512, queueMax: 4_096, everyMs: 1_000, postWithinMs: 5_000, closeWithinMs: 1_000 }

export function createExporter({ collector, resource, log, limits }: ExporterOptions): Exporter {
  const { batchMax, queueMax, everyMs, postWithinMs, closeWithinMs } = { ...usual, ...limits }
  const queue: FinishedSpan[] = []
  const sender = createSender(collector, postWithinMs)
  let sending: Promise<void> | null = null
  let lost = 0
  let inTrouble = false

  function trouble(why: string): void {
    if (!inTrouble) log.warn({ why }, 'traces can not be sent, and are dropped when there are too many')
    inTrouble = true
  }
  /** While more comes in than goes out the trouble is not over: said once, not with every batch. */
  function taken(): void {
    if (!inTrouble || queue.length > queueMax / 2) return
    log.info({ spans_lost: lost }, 'traces are sent again')
    inTrouble = false
    lost = 0
  }

  /** What is there now and no more: what comes meanwhile gathers for the next time. */
  async function sendQueue(): Promise<void> {
    for (let left = queue.length; left > 0; ) {
      const batch = queue.slice(0, Math.min(left, batchMax))
      const posted = await sender.post(exportRequest(resource, batch))
      if (posted.outcome === 'later') return trouble(posted.why)
      queue.splice(0, batch.length)
      left -= batch.length
      if (posted.outcome === 'taken') taken()
      else {
        lost += batch.length
        return trouble(posted.why)
      }
    }
  }
  function send(): Promise<void> {
    sending ??= sendQueue().finally(() => {
      sending = null
    })
    return sending
  }

  const timer = setInterval(() => void send(), everyMs).unref()
  return {
    add(span) {
      if (queue.length >= queueMax) {
        lost += 1
        return trouble('too many')
      }
      queue.push(span)
      if (queue.length >= batchMax && !inTrouble) void send()
    },
    lost: () => lost,
    async close() {
      clearInterval(timer)
      const cutOff = setTimeout(() => sender.end(), closeWithinMs)
      await sending
      await send()
      clearTimeout(cutOff)
      if (queue.length + lost > 0) log.warn({ spans_lost: queue.length + lost }, 'traces were lost')
    },
  }
}
