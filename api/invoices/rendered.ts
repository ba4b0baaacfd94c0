// Caches rendered documents: rendering a PDF blocks the process for a tenth of a second.

/** Keeps the latest `limit` documents. Concurrent requests for the same document share one rendering. */
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
