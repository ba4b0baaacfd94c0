// Every part prefers its usual port, uses a free one if that is taken, and keeps its port across restarts.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { choosePort, isTaken, openKeptPorts } from '../../local/ports'

const hasIpv6 = Object.values(networkInterfaces()).some((each) => each?.some(({ address }) => address === '::1'))

let other: Server

beforeEach(() => {
  other = createServer()
})

afterEach(() => new Promise((resolve) => other.close(resolve)))

test('a free port is kept, and a taken one is replaced', async () => {
  const free = await choosePort(0)

  expect(await choosePort(free)).toBe(free)

  await listen(free, '127.0.0.1')
  expect(await choosePort(free)).not.toBe(free)
})

test('a chosen port is below the default ranges for outgoing connections', async () => {
  expect(await choosePort(0)).toBeLessThan(32_768)
})

test('no random port is chosen twice, even before its server listens', async () => {
  const ports = new Set<number>()
  for (let count = 0; count < 500; count++) ports.add(await choosePort(0))

  expect(ports.size).toBe(500)
})

test.each(['127.0.0.1', '0.0.0.0', ...(hasIpv6 ? ['::1'] : [])])(
  'a port that is in use on %s counts as taken',
  async (host) => {
    const port = await choosePort(0)
    expect(await isTaken(port, '0.0.0.0')).toBe(false)

    await listen(port, host)

    expect(await isTaken(port, '0.0.0.0')).toBe(true)
  },
)

describe('the ports of a system', () => {
  const none = { TEMPORAL_UI_PORT: null, SANDBOX_BANK_PORT: null, MAIL_INBOX_PORT: null }
  let dataDir = ''
  const open = (setPorts: Partial<typeof none | Record<keyof typeof none, number>> = {}, port = 3000) =>
    openKeptPorts({ dataDir, port, setPorts: { ...none, ...setPorts } })

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'payouts-ports-'))
  })
  afterEach(() => rmSync(dataDir, { recursive: true }))

  test('are the usual ones at first, and afterwards those of the last start', () => {
    expect([open().preferred('temporalUi'), open().preferred('bank'), open().preferred('inbox')]).toEqual([
      8233, 8300, 8025,
    ])

    open().keep('bank', 40_001)
    open().keep('inbox', 40_002)

    expect([open().preferred('temporalUi'), open().preferred('bank'), open().preferred('inbox')]).toEqual([
      8233, 40_001, 40_002,
    ])
  })

  test('are those in the settings, and no other server uses them', () => {
    open().keep('bank', 40_001)

    const ports = open({ SANDBOX_BANK_PORT: 40_003, MAIL_INBOX_PORT: 8233 }, 7233)

    expect([ports.preferred('bank'), ports.preferred('inbox')]).toEqual([40_003, 8233])
    expect([ports.preferred('temporalUi'), ports.preferred('temporal')]).toEqual([0, 0])
  })

  test('are the defaults if ports.json is damaged', () => {
    writeFileSync(join(dataDir, 'ports.json'), '{"bank":')

    expect(open().preferred('bank')).toBe(8300)
  })
})

function listen(port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    other.once('error', reject)
    other.listen(port, host, resolve)
  })
}
