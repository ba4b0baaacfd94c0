// The one source of the present moment, in milliseconds, passed in so that tests can choose it.

export interface Clock {
  nowMs(): number
}

export const systemClock: Clock = { nowMs: () => Date.now() }
