// A separate sandbox bank for each test file, and the calls that tests make to it over real HTTP.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readArguments } from '../../../sandbox-bank/arguments'
import { type BankOptions, type RunningBank, startBank } from '../../../sandbox-bank/start'
import { testSystem } from '../jest/system'
import { opened } from '../opened'

/** Untyped on purpose: a wrong field fails the test anyway. */
export type Json = ReturnType<typeof JSON.parse>

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Json
}

export interface Asked {
  readonly environment?: 'sandbox' | 'live'
  readonly key?: string
  readonly headers?: Record<string, string>
}

export interface TestBank {
  readonly url: string
  readonly controlUrl: string
  readonly dataDir: string
  get(path: string, asked?: Asked): Promise<Answer>
  post(path: string, body: unknown, asked?: Asked): Promise<Answer>
  send(method: string, path: string, body?: unknown, asked?: Asked): Promise<Answer>
  control(method: string, path: string, body?: unknown): Promise<Answer>
  fault(plan: Json): Promise<string>
  /** How many times the fault was applied, and how many times it will still apply. */
  counts(id: string): Promise<{ fired: number; remaining: number | null }>
  close(): Promise<void>
}

export const keys = { sandbox: 'sk-test-tests', live: 'sk-live-tests' }

/** Delays so short that a transfer completes during a test. */
export const quick = {
  pending: 10,
  in_review: 0,
  funds_received: 10,
  payment_submitted: 10,
  undeliverable: 10,
  returned: 10,
  refund_in_flight: 10,
}
/** Delays so long that a transfer changes its state only when the test advances it. */
export const still = {
  pending: 600_000,
  in_review: 0,
  funds_received: 600_000,
  payment_submitted: 600_000,
  undeliverable: 600_000,
  returned: 600_000,
  refund_in_flight: 600_000,
}

/** Returns the settings that our programs need to reach the bank. */
export function accessTo({ url }: Pick<TestBank, 'url'>) {
  const access = (key: string) => ({ url: `${url}/v0`, key })
  return { sandbox: access(keys.sandbox), live: access(keys.live) }
}

/** A sandbox bank for this test file. */
export function useSandboxBank(options: Partial<BankOptions> = {}): TestBank {
  return opened(
    () => openTestBank(options),
    (bank) => bank.close(),
  )
}

export async function openTestBank(options: Partial<BankOptions> = {}): Promise<TestBank> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'sandbox-bank-'))
  const settings = {
    delaysMs: quick,
    webhookRetryMs: 20,
    webhookRetryMaxMs: 50,
    sandboxKey: keys.sandbox,
    liveKey: keys.live,
    webhookKeys: readArguments(['--webhook-keys-file', testSystem().webhookKeysPath]).webhookKeys,
  }
  const bank: RunningBank = await startBank({ ...settings, ...options, dataDir })
  return {
    ...clientOf(bank.url, bank.controlUrl),
    dataDir,
    async close() {
      await bank.close()
      if (!options.dataDir) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

export function clientOf(url: string, controlUrl: string): Omit<TestBank, 'dataDir' | 'close'> {
  const control = (method: string, path: string, body?: unknown) =>
    ask(`${controlUrl}/_control${path}`, method, body, {})
  const send = (method: string, path: string, body?: unknown, asked: Asked = {}) => {
    const idempotency = method === 'POST' ? { 'Idempotency-Key': asked.key ?? randomUUID() } : {}
    return ask(`${url}/v0${path}`, method, body, {
      'Api-Key': keys[asked.environment ?? 'sandbox'],
      ...idempotency,
      ...asked.headers,
    })
  }
  return {
    url,
    controlUrl,
    send,
    control,
    get: (path, asked) => send('GET', path, undefined, asked),
    post: (path, body, asked) => send('POST', path, body, asked),
    async fault(plan) {
      const added = await control('POST', '/faults', plan)
      if (added.status !== 201) throw new Error(added.text)
      return String(added.json.id)
    },
    async counts(id) {
      const { json } = await control('GET', '/faults')
      const { fired, remaining } = json.data.find((each: Json) => each.id === id)
      return { fired, remaining }
    },
  }
}

async function ask(url: string, method: string, body: unknown, headers: Record<string, string>): Promise<Answer> {
  const text = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(url, { method, headers, ...(text === null ? {} : { body: text }), redirect: 'manual' })
  const answer = await response.text()
  return { status: response.status, headers: response.headers, text: answer, json: parsed(answer) }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** Returns the newest webhook's signing key, which is stored only in the journal file. */
export function webhookKeyOf({ dataDir }: Pick<TestBank, 'dataDir'>, environment: 'sandbox' | 'live'): string {
  const lines = readFileSync(join(dataDir, 'journal.jsonl'), 'utf8').split('\n').filter(Boolean)
  const puts = lines.flatMap((line): [string, Json][] => {
    const entry: Json = JSON.parse(line)
    return entry.environment === environment ? entry.puts : []
  })
  return puts.findLast(([name]) => name === 'webhooks')?.[1].privateKey
}

export async function until<T>(
  what: string,
  look: () => Promise<T | null | undefined | false>,
  withinMs = 25_000,
): Promise<T> {
  const end = Date.now() + withinMs
  for (;;) {
    const seen = await look()
    if (seen) return seen
    if (Date.now() > end) throw new Error(`timed out waiting for: ${what}`)
    await pause(10)
  }
}

export function reached(
  bank: Pick<TestBank, 'get'>,
  transfer: string,
  state: string,
  asked: Asked = {},
): Promise<Json> {
  return until(`${transfer} in ${state}`, async () => {
    const { json } = await bank.get(`/transfers/${transfer}`, asked)
    return json.state === state && json
  })
}
