// Every part prefers its usual port, and uses a free one if that is taken.
import { createServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { choosePort, isTaken } from '../../local/ports'

const hasIpv6 = Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === '::1'))

let other: Server

beforeEach(() => {
  other = createServer()
})

afterEach(() => new Promise((resolve) => other.close(resolve)))

test('a free port is kept, a taken one replaced', async () => {
  const free = await choosePort(0)

  expect(await choosePort(free)).toBe(free)

  await listen(free, '127.0.0.1')
  expect(await choosePort(free)).not.toBe(free)
})

test.each(['127.0.0.1', '0.0.0.0', ...(hasIpv6 ? ['::1'] : [])])(
  'a port that is in use on %s is taken',
  async (host) => {
    const port = await choosePort(0)
    expect(await isTaken(port, '0.0.0.0')).toBe(false)

    await listen(port, host)

    expect(await isTaken(port, '0.0.0.0')).toBe(true)
  },
)

function listen(port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    other.once('error', reject)
    other.listen(port, host, resolve)
  })
}
