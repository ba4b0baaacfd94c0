// Stops everything that start.ts started, in reverse order, after the last test file.

type Stop = () => Promise<void>

const stops: Stop[] = []

/** Jest loads setup and teardown separately in one process, so they share state through the global object. */
const shared = globalThis as { payoutsTestStops?: Stop[] }
shared.payoutsTestStops ??= stops

export function onStop(stop: Stop): void {
  shared.payoutsTestStops?.unshift(stop)
}

export default async function stopAll(): Promise<void> {
  for (const stop of shared.payoutsTestStops ?? []) await stop()
}
