// Reads the bank's settings from the command line. Each setting has an option with the same name.
import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { parseDecimal } from './money'
import { type Delays, defaults, type Settings } from './settings'

/** Throws an error whose message is shown on the command line. */
export function readArguments(args: readonly string[]): Settings {
  const { values } = parseArgs({ args: [...args], options, strict: true })
  const given = values as Partial<Record<OptionName, string>>
  const text = (name: OptionName, otherwise: string) => given[name] ?? otherwise
  const secret = (name: 'sandbox-key' | 'live-key', otherwise: string) => {
    const file = given[`${name}-file`]
    if (file === undefined) return text(name, otherwise)
    if (given[name] !== undefined) throw new Error(`--${name} and --${name}-file are both given; remove one of them.`)
    return contentOf(`${name}-file`, file)
  }
  const number = (name: OptionName, otherwise: number) => wholeNumber(name, given[name], otherwise)
  const delay = (name: OptionName, state: keyof Delays, settleShare: number) =>
    number(name, given['settle-ms'] === undefined ? defaults.delaysMs[state] : settleShare)
  const third = Math.round(number('settle-ms', 0) / 3)

  return {
    host: text('host', defaults.host),
    port: number('port', defaults.port),
    controlPort: given['control-port'] === undefined ? null : number('control-port', 0),
    dataDir: text('data-dir', defaults.dataDir),
    sandboxKey: apiKey('sandbox-key', 'sk-test-', secret('sandbox-key', defaults.sandboxKey)),
    liveKey: apiKey('live-key', 'sk-live-', secret('live-key', defaults.liveKey)),
    publicUrl: given['public-url'] ?? null,
    fsync: oneOf('fsync', text('fsync', defaults.fsync), ['on', 'off']),
    idempotencyWindowMs: number('idempotency-window-ms', defaults.idempotencyWindowMs),
    refusals: oneOf('refusals', text('refusals', defaults.refusals), ['forgotten', 'replayed']),
    sandboxKyc: oneOf('sandbox-kyc', text('sandbox-kyc', defaults.sandboxKyc), ['automatic', 'manual']),
    floatMicro: decimal('float-usdc', given['float-usdc'], 6, defaults.floatMicro),
    sourceMinimumMicro: decimal('source-minimum-usdc', given['source-minimum-usdc'], 6, defaults.sourceMinimumMicro),
    sellRateNano: decimal('sell-rate', given['sell-rate'], 9, defaults.sellRateNano),
    rateRefreshMs: Math.max(1, number('rate-refresh-ms', defaults.rateRefreshMs)),
    firstState: oneOf('first-state', text('first-state', defaults.firstState), ['pending', 'in_review']),
    delaysMs: {
      pending: delay('pending-ms', 'pending', third),
      in_review: number('in-review-ms', defaults.delaysMs.in_review),
      funds_received: delay('funds-received-ms', 'funds_received', third),
      payment_submitted: delay('payment-submitted-ms', 'payment_submitted', third),
      undeliverable: delay('undeliverable-ms', 'undeliverable', third),
      returned: delay('returned-ms', 'returned', third),
      refund_in_flight: delay('refund-in-flight-ms', 'refund_in_flight', third),
    },
    verifyMs: number('verify-ms', defaults.verifyMs),
    webhookKeys: privateKeys('webhook-keys-file', given['webhook-keys-file']),
    webhookTimeoutMs: number('webhook-timeout-ms', defaults.webhookTimeoutMs),
    webhookRetryMs: number('webhook-retry-ms', defaults.webhookRetryMs),
    webhookRetryMaxMs: number('webhook-retry-max-ms', defaults.webhookRetryMaxMs),
    webhookGiveUpMs: number('webhook-give-up-ms', defaults.webhookGiveUpMs),
    requestTimeoutMs: number('request-timeout-ms', defaults.requestTimeoutMs),
  }
}

const optionNames = [
  'host',
  'port',
  'control-port',
  'data-dir',
  'sandbox-key',
  'sandbox-key-file',
  'live-key',
  'live-key-file',
  'public-url',
  'fsync',
  'idempotency-window-ms',
  'refusals',
  'sandbox-kyc',
  'float-usdc',
  'source-minimum-usdc',
  'sell-rate',
  'rate-refresh-ms',
  'first-state',
  'settle-ms',
  'pending-ms',
  'in-review-ms',
  'funds-received-ms',
  'payment-submitted-ms',
  'undeliverable-ms',
  'returned-ms',
  'refund-in-flight-ms',
  'verify-ms',
  'webhook-keys-file',
  'webhook-timeout-ms',
  'webhook-retry-ms',
  'webhook-retry-max-ms',
  'webhook-give-up-ms',
  'request-timeout-ms',
] as const

type OptionName = (typeof optionNames)[number]

const options = Object.fromEntries(optionNames.map((name) => [name, { type: 'string' as const }]))

/** A key can come from a file, because a process list shows all arguments. */
function contentOf(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    throw new Error(`--${name} names a file that cannot be read.`)
  }
}

/** Creating a key takes up to a second of processor time, so tests pass existing keys. */
function privateKeys(name: string, file: string | undefined): string[] {
  if (file === undefined) return []
  const content = contentOf(name, file)
  const blocks = content.match(/-----BEGIN PRIVATE KEY-----.*?-----END PRIVATE KEY-----/gs) ?? []
  const isWhole = blocks.length === content.match(/-----BEGIN/g)?.length && new Set(blocks).size === blocks.length
  if (isWhole && blocks.every(isRsa)) return blocks
  throw new Error(`--${name} must contain RSA private keys in PKCS #8 PEM (BEGIN PRIVATE KEY), each once.`)
}

function isRsa(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa'
  } catch {
    return false
  }
}

function wholeNumber(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise
  if (!/^\d{1,12}$/.test(text)) throw new Error(`--${name} must be a whole number, not "${text}".`)
  return Number(text)
}

function decimal(name: string, text: string | undefined, places: number, otherwise: bigint): bigint {
  if (text === undefined) return otherwise
  const value = parseDecimal(text, places)
  if (value === null || value === 0n) throw new Error(`--${name} must be a decimal above zero, not "${text}".`)
  return value
}

function oneOf<T extends string>(name: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((value) => value === text)
  if (!found) throw new Error(`--${name} must be ${allowed.join(' or ')}, not "${text}".`)
  return found
}

function apiKey(name: string, prefix: string, text: string): string {
  if (!text.startsWith(prefix)) throw new Error(`--${name} must start with ${prefix}.`)
  return text
}
