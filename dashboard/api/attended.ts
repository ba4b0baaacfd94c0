// Whether somebody is at the page: what it reads by itself must not keep a session open that nobody uses.

const signs = ['pointerdown', 'keydown', 'wheel', 'touchmove'] as const
const awayAfterMs = 60_000

/** Whoever has just opened the page is there. */
let lastSignMs = performance.now()

for (const sign of signs) {
  addEventListener(
    sign,
    () => {
      lastSignMs = performance.now()
    },
    { capture: true, passive: true },
  )
}

export function isAttended(): boolean {
  return performance.now() - lastSignMs < awayAfterMs
}
