// Documents that were made a moment ago: to make a PDF takes a tenth of a second in which this process does nothing else.

/** The latest `limit` of them; who asks for the same one twice at once waits for one. */
export function createRendered(limit: number): (name: string, render: () => Promise<Buffer>) => Promise<Buffer> {
  const kept = new Map<string, Promise<Buffer>>()
  return (name, render) => {
    const bytes = kept.get(name) ?? render()
    kept.delete(name)
    kept.set(name, bytes)
    bytes.catch(() => kept.delete(name))
    for (const oldest of kept.keys()) {
      if (kept.size <= limit) break
      kept.delete(oldest)
    }
    return bytes
  }
}
