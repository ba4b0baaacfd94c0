// The API key and address of the client commands: from the environment, or from the file that `login` writes.
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { readApiKeySecret } from '../../db/partners/api-key-secret'
import type { Environment } from '../../domain/environment'
import { errorCode, writePrivate } from '../../local/files'
import type { EnvironmentVariables } from '../../runtime/config/config'
import { ApiError, type Client, createClient, NetworkError, PayoutsError, TimeoutError } from '../../sdk/typescript/src'
import {
  type Answer,
  defineClientCommand,
  done,
  type ParsedOptions,
  type Refusal,
  refused,
  type Session,
} from '../command'
import { CommandError } from '../errors'
import { type Kind, type OptionTable, optional } from '../options'
import type { PrintableError } from '../print'

const url: Kind<string> = {
  placeholder: '<address>',
  rule: 'an address, such as https://payouts.example.com',
  parse: (text) => {
    const { protocol = '', origin, pathname, username, search, hash } = URL.canParse(text) ? new URL(text) : {}
    const isPlain = /^https?:$/.test(protocol) && [username, search, hash].every((part) => part === '')
    return isPlain ? `${origin}${pathname}`.replace(/\/+$/, '') : undefined
  },
}

export const login = defineClientCommand('login', {
  about:
    'Checks an API key and stores it in a file that only you can read. Asks for the key, or reads it from standard input.',
  options: { url: optional(url, 'The address of the API. Without it, PAYOUTS_URL is used, or you are asked.') },
  example: ['--url', 'http://localhost:3000'],
  async run(session, given) {
    const address = await addressFor(session, given.url)
    const apiKey = await keyFor(session)
    const of = given.url === undefined && session.env['PAYOUTS_URL'] ? 'PAYOUTS_URL' : '--url'
    const credentials = checked({ apiKey, address, of })
    if ('outcome' in credentials) return credentials
    return answered(credentials, async () => {
      const { name, environment } = await clientOf(credentials).account.get()
      const file = fileOf(session.env)
      store(file, { url: credentials.url, api_key: apiKey })
      const text = `Logged in as ${name}, ${environment}. The key is stored in ${file}.${overrides(session.env)}`
      return done({ object: 'login', url: credentials.url, name, environment, file }, text)
    })
  },
})

export const logout = defineClientCommand('logout', {
  about: 'Removes the stored API key from this machine. The key stays valid until you revoke it.',
  async run({ env }) {
    const file = fileOf(env)
    const wasStored = readStored(file) !== null
    rmSync(file, { force: true })
    const text = wasStored ? `Removed the key from ${file}.` : 'No key was stored.'
    return done({ object: 'logout', removed: wasStored }, `${text}${overrides(env)}`)
  },
})

export interface Credentials {
  readonly url: string
  readonly apiKey: string
  readonly environment: Environment
}

interface Context<Options extends OptionTable> {
  readonly session: Session
  readonly given: ParsedOptions<Options>
  readonly credentials: Credentials
}

/** Runs a command with the API. Turns an error of the API into a refusal or a printable error. */
export function withApi<Options extends OptionTable>(
  work: (api: Client, context: Context<Options>) => Promise<Answer>,
) {
  return async (session: Session, given: ParsedOptions<Options>): Promise<Answer> => {
    const credentials = loadCredentials(session.env)
    if ('outcome' in credentials) return credentials
    return answered(credentials, () => work(clientOf(credentials), { session, given, credentials }))
  }
}

/** Environment variables override the file. A key is never sent to an address that was given for another key. */
function loadCredentials(env: EnvironmentVariables): Credentials | Refusal {
  const { PAYOUTS_KEY: ownKey, PAYOUTS_URL: ownUrl } = env
  const stored = ownKey && ownUrl ? null : readStored(fileOf(env))
  if (!ownKey && ownUrl && stored !== null && url.parse(ownUrl) !== stored.url) {
    const sentence = `The stored key is for ${stored.url}, not for PAYOUTS_URL: also set PAYOUTS_KEY, or run \`payouts login\`.`
    return refused('unauthorized', sentence)
  }
  const [apiKey, address] = [ownKey || stored?.api_key, ownUrl || (ownKey ? undefined : stored?.url)]
  if (!apiKey) return refused('unauthorized', 'Run `payouts login` first, or set PAYOUTS_KEY and PAYOUTS_URL.')
  if (!address) return refused('invalid_request', 'Also set PAYOUTS_URL, to the address of the API.')
  return checked({ apiKey, address, of: ownUrl ? 'PAYOUTS_URL' : '--url' })
}

/** Checks both without the network. A key that moves real money is never sent without encryption. */
function checked({ apiKey, address, of }: { apiKey: string; address: string; of: string }): Credentials | Refusal {
  const base = url.parse(address)
  if (base === undefined) return refused('invalid_request', `${of} must be ${url.rule}.`)
  const key = readApiKeySecret(apiKey)
  if (key === null) return refused('unauthorized', 'The API key is missing, incomplete or mistyped.')
  const { environment } = key
  if (environment === 'live' && base.startsWith('http:') && !isThisMachine(base))
    return refused('invalid_request', `${of} must start with https:// for a live key.`)
  return { apiKey, url: base, environment }
}

function isThisMachine(base: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(base).hostname)
}

async function addressFor(session: Session, given: string | undefined): Promise<string> {
  const { env, isInteractive } = session
  const known = given ?? env['PAYOUTS_URL']
  if (known || !isInteractive) return known ?? ''
  const usual = readStored(fileOf(env))?.url ?? 'http://localhost:3000'
  return (await session.ask(`Address of the API [${usual}]: `)) || usual
}

async function keyFor(session: Session): Promise<string> {
  return session.isInteractive ? session.askSecret('API key (not shown): ') : (await session.readInput()).trim()
}

function clientOf({ apiKey, url }: Credentials): Client {
  return createClient({ apiKey, baseUrl: url })
}

/** The exit code is 2 if the API refuses the call, and 1 if the same call can succeed later. */
async function answered(credentials: Credentials, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof PayoutsError)) throw error
    const printable = printableOf(error, credentials)
    if (error.isRetryable) throw new CommandError(printable)
    return { outcome: 'refused', ...printable }
  }
}

export function printableOf(error: PayoutsError, { url }: Credentials): PrintableError {
  const { code, message } = error
  const isSilent = error instanceof NetworkError || error instanceof TimeoutError
  if (!(error instanceof ApiError)) return { code, message: isSilent ? `${url} does not answer. ${message}` : message }
  const { details, requestId } = error
  return { code, message, ...(isRecord(details) && { details }), ...(requestId !== null && { requestId }) }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

interface Stored {
  readonly url: string
  readonly api_key: string
}

function store(file: string, content: Stored): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writePrivate(file, content)
  } catch (error) {
    const message = `The key cannot be stored in ${file} (${errorCode(error)}): set PAYOUTS_KEY and PAYOUTS_URL instead.`
    throw new CommandError({ code: 'service_unavailable', message })
  }
}

function readStored(file: string): Stored | null {
  try {
    const { url, api_key } = JSON.parse(readFileSync(file, 'utf8'))
    return typeof url === 'string' && typeof api_key === 'string' ? { url, api_key } : null
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || error instanceof SyntaxError) return null
    throw new CommandError({ code: 'service_unavailable', message: `${file} cannot be read (${errorCode(error)}).` })
  }
}

/** Follows the XDG base directory specification, which ignores a relative path. */
function fileOf({ XDG_CONFIG_HOME: given, HOME: home }: EnvironmentVariables): string {
  const folder = given && isAbsolute(given) ? given : join(home || homedir(), '.config')
  return join(folder, 'payouts', 'credentials.json')
}

function overrides({ PAYOUTS_KEY }: EnvironmentVariables): string {
  return PAYOUTS_KEY ? ' PAYOUTS_KEY is set, and the other commands use that key.' : ''
}
