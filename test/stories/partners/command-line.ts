// A partner pays and reads payouts with the `payouts` program, in scripts and at a terminal.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { newApiKeySecret } from '../../../db/partners/api-key-secret'
import { projectDir } from '../../../local/files'
import { choosePort } from '../../../local/ports'
import type { Json } from '../../support/bank/client'
import { openPseudoTerminal, type PseudoTerminal } from '../../support/pseudo-terminal'
import { childEnv } from '../../support/system/child-env'
import type { World } from '../../support/system/world'

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

export function commandLine(open: () => World): void {
  let world: World
  let folder: string
  /** The settings of a partner who has logged in with variables. */
  let env: Record<string, string>
  let outputs: string[]

  beforeAll(() => {
    world = open()
    folder = mkdtempSync(join(tmpdir(), 'payouts-partner-'))
    symlinkSync(join(projectDir(), 'dist/ops/main.js'), join(folder, 'payouts'))
    writeFileSync(join(folder, 'ada.json'), JSON.stringify(world.order()['recipient']))
  })
  beforeEach(() => {
    env = { PAYOUTS_KEY: world.keys.sandbox, PAYOUTS_URL: world.url, XDG_CONFIG_HOME: join(folder, 'config') }
    outputs = []
  })
  afterEach(() => {
    rmSync(join(folder, 'config'), { recursive: true, force: true })
    for (const key of Object.values(world.keys)) expect(outputs.join()).not.toContain(key.slice(-20))
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true })
    await world.judge()
  })

  test('login at a terminal does not show the key, and stores it in a file that only its owner can read', async () => {
    const stored = join(folder, 'config/payouts/credentials.json')
    const onlyFolder = { XDG_CONFIG_HOME: env['XDG_CONFIG_HOME'] ?? '' }
    const terminal = atTerminal(['login'], onlyFolder)
    await terminal.shows('Address of the API [http://localhost:3000]: ')
    terminal.type(`${world.url}\r`)
    await terminal.shows('API key (not shown): ')
    terminal.type(`${world.keys.sandbox}\r`)

    expect(await terminal.exited).toBe(0)
    expect(terminal.screen()).toContain('Logged in as ')
    expect(terminal.screen()).not.toContain(world.keys.sandbox.slice(0, 15))
    expect([statSync(stored).mode & 0o777, statSync(join(stored, '..')).mode & 0o777]).toEqual([0o600, 0o700])
    expect((await payouts(['balance'], onlyFolder)).code).toBe(0)

    expect((await payouts(['logout'], onlyFolder)).out).toBe(`Removed the key from ${stored}.\n`)
    expect(existsSync(stored)).toBe(false)
    expect(await payouts(['balance'], onlyFolder)).toEqual({
      code: 2,
      out: '',
      err: 'Run `payouts login` first, or set PAYOUTS_KEY and PAYOUTS_URL.\n',
    })
  })

  test('login reads the key from standard input, and stores only a key that the API accepts', async () => {
    const own = { XDG_CONFIG_HOME: env['XDG_CONFIG_HOME'] ?? '' }
    const login = ['login', '--url', world.url]
    const unknownKey = newApiKeySecret('sandbox')

    const mistyped = await payouts(login, own, `${world.keys.sandbox.slice(0, -1)}\n`)
    const unknown = await payouts(login, own, unknownKey)
    const plain = await payouts(['login', '--url', 'http://payouts.example'], own, world.keys.live)
    const blocked = await payouts(login, { XDG_CONFIG_HOME: join(folder, 'ada.json') }, world.keys.sandbox)
    expect(existsSync(join(folder, 'config/payouts'))).toBe(false)
    const accepted = await payouts([...login, '--json'], own, `${world.keys.sandbox}\n`)

    expect(mistyped).toEqual({ code: 2, out: '', err: 'The API key is missing, incomplete or mistyped.\n' })
    expect(unknown.code).toBe(2)
    expect(unknown.err).toMatch(/\.\ncode {8}unauthorized\nrequest_id {2}[0-9a-f-]{36}\n$/)
    expect(unknown.err).not.toContain(unknownKey)
    expect([blocked.code, blocked.err]).toEqual([
      1,
      expect.stringMatching(/^The key cannot be stored in .+ \(ENOTDIR\)/),
    ])
    expect(plain).toEqual({ code: 2, out: '', err: '--url must start with https:// for a live key.\n' })
    expect(JSON.parse(accepted.out)).toMatchObject({ url: world.url, environment: 'sandbox' })
  })

  test('variables win over the stored key, and each key is sent only to its own address', async () => {
    const own = { XDG_CONFIG_HOME: env['XDG_CONFIG_HOME'] ?? '' }
    await payouts(['login', '--url', world.url], own, world.keys.sandbox)

    const live = await payouts(['balance'], { ...own, PAYOUTS_KEY: world.keys.live, PAYOUTS_URL: world.url })
    const alone = await payouts(['balance'], { ...own, PAYOUTS_KEY: world.keys.live })
    const elsewhere = await payouts(['balance'], { ...own, PAYOUTS_URL: 'http://127.0.0.1:1' })

    expect(live.out).toMatch(
      /^environment {2}live\nbalance {6}[\d.]+ USDC\nworth {8}about [\d.]+ GBP, at 0\.\d+ GBP per USD\n$/,
    )
    expect(alone).toEqual({ code: 2, out: '', err: 'Also set PAYOUTS_URL, to the address of the API.\n' })
    expect(elsewhere.code).toBe(2)
    expect(elsewhere.err).toContain(`The stored key is for ${world.url}, not for PAYOUTS_URL`)
  })

  test('no setting of the service is read', async () => {
    const { code, out } = await payouts(['balance', '--json'], { ...env, DATABASE_URL: 'nonsense', SECRET_KEYS: 'x' })

    expect([code, JSON.parse(out)]).toEqual([0, (await world.get('/v1/balance')).body])
  })

  test('pay at a terminal shows the cost and asks; it pays once, however often it is repeated', async () => {
    const argv = payment('order-cli-1001')
    const [declined, interrupted] = [atTerminal(argv, env), atTerminal(argv, env)]
    await declined.shows('Pay? [y/N] ')
    declined.type('\r')
    await interrupted.shows('Pay? [y/N] ')
    interrupted.type('\u0003')
    expect([await declined.exited, await interrupted.exited]).toEqual([2, 130])
    expect(await found('order-cli-1001')).toEqual([])

    const confirmed = atTerminal(argv, env)
    await confirmed.shows('Pay? [y/N] ')
    confirmed.type('y\r')
    expect(await confirmed.exited).toBe(0)
    const again = await payouts([...argv, '--yes', '--json'], env)

    const [payout, ...others] = await found('order-cli-1001')
    expect(confirmed.screen()).toMatch(
      /recipient gets {3}120\.00 GBP\r\nwallet sends {5}[\d.]+ USDC at 0\.\d+ GBP per USD\r\n/,
    )
    expect(confirmed.screen()).toContain(`To wait for the outcome: payouts watch ${payout.id}`)
    expect(others).toEqual([])
    expect([again.code, JSON.parse(again.out).id]).toEqual([0, payout.id])
    expect(await world.transfersOf(payout.id)).toHaveLength(1)
    await world.settled(payout.id)
  })

  test('pay in a script needs --yes', async () => {
    const refused = 'needs --yes if no person can confirm it at a terminal.'

    const inPipe = await payouts(payment('order-cli-script'), env)
    const asJson = atTerminal([...payment('order-cli-script'), '--json'], env)

    expect([inPipe.code, inPipe.err]).toEqual([2, `\`pay\` ${refused}\n`])
    expect(await asJson.exited).toBe(2)
    expect(asJson.screen()).toContain(refused)
    expect(await found('order-cli-script')).toEqual([])
  })

  test('pay takes the recipient as options too, and names those that are missing or wrong', async () => {
    const { recipient } = world.order()
    const { bank, address } = recipient
    const names = `--first-name ${recipient.first_name} --last-name ${recipient.last_name}`.split(' ')
    const home = ['--line1', address.line1, '--city', address.city, '--postal-code', address.postal_code]
    const account = `--bank-name ${bank.bank_name} --sort-code 12-34-56 --account-number ${bank.account_number}`.split(
      ' ',
    )
    const options = [...names, ...home, ...account]
    const argv = ['pay', '--key', 'order-cli-options', '--amount', '7.50', '--yes']

    const missing = await payouts([...argv, ...options.slice(0, -2)], env)
    const wrong = await payouts([...argv, ...options.slice(0, -1), '123'], env)
    const file = await payouts([...argv, '--recipient', join(folder, 'nobody.json')], env)
    const paid = await payouts([...argv, ...options, '--json'], env)

    expect(missing).toMatchObject({ code: 2, err: '`pay` needs --recipient, or also --account-number.\n' })
    expect(wrong).toMatchObject({ code: 2, err: '--account-number must be 8 digits.\n' })
    expect(file).toMatchObject({ code: 2, err: expect.stringMatching(/^--recipient must be a readable file/) })
    expect(JSON.parse(paid.out)).toMatchObject({ amount_gbp: '7.50', environment: 'sandbox' })
    await world.settled(JSON.parse(paid.out).id)
  })

  test('a refusal of the API shows its code, its details and the request ID, and exits with 2', async () => {
    await payouts([...payment('order-cli-reused'), '--yes'], env)
    const [{ id }] = await found('order-cli-reused')

    const other = await payouts([...payment('order-cli-reused', '121.00'), '--yes'], env)
    const poor = await payouts([...payment('order-cli-poor', '20000.00'), '--yes', '--json'], env)

    expect(other.code).toBe(2)
    expect(other.err).toContain(`\ncode              idempotency_key_reused\npayout_id         ${id}\n`)
    expect(poor.code).toBe(2)
    expect(JSON.parse(poor.err).error).toMatchObject({
      code: 'insufficient_funds',
      message: expect.stringContaining('Nothing was paid.'),
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    await world.settled(id)
  })

  test('after a lost response, pay says that the outcome is unknown, and repeating it pays once', async () => {
    const proxy = await losingAnswers(world.url)
    const argv = [...payment('order-cli-lost'), '--yes']

    const lost = await payouts(argv, { ...env, PAYOUTS_URL: proxy.url })
    const repeated = await payouts([...argv, '--json'], env)
    proxy.server.close().closeAllConnections()

    expect(lost).toMatchObject({ code: 1, out: '' })
    expect(lost.err).toMatch(
      /does not answer\. .+ The outcome is unknown: repeat the same command, which pays at most once\.\n$/,
    )
    const { id } = JSON.parse(repeated.out)
    expect((await found('order-cli-lost')).map((payout: Json) => payout.id)).toEqual([id])
    expect(await world.transfersOf(id)).toHaveLength(1)
    await world.settled(id)
  })

  test('a 502 of a proxy does not prove that nothing was paid', async () => {
    const proxy = await losingAnswers(world.url, 502)
    const argv = [...payment('order-cli-proxy'), '--yes']

    const blamed = await payouts(argv, { ...env, PAYOUTS_URL: proxy.url })
    proxy.server.close().closeAllConnections()

    expect([blamed.code, blamed.err]).toEqual([1, expect.stringContaining('The outcome is unknown')])
    const [{ id }] = await found('order-cli-proxy')
    await world.settled(id)
  })

  test('list, get and csv show the same payouts to people and to scripts', async () => {
    const uuidKey = randomUUID()
    const earlier = await world.pay({}, { key: uuidKey })
    await world.settled(earlier.body.id)
    const { id } = JSON.parse((await payouts([...payment('order-cli-shown'), '--yes', '--json'], env)).out)
    await world.settled(id)
    const { body } = await world.get(`/v1/payouts/${id}`)

    const table = await payouts(['list', '--key', 'order-cli-shown'], env)
    const list = await payouts(['list', '--limit', '1', '--json'], env)
    const byId = await payouts(['get', id, '--json'], env)
    const byKey = await payouts(['get', 'order-cli-shown'], env)
    const byUuidKey = await payouts(['get', uuidKey, '--json'], env)
    const unknown = await payouts(['get', 'order-cli-nothing'], env)
    const printed = await payouts(['csv', '--key', 'order-cli-shown'], env)
    const saved = await payouts(['csv', '--key', 'order-cli-shown', '--file', join(folder, 'payouts.csv')], env)

    expect(table.out).toMatch(
      new RegExp(`^ID +STATUS +GBP +FEE +RECIPIENT +ACCOUNT +KEY +REFERENCE +CREATED\n${id} +completed +120.00 `),
    )
    expect(JSON.parse(list.out)).toMatchObject({ object: 'list', data: [{ id }], has_more: true })
    expect(JSON.parse(byId.out)).toEqual(body)
    expect(byKey.out).toContain('\nidempotency key  order-cli-shown\n')
    expect(byKey.out).toContain('\nstatus           completed\n')
    expect(JSON.parse(byUuidKey.out).id).toBe(earlier.body.id)
    expect([unknown.code, unknown.err]).toEqual([
      2,
      expect.stringMatching(/order-cli-nothing is known\. .+ same key\.\n$/),
    ])
    expect(printed.out).toContain(`\n${id},`)
    expect(readFileSync(join(folder, 'payouts.csv'), 'utf8')).toBe(`\uFEFF${printed.out}`)
    expect(saved.out).toBe(`Wrote 1 payout to ${join(folder, 'payouts.csv')}.\n`)
  })

  test('watch follows a payout until it is final, and exits with 1 if it was not paid', async () => {
    await world.ops('rail', 'pause', '--environment', 'sandbox', '--reason', 'a story')
    const { id } = JSON.parse((await payouts([...payment('order-cli-watched'), '--yes', '--json'], env)).out)
    const short = await payouts(['watch', id, '--wait', '1'], env)
    const watching = atTerminal(['watch', 'order-cli-watched'], env)
    await watching.shows('The payout is pending.')
    await watching.shows('Running `watch`, ')
    await world.ops('rail', 'resume', '--environment', 'sandbox')

    expect(await watching.exited).toBe(0)
    expect(watching.screen()).toMatch(/status {11}completed\r\n/)
    expect([short.code, short.out]).toEqual([1, expect.stringContaining('The payout is not final yet')])

    await world.bank.fault({ kind: 'undeliverable' })
    const failing = await world.pay({}, { key: 'order-cli-bounced' })
    const failed = await payouts(['watch', failing.body.id, '--json'], env)

    expect([failed.code, JSON.parse(failed.out).status]).toEqual([1, 'failed'])
    await world.settled(failing.body.id)
  })

  function payment(key: string, amount = '120.00'): string[] {
    return ['pay', '--key', key, '--amount', amount, '--recipient', join(folder, 'ada.json')]
  }

  async function found(key: string): Promise<Json> {
    return (await world.get(`/v1/payouts?idempotency_key=${key}`)).body.data
  }

  function atTerminal(argv: readonly string[], own: Record<string, string>): PseudoTerminal {
    return openPseudoTerminal([join(folder, 'payouts'), ...argv], own)
  }

  async function payouts(argv: readonly string[], own: Record<string, string>, input = ''): Promise<Ran> {
    const child = spawn(join(folder, 'payouts'), argv, { env: { ...childEnv(), ...own } })
    child.stdin.end(input)
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    outputs.push(out, err)
    return { code, out, err }
  }
}

/** A proxy that forwards every request, and disconnects instead of returning the response to a POST. */
async function losingAnswers(target: string, instead: number | null = null): Promise<{ url: string; server: Server }> {
  const forward = async ({ method = '', url, headers }: IncomingMessage, body: string) => {
    const { authorization = '', 'idempotency-key': key } = headers
    const ofPost = { authorization, 'content-type': 'application/json', 'idempotency-key': String(key) }
    const init = method === 'POST' ? { headers: ofPost, body } : { headers: { authorization } }
    return fetch(target + url, { method, ...init })
  }
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const answered = await forward(request, await text(request))
    const content = await answered.text()
    if (request.method === 'POST' && instead !== null) response.writeHead(instead).end('<h1>Bad gateway</h1>')
    else if (request.method === 'POST') response.destroy()
    else response.writeHead(answered.status, { 'Content-Type': 'application/json' }).end(content)
  }
  const server = createServer((request, response) => void answer(request, response))
  const port = await choosePort(0)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${port}`, server }
}
