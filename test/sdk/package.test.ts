// The packed SDK as its users get it: both module systems, types, size, and the examples of its README.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { writeGuide } from '../../api/docs/guide'
import { usePayoutWorld } from '../support/api/payout-world'
import { quick } from '../support/bank/client'
import { opened } from '../support/opened'
import { read, root } from '../support/source-imports'

const world = usePayoutWorld({ bank: { delaysMs: quick } })
const run = promisify(execFile)
const sdk = join(root, 'sdk/typescript')
const manifest = JSON.parse(read('sdk/typescript/package.json'))

interface Packed {
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}

/** A project with the packed SDK installed. */
const project = opened(
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sdk-user-'))
    await run(process.execPath, [join(sdk, 'build.mjs')])
    const packed = await run('npm', ['pack', sdk, '--json', '--ignore-scripts', '--pack-destination', folder])
    const [{ filename, files }]: [Packed] = JSON.parse(packed.stdout)
    writeFileSync(join(folder, 'package.json'), '{"private":true}')
    await run('npm', ['install', '--offline', '--no-audit', join(folder, filename)], { cwd: folder })
    return { folder, filename, files: files.map(({ path }) => path) }
  },
  ({ folder }) => rmSync(folder, { recursive: true }),
)

const node = (args: readonly string[], env: Record<string, string> = {}) =>
  run(process.execPath, args, { cwd: project.folder, env: { PATH: process.env['PATH'], ...env } })

test('the package has the version of the API, no dependencies, and only built files', () => {
  expect(manifest.version).toBe(JSON.parse(read('package.json')).version)
  expect(manifest).not.toHaveProperty('dependencies')
  expect(read('sdk/typescript/README.md')).toContain(project.filename)
  expect(
    project.files.filter(
      (file) => !/^(dist\/[\w-]+(\.d)?\.[cm][jt]s|package\.json|README\.md|dist\/LICENSE)$/.test(file),
    ),
  ).toEqual([])
  expect(readFileSync(join(sdk, 'dist/LICENSE'), 'utf8')).toBe(read('LICENSE'))
})

test('import and require load the same exports', async () => {
  const print = 'console.log(JSON.stringify(Object.keys(sdk).filter((name) => name !== "default").sort()))'

  const esm = await node(['--input-type=module', '-e', `import * as sdk from 'payouts-sdk'; ${print}`])
  const cjs = await node(['-e', `const sdk = require('payouts-sdk'); ${print}`])

  expect(JSON.parse(esm.stdout)).toContain('createClient')
  expect(cjs.stdout).toBe(esm.stdout)
})

const consumer = `
import { type Client, createClient, idempotencyKey, money, type Payout } from 'payouts-sdk'

const client: Client = createClient({ apiKey: 'kp_sandbox_x', baseUrl: 'http://127.0.0.1' })
export async function pay(order: Parameters<Client['payouts']['create']>[0]): Promise<Payout> {
  // @ts-expect-error -- the key is required
  await client.payouts.create(order)
  // @ts-expect-error -- a plain string is not a key
  await client.payouts.create(order, { idempotencyKey: 'order-1001' })
  // @ts-expect-error -- an unknown status
  await client.payouts.list({ status: 'done' }).page()
  const { id, fee_gbp } = await client.payouts.create(order, { idempotencyKey: idempotencyKey.from('order-1001') })
  const fee: bigint = money.toMinorUnits(fee_gbp)
  for await (const payout of client.payouts.list({ limit: 1 })) if (fee > 0n) return payout
  return client.payouts.waitFor(id, { status: 'completed' })
}
`

test.each([
  ['ES modules', { module: 'node16' }, 'consumer.mts'],
  ['CommonJS', { module: 'node16' }, 'consumer.cts'],
  ['a bundler', { module: 'esnext', moduleResolution: 'bundler' }, 'consumer.ts'],
])('the types work for %s', async (_, modules, file) => {
  const compilerOptions = {
    ...modules,
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: 'es2022',
    types: [],
  }
  const folder = join(project.folder, file.replace('.', '-'))
  mkdirSync(folder)
  writeFileSync(join(folder, file), consumer)
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }))

  const checked = await node([join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]).catch((error) => error)

  expect(checked.stdout).toBe('')
})

test('publint finds nothing to improve', async () => {
  const { stdout } = await run(process.execPath, [join(root, 'node_modules/publint/src/cli.js'), sdk, '--strict'])

  expect(stdout).toContain('All good!')
})

test('a bundle for browsers is under 12 kB and uses nothing of Node', async () => {
  const build = `
    import { build } from ${JSON.stringify(join(root, 'node_modules/vite/dist/node/index.js'))}
    await build({ configFile: false, logLevel: 'error', build: { lib: { entry: 'entry.js', name: 'sdk', formats: ['iife'], fileName: 'sdk' }, outDir: 'bundle' } })`
  writeFileSync(join(project.folder, 'entry.js'), `export * from 'payouts-sdk'`)
  await node(['--input-type=module', '-e', build])

  const bundle = readFileSync(join(project.folder, 'bundle/sdk.iife.js'))

  expect(bundle.toString()).not.toMatch(/node:|require\(|\bprocess\b|\bBuffer\b|\bimport\b/)
  expect(gzipSync(bundle).length).toBeLessThan(12_000)
  expect(bundle.toString()).toContain('/v1/payouts')
})

test('the README pays in under ten lines, and all its examples run', async () => {
  const { keys } = await world.aPayer()
  const blocks = examplesIn(read('sdk/typescript/README.md'))
  expect(blocks[0]?.split('\n').filter((line) => line !== '').length).toBeLessThan(10)

  const { stdout } = await runExamples(blocks, keys.sandbox)

  expect(stdout).toContain(`status: 'completed'`)
  const { body } = await world.api.get('/v1/payouts', { key: keys.sandbox })
  expect(body.data).toHaveLength(2)
})

test('the SDK example in the API guide runs', async () => {
  const { keys } = await world.aPayer()

  const { stdout } = await runExamples(examplesIn(writeGuide(world.api.url)), keys.sandbox)

  expect(stdout).toMatch(/^[0-9a-f-]{36} completed\n$/)
})

function examplesIn(text: string): string[] {
  return [...text.matchAll(/```js\n(.*?)```/gs)].map(([, code = '']) => code)
}

function runExamples(blocks: readonly string[], apiKey: string) {
  const script = blocks.join('\n').replaceAll('http://localhost:3000', world.api.url)
  writeFileSync(join(project.folder, 'example.mjs'), script)
  return node(['example.mjs'], { PAYOUTS_KEY: apiKey })
}
