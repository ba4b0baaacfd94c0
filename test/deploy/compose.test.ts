// docker-compose.yml and the Dockerfile, as far as a test can check them without Docker.
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { machine, tmpdir } from 'node:os'
import { delimiter, dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { type EnvironmentVariables, environment, loadConfig, loadDatabaseUrl } from '../../runtime/config/config'
import { settings } from '../../runtime/config/settings'
import type { Json } from '../support/bank/client'

const root = join(__dirname, '../..')
const text = (file: string) => readFileSync(join(root, file), 'utf8')
const compose: Json = parse(text('docker-compose.yml'), { merge: true, maxAliasCount: -1 })
const services = Object.entries<Json>(compose.services)
const ours = services.filter(([, { image }]) => image === compose.services['api-1'].image)
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'payouts-deploy-'))
  cpSync(join(root, 'deploy/make-secrets.sh'), join(folder, 'make-secrets.sh'))
  execFileSync('/bin/sh', [join(folder, 'make-secrets.sh')])
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the services are two APIs behind a proxy, two workers, and a migration job that runs before them', () => {
  const running = (main: string) => ours.filter(([, { command }]) => command.includes(main)).map(([name]) => name)

  expect(running('dist/api/main.js')).toEqual(['api-1', 'api-2'])
  expect(running('dist/worker/main.js')).toEqual(['worker-1', 'worker-2'])
  expect(running('dist/db/main.js')).toEqual(['migrate'])
  for (const name of ['api-1', 'api-2', 'worker-1', 'worker-2']) {
    expect(compose.services[name].depends_on.migrate.condition).toBe('service_completed_successfully')
    expect(text('deploy/nginx.conf').includes(`${name}:3000`)).toBe(name.startsWith('api'))
  }
})

test('every program that a container runs has a source file', () => {
  const mains = ours.flatMap(([, { command }]) => [...command.join(' ').matchAll(/dist\/(\S+)\.js/g)])

  expect(mains).toHaveLength(ours.length)
  expect(mains.filter(([, path]) => !existsSync(join(root, `${path}.ts`)))).toEqual([])
})

test('every service that another one waits for has a health check, or is a job that ends', () => {
  const wrong = services.flatMap(([name, { depends_on: after = {} }]) =>
    Object.entries<Json>(after).flatMap(([other, { condition }]) => {
      const waited = compose.services[other]
      const fits = condition === 'service_healthy' ? waited?.healthcheck : waited?.restart === 'on-failure'
      return fits ? [] : [`${name} waits for ${other}`]
    }),
  )

  expect(wrong).toEqual([])
})

test('the APIs and the workers get a complete configuration that production accepts', () => {
  const names = new Set(Object.keys(settings))
  for (const name of ['api-1', 'api-2', 'worker-1', 'worker-2']) {
    const variables: EnvironmentVariables = compose.services[name].environment
    const env = withSecretsIn(variables)

    expect(Object.keys(variables).filter((variable) => !names.has(variable.replace(/_FILE$/, '')))).toEqual([])
    expect(loadConfig(env)).toMatchObject({ trustedProxies: 1, publicUrl: 'http://localhost:8080' })
    expect(new URL(loadDatabaseUrl(env)).host).toBe('postgres:5432')
  }
})

test('secrets come from files, and one script creates each file once', () => {
  const files = Object.values<{ file: string }>(compose.secrets).map(({ file }) => file.split('/').at(-1))
  const before = readdirSync(join(folder, 'secrets')).map((name) => readFileSync(join(folder, 'secrets', name), 'utf8'))

  execFileSync('/bin/sh', [join(folder, 'make-secrets.sh')])

  expect(new Set(files)).toEqual(new Set(readdirSync(join(folder, 'secrets'))))
  expect(
    readdirSync(join(folder, 'secrets')).map((name) => readFileSync(join(folder, 'secrets', name), 'utf8')),
  ).toEqual(before)
  const used = services.flatMap(([, { secrets = [] }]): string[] => secrets)
  expect([...new Set(used)].toSorted()).toEqual(Object.keys(compose.secrets).toSorted())
  const open = services.flatMap(([, { environment = {} }]) => Object.keys(environment))
  expect(open.filter((name) => /(PASSWORD|PWD|SECRET|KEYS?)$/.test(name))).toEqual([])
  expect(text('.gitignore')).toContain('deploy/secrets/')
  expect(text('.dockerignore').split('\n')).toEqual(expect.arrayContaining(['.git', 'deploy/secrets']))
})

test('no secret is a command-line argument, which other users could read', () => {
  const scripts = readdirSync(join(root, 'deploy')).filter((name) => name.endsWith('.sh'))
  const commands = services.map(([name, { command = '', entrypoint = '' }]) => [name, `${command} ${entrypoint}`])
  const all = [...commands, ...scripts.map((name) => [name, text(`deploy/${name}`)])]

  const shown = /--?[\w-]+[ =](\w+=)?"?\$+\(cat/
  expect(all.filter(([, command = '']) => shown.test(command)).map(([name]) => name)).toEqual([])
})

test('a container mounts only individual files that exist, and never the secrets folder', () => {
  const mounted = services.flatMap(([, { volumes = [] }]): string[] => volumes)
  const files = mounted.flatMap((volume) => /^\.\/([^:]+):/.exec(volume)?.[1] ?? [])

  expect(files.length).toBeGreaterThan(5)
  expect(files.filter((file) => !statSync(join(root, file)).isFile())).toEqual([])
})

test('the migration role owns the tables, and the API and the worker use another role', () => {
  const roleOf = (service: string) =>
    new URL(loadDatabaseUrl(withSecretsIn(compose.services[service].environment))).username

  expect(['migrate', 'api-1', 'worker-1'].map(roleOf)).toEqual(['payouts', 'payouts_app', 'payouts_app'])
})

test('Prometheus scrapes every API and worker at the port that it opens', () => {
  const { scrape_configs: jobs } = parse(text('deploy/prometheus.yml'))
  const portOf = ({ METRICS_PORT, WORKER_METRICS_PORT }: Json) => METRICS_PORT ?? WORKER_METRICS_PORT
  const open = ours.flatMap(([name, { environment = {} }]) =>
    portOf(environment) === undefined ? [] : [`${name}:${portOf(environment)}`],
  )

  expect(jobs.flatMap(({ static_configs: [{ targets }] }: Json) => targets)).toEqual(open)
})

test('the image is Debian slim, installs the locked packages, and does not run as root', () => {
  const lines = text('Dockerfile').split('\n')
  const images = lines.flatMap((line) => /^FROM (\S+)/.exec(line)?.[1] ?? [])

  expect(images.map((image) => image.split('@')[0])).toEqual(['node:22-bookworm-slim', 'debian:bookworm-slim'])
  expect(lines.some((line) => line.startsWith('RUN npm ci --ignore-scripts'))).toBe(true)
  expect(lines.filter((line) => line.startsWith('USER'))).toEqual(['USER 1000:1000'])
})

test('node_modules in the image has code, licences and Temporal’s core for its own platform, but no unused files', () => {
  const bridge = '@temporalio/core-bridge'
  const own = `${bridge}/releases/${machine()}-unknown-linux-gnu/index.node`
  const kept = [own, `${bridge}/index.js`, `${bridge}/sdk-core/LICENSE.txt`, 'typeorm/index.js']
  const other = [
    `${bridge}/releases/aarch64-apple-darwin/index.node`,
    `${bridge}/releases/x86_64-pc-windows-msvc/index.node`,
    `${bridge}/sdk-core/crates/client/src/lib.rs`,
    ...['src/lib.rs', 'bridge-macros/src/lib.rs', 'ts/index.ts'].map((file) => `${bridge}/${file}`),
    ...['browser/index.js', 'index.d.ts', 'index.js.map', 'README.md'].map((file) => `typeorm/${file}`),
  ]
  const modules = join(folder, 'node_modules')
  for (const file of [...kept, ...other]) {
    mkdirSync(dirname(join(modules, file)), { recursive: true })
    writeFileSync(join(modules, file), '')
  }

  execFileSync('/bin/sh', [join(root, 'deploy/slim-modules.sh'), modules])

  const left = readdirSync(modules, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  expect(left.map(({ parentPath, name }) => relative(modules, join(parentPath, name))).toSorted()).toEqual(
    kept.toSorted(),
  )
  for (const file of other.slice(2))
    expect([file, existsSync(join(root, 'node_modules', dirname(file)))]).toEqual([file, true])
  // The SDK loads the core from this path, so the file must exist on Linux.
  expect(existsSync(join(root, 'node_modules', own))).toBe(process.platform === 'linux')
  expect(text('Dockerfile')).toMatch(/npm prune .* && sh deploy\/slim-modules\.sh node_modules$/m)
})

test('every service drops all capabilities, gains none, and has memory and process limits', () => {
  const unconfined = services.filter(
    ([, service]) =>
      service.cap_drop?.join() !== 'ALL' ||
      service.cap_add !== undefined ||
      service.privileged !== undefined ||
      !service.security_opt?.includes('no-new-privileges:true') ||
      !/^\d+[mg]$/.test(service.mem_limit) ||
      !(service.pids_limit > 0),
  )

  expect(unconfined.map(([name]) => name)).toEqual([])
})

test('our own services cannot write to their image, and of the others only Temporal and its Web UI can', () => {
  const writing = services.filter(([, service]) => service.read_only !== true).map(([name]) => name)
  const unbounded = services
    .flatMap(([, { tmpfs = [] }]): string[] => tmpfs)
    .filter((mount) => !/:size=\d+m$/.test(mount))

  expect(writing).toEqual(['temporal', 'temporal-ui'])
  expect(ours.filter(([, { build }]) => build !== '.')).toEqual([])
  expect(services.filter(([name, { build }]) => build && !ours.some(([own]) => own === name))).toEqual([])
  expect(unbounded).toEqual([])
})

test('a service reaches only the services that it needs', () => {
  const networksOf = (name: string): string[] => compose.services[name].networks ?? ['default']
  const reachableFrom = (name: string) =>
    services
      .map(([other]) => other)
      .filter((other) => other !== name && networksOf(other).some((network) => networksOf(name).includes(network)))

  expect(reachableFrom('postgres')).toEqual(['api-1', 'api-2', 'worker-1', 'worker-2', 'migrate'])
  expect(reachableFrom('temporal-postgres')).toEqual(['temporal-schema', 'temporal'])
  expect(reachableFrom('temporal-ui')).toEqual(['temporal'])
  expect(reachableFrom('proxy')).toEqual(['api-1', 'api-2', 'sandbox-bank'])
  expect(reachableFrom('sandbox-bank')).toEqual(['api-1', 'api-2', 'worker-1', 'worker-2', 'proxy'])
  expect(reachableFrom('mail')).toEqual(['api-1', 'api-2', 'worker-1', 'worker-2'])
  expect(reachableFrom('prometheus')).toEqual(['api-1', 'api-2', 'worker-1', 'worker-2'])
  expect(reachableFrom('temporal')).toEqual([
    'api-1',
    'api-2',
    'worker-1',
    'worker-2',
    'temporal-postgres',
    'temporal-schema',
    'temporal-namespace',
    'temporal-ui',
  ])
})

test('the database and workflow networks are internal, and each published port belongs to a service in another network', () => {
  const internal = Object.entries<Json>(compose.networks).flatMap(([name, network]) =>
    network?.internal ? [name] : [],
  )
  const published = services.filter(([, { ports }]) => ports).map(([, { networks }]): string[] => networks)

  expect(internal).toEqual(['data', 'workflows', 'temporal-data'])
  // Docker does not publish the ports of a container whose networks are all internal.
  expect(published.filter((networks) => networks.every((network) => internal.includes(network)))).toEqual([])
  expect(
    services.flatMap(([, { networks }]): string[] => networks).filter((name) => !(name in compose.networks)),
  ).toEqual([])
})

test('the proxy limits requests and connections per address, and disconnects clients that stop sending or reading', () => {
  const conf = text('deploy/nginx.conf')
  const directives = [
    'limit_req zone',
    'limit_conn connections',
    'client_header_timeout',
    'client_body_timeout',
    'send_timeout',
  ]

  expect(directives.filter((directive) => !new RegExp(`^ *${directive}\\b`, 'm').test(conf))).toEqual([])
})

test('one command pins third-party images to digests, and updates them', () => {
  for (const file of ['Dockerfile', 'docker-compose.yml']) cpSync(join(root, file), join(folder, file))
  const pin = (digest: string) => {
    writeFileSync(join(folder, 'docker'), `#!/bin/sh\necho sha256:${digest.repeat(64)}\n`, { mode: 0o755 })
    const env = { ...environment(), PATH: `${folder}${delimiter}${environment()['PATH'] ?? ''}` }
    execFileSync('/bin/sh', [join(root, 'deploy/pin-images.sh'), folder], { env })
    const lines = ['Dockerfile', 'docker-compose.yml'].flatMap((file) =>
      readFileSync(join(folder, file), 'utf8').split('\n'),
    )
    return lines.filter((line) => /^(FROM| +image:) /.test(line) && !line.includes('payouts:'))
  }

  const [first, second] = [pin('a'), pin('b')]

  expect(first.length).toBeGreaterThan(10)
  expect(first.filter((line) => !/:[\w.-]+@sha256:a{64}( AS build)?$/.test(line))).toEqual([])
  expect(second).toEqual(first.map((line) => line.replace('a'.repeat(64), 'b'.repeat(64))))
})

test('published ports are bound to this machine unless HOST opens the proxy, and services listen on the internal network', () => {
  const open = services.flatMap(([name, { ports = [] }]): string[] => ports.map((port: string) => `${name} ${port}`))

  expect(open.filter((port) => !port.includes(' 127.0.0.1:'))).toEqual(['proxy ${HOST:-127.0.0.1}:8080:8080'])
  expect(text('Dockerfile')).toMatch(/^ENV .*\bHOST=0\.0\.0\.0$/m)
  expect(services.filter(([, { environment = {} }]) => 'HOST' in environment)).toEqual([])
})

function withSecretsIn(variables: EnvironmentVariables): EnvironmentVariables {
  const moved = (value = '') => value.replace('/run/secrets', join(folder, 'secrets'))
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, moved(value)]))
}
