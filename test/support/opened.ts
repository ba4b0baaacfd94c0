// What a test file opens before its first test and closes after its last one.
import { afterAll, beforeAll } from '@jest/globals'

/** Passes everything on to the opened object, which exists only while tests and hooks run. */
export function opened<T extends object>(open: () => Promise<T>, close: (current: T) => Promise<void>): T {
  let current: T | null = null
  const now = () => {
    if (current === null) throw new Error('It is open only while tests and hooks run.')
    return current
  }
  beforeAll(async () => {
    current = await open()
  })
  afterAll(async () => {
    if (current !== null) await close(current)
    current = null
  })
  const passesOn: ProxyHandler<T> = {
    get: (_, name) => Reflect.get(now(), name),
    has: (_, name) => Reflect.has(now(), name),
    ownKeys: () => Reflect.ownKeys(now()),
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(now(), name),
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the handler passes everything on to a T.
  return new Proxy({} as T, passesOn)
}
