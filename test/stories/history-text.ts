// Everything that can be read in a workflow's history, payloads included, as one text.

export function textOfHistory(history: unknown): string {
  const found: string[] = []
  collect(history, found)
  return found.join('\n')
}

function collect(value: unknown, found: string[]): void {
  if (typeof value === 'string') found.push(value)
  else if (value instanceof Uint8Array) found.push(Buffer.from(value).toString('utf8'))
  else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) collect(each, found)
}
