// Stops a bug where it happens; domain/ has its own because workflows can not import node:assert.

export class BrokenAssertion extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BrokenAssertion'
  }
}

export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new BrokenAssertion(message)
}
