// Detects whether the page is in use, because background reads must not keep an unused session open.

const activityEvents = ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const
const awayAfterMs = 60_000

/** Opening the page counts as activity. */
let lastActivityMs = performance.now()

for (const name of activityEvents) {
  addEventListener(
    name,
    () => {
      lastActivityMs = performance.now()
    },
    { capture: true, passive: true },
  )
}

export function isAttended(): boolean {
  return performance.now() - lastActivityMs < awayAfterMs
}
