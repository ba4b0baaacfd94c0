// Waits for a condition instead of a fixed time.
import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves with the first value that is not null, undefined or false. Throws after the time limit. */
export async function until<T>(what: string, probe: () => T | Promise<T>, limitMs = 600_000): Promise<NonNullable<T>> {
  const end = performance.now() + limitMs
  for (;;) {
    const value = await probe()
    if (value !== null && value !== undefined && value !== false) return value
    if (performance.now() > end) throw new Error(`Timed out waiting for: ${what}`)
    await sleep(50)
  }
}
