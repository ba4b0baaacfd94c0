// Stops what start.ts started, last started first, when the last test file is done.

type Stop = () => Promise<void>

const stops: Stop[] = []

/** Jest loads set-up and tear-down apart from each other in one process, so they meet on the global object. */
const shared = globalThis as { payoutsTestStops?: Stop[] }
shared.payoutsTestStops ??= stops

export function onStop(stop: Stop): void {
  shared.payoutsTestStops?.unshift(stop)
}

export default async function stopAll(): Promise<void> {
  for (const stop of shared.payoutsTestStops ?? []) await stop()
}
