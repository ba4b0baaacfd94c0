// The bank's only source of the current time, in milliseconds, passed in so that tests can set it.

export interface Clock {
  nowMs(): number
}

export const systemClock: Clock = { nowMs: () => Date.now() }
