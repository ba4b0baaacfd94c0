// The current time.
export function now(): Date {
  return new Date()
}
