// The bank's clock, which tests can replace, and its timers.

export interface Clock {
  nowMs(): number
}

export const systemClock: Clock = { nowMs: () => Date.now() }

export interface Timers {
  /** Null removes the timer. */
  set(name: string, at: number | null, run: () => void): void
  stop(): void
}

/** Just below the limit of setTimeout. Longer waits use several timers. */
const longestMs = 2_147_000_000

/** Named timers: setting a timer again replaces it. They do not keep the process alive. */
export function createTimers({ clock }: { clock: Clock }): Timers {
  const running = new Map<string, NodeJS.Timeout>()
  let stopped = false

  function arm(name: string, at: number, run: () => void): void {
    const waitMs = Math.max(0, at - clock.nowMs())
    const timer = setTimeout(
      () => {
        if (at > clock.nowMs()) return arm(name, at, run)
        running.delete(name)
        run()
      },
      Math.min(waitMs, longestMs),
    )
    timer.unref()
    running.set(name, timer)
  }

  return {
    set(name, at, run) {
      clearTimeout(running.get(name))
      running.delete(name)
      if (at !== null && !stopped) arm(name, at, run)
    },
    stop() {
      stopped = true
      for (const timer of running.values()) clearTimeout(timer)
      running.clear()
    },
  }
}
