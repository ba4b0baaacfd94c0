// Fixtures that a test file opens before its first test and closes after its last one, or opens for each test.
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals'

type Close<T> = (current: T) => void | Promise<void>

/** Opens a fixture before the first test of the file, and closes it after the last one. */
export function opened<T extends object>(open: () => Promise<T>, close: Close<T> = () => undefined): T {
  return openedBy(beforeAll, afterAll, open, close)
}

/** Opens a fixture again for each test. */
export function openedForEach<T extends object>(open: () => Promise<T>, close: Close<T> = () => undefined): T {
  return openedBy(beforeEach, afterEach, open, close)
}

/** Functions that close the open fixtures. The last one is called first, because newer fixtures may use older ones. */
const closings: (() => Promise<void>)[] = []

function openedBy<T extends object>(
  before: typeof beforeAll,
  after: typeof afterAll,
  open: () => Promise<T>,
  close: Close<T>,
): T {
  let current: T | null = null
  const closeThis = async () => {
    const closing = current
    current = null
    if (closing !== null) await close(closing)
  }
  before(async () => {
    current = await open()
    closings.push(closeThis)
  })
  after(async () => {
    while (closings.includes(closeThis)) await closings.pop()?.()
  })
  return forwardingTo(() => {
    if (current === null) throw new Error('It is open only while tests and hooks run.')
    return current
  })
}

/** Forwards everything to the current object, which exists only while tests and hooks run. */
export function forwardingTo<T extends object>(now: () => T): T {
  const passesOn: ProxyHandler<T> = {
    get: (_, name) => Reflect.get(now(), name),
    has: (_, name) => Reflect.has(now(), name),
    ownKeys: () => Reflect.ownKeys(now()),
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(now(), name),
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The handler forwards everything to a T.
  return new Proxy({} as T, passesOn)
}
