// Our own Temporal server: never mistaken for another one, and never outliving who started it.
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { environment } from '../../config'
import { choosePort } from '../../local/ports'
import { commandLineOf } from '../../local/process/identity'
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

test('a server is not mistaken for another one that took its port first', async () => {
  const real = await findTemporalCli({ env: environment(), dataDir: folder, report: () => {} })
  const cli = beatenToItsPortOnce(real)

  const server = await start(cli)

  expect(existsSync(join(folder, 'beaten'))).toBe(true)
  expect(commandLineOf(server.pid)).toContain(real)
  expect(await servesNamespace(server.address, 'default')).toBe(true)
})

test('only its owner may read what it stores', async () => {
  const cli = await findTemporalCli({ env: environment(), dataDir: folder, report: () => {} })
  const dbFile = join(folder, 'private.db')
  const logFile = join(folder, 'private.log')
  running.push(await startTemporal({ cli, logFile, dbFile, preferredPort: 0, preferredUiPort: null }))

  const stored = readdirSync(folder).filter((name) => name.startsWith('private.'))

  expect(stored).toContain('private.db')
  expect(stored.filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0)).toEqual([])
})

test('a program that ends instead of serving is reported with its own words', async () => {
  await expect(start('/bin/ls')).rejects.toThrow(/The Temporal server did not start\. It said:\n.*ls:/)
})

test('ready means that the namespace is served, not only that a port is open', async () => {
  const { temporalAddress } = testSystem()

  expect(await servesNamespace(temporalAddress, 'default')).toBe(true)
  expect(await servesNamespace(temporalAddress, 'no-such-namespace')).toBe(false)
  expect(await servesNamespace(`127.0.0.1:${await choosePort(0)}`, 'default')).toBe(false)
})

async function start(cli: string): Promise<TemporalServer> {
  const logFile = join(folder, 'temporal.log')
  const server = await startTemporal({ cli, logFile, dbFile: null, preferredPort: 0, preferredUiPort: null })
  running.push(server)
  return server
}

/** On its first call it fails late, as a server does whose port is taken, while another server answers on that port. */
function beatenToItsPortOnce(real: string): string {
  const [host, port] = testSystem().temporalAddress.split(':')
  const other = `
    const net = require('node:net')
    const port = Number(process.argv.find((each) => each.startsWith('--port=')).slice(7))
    net.createServer((one) => one.on('error', () => {}).pipe(net.connect(${port}, '${host}')).pipe(one)).listen(port, '127.0.0.1')
    setTimeout(() => process.exit(), 3000)`
  writeFileSync(join(folder, 'other.js'), other)
  const path = join(folder, 'cli')
  const beaten = `'${process.execPath}' '${folder}/other.js' "$@" & sleep 2; echo 'bind: address already in use'; exit 1`
  const script = `[ -e '${folder}/beaten' ] || { touch '${folder}/beaten'; ${beaten}; }\nexec '${real}' "$@"`
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return path
}
