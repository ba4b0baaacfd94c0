// A workflow's history as text: all its strings, including payloads, or only the events with their times.

export function textOfHistory(history: unknown): string {
  const found: string[] = []
  collect(history, found)
  return found.join('\n')
}

/** Returns the last events with their times, which show what a workflow is waiting for. */
export function lastEventsText(history: unknown, last = 25): string {
  const { events = [] } = (history ?? {}) as { events?: readonly HistoryEvent[] }
  return events.slice(-last).map(lineOf).join('\n')
}

interface HistoryEvent extends Readonly<Record<string, unknown>> {
  readonly eventTime?: { readonly seconds?: unknown; readonly nanos?: number } | null
  readonly workflowTaskFailedEventAttributes?: { readonly failure?: { readonly message?: string } | null } | null
}

function lineOf(event: HistoryEvent): string {
  const { seconds = 0, nanos = 0 } = event.eventTime ?? {}
  const at = new Date(Number(seconds) * 1_000 + nanos / 1e6).toISOString().slice(11, 23)
  const kind = Object.keys(event).find((name) => name.endsWith('EventAttributes') && Boolean(event[name]))
  const failure = event.workflowTaskFailedEventAttributes?.failure?.message ?? ''
  return `  ${at} ${kind?.replace('EventAttributes', '') ?? 'something'} ${failure}`.trimEnd()
}

function collect(value: unknown, found: string[]): void {
  if (typeof value === 'string') found.push(value)
  else if (value instanceof Uint8Array) found.push(Buffer.from(value).toString('utf8'))
  else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) collect(each, found)
}
