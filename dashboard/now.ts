// The present moment, asked for in one place.
export function now(): Date {
  return new Date()
}
