// Our own Temporal server: never mistaken for another one, and never outliving who started it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { environment } from '../../config'
import { choosePort } from '../../local/ports'
import { startTemporal, type TemporalServer } from '../../local/temporal'
import { servesNamespace } from '../../local/temporal/ready'
import { findTemporalCli } from '../../local/temporal-cli'
import { testSystem } from '../setup/system'

let folder = ''
let running: TemporalServer[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'payouts-temporal-'))
})

afterEach(async () => {
  await Promise.all(running.map((server) => server.stop()))
  running = []
  rmSync(folder, { recursive: true })
})

test('two that prefer the same ports at the same time both serve, each on its own', async () => {
  const [port, uiPort] = [await choosePort(0), await choosePort(0)]
  const cli = await findTemporalCli({ env: environment(), dataDir: folder, report: () => {} })
  const start = async (name: string) => {
    const files = { logFile: join(folder, `${name}.log`), dbFile: join(folder, `${name}.db`) }
    const server = await startTemporal({ cli, ...files, preferredPort: port, preferredUiPort: uiPort })
    running.push(server)
    return server
  }

  const [one, other] = await Promise.all([start('one'), start('other')])

  expect(one.address).not.toBe(other.address)
  expect([one.hasExited(), other.hasExited()]).toEqual([false, false])
  expect(await servesNamespace(one.address, 'default')).toBe(true)
  expect(await servesNamespace(other.address, 'default')).toBe(true)
})

test('a program that ends instead of serving is reported with its own words', async () => {
  const start = startTemporal({
    cli: '/bin/ls',
    logFile: join(folder, 'ls.log'),
    dbFile: null,
    preferredPort: 0,
    preferredUiPort: null,
  })

  await expect(start).rejects.toThrow(/The Temporal server did not start\. It said:\n.*ls:/)
})

test('ready means that the namespace is served, not only that a port is open', async () => {
  const { temporalAddress } = testSystem()

  expect(await servesNamespace(temporalAddress, 'default')).toBe(true)
  expect(await servesNamespace(temporalAddress, 'no-such-namespace')).toBe(false)
  expect(await servesNamespace(`127.0.0.1:${await choosePort(0)}`, 'default')).toBe(false)
})
