// Throws if an invariant is broken. Workflows cannot import node:assert, so domain/ has its own assert.

export class BrokenAssertion extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BrokenAssertion'
  }
}

export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new BrokenAssertion(message)
}
