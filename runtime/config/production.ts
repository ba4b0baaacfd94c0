// Rejects unsafe settings in production: development secrets, and a sandbox bank configured as live or the reverse.
import type { SecretKey } from './kinds'
import type { Reader } from './read'
import type { BankAccess, BankConfig } from './types'

interface Secrets {
  readonly secretKeys: readonly SecretKey[]
  readonly bank: BankConfig
  readonly databaseUrl: string
}

/** Such a secret is known to anyone who has read this repository or a trial system's data folder. */
export function refuseDevelopmentSecrets(reader: Reader, { secretKeys, bank, databaseUrl }: Secrets): void {
  if (!reader.isProduction()) return
  for (const { id, bytes } of secretKeys) {
    if (id.startsWith('local')) refuse(reader, 'SECRET_KEYS', `has a key (${id}) that \`npm start\` created`)
    // 32 random bytes have about 30 distinct values.
    else if (new Set(bytes).size < 16) refuse(reader, 'SECRET_KEYS', `has a key (${id}) that is not random`)
  }
  refuseDevelopmentKey(reader, 'BANK_SANDBOX_KEY', bank.sandbox)
  refuseDevelopmentKey(reader, 'BANK_LIVE_KEY', bank.live)
  refuseExamplePassword(reader, databaseUrl)
}

/**
 * If the banks were swapped, a sandbox wallet that holds test money would pay real money. A simulated live bank may
 * share its host with the sandbox bank, but must not be on the bank's own live host.
 */
export function refuseSwappedBanks(
  reader: Reader,
  { sandbox, live }: BankConfig,
  liveBank: 'simulated' | 'real',
): void {
  if (!reader.isProduction()) return
  const [sandboxHost, liveHost] = [hostOf(sandbox), hostOf(live)]
  if (sandbox?.key.startsWith('sk-live-')) refuse(reader, 'BANK_SANDBOX_KEY', 'is a live key (sk-live-…)')
  if (live?.key.startsWith('sk-test-')) refuse(reader, 'BANK_LIVE_KEY', 'is a test key (sk-test-…)')
  if (isLiveHost(sandboxHost)) refuse(reader, 'BANK_SANDBOX_URL', 'names a live bank')
  if (liveBank === 'simulated' && isLiveHost(liveHost))
    refuse(reader, 'BANK_LIVE_SIMULATED', 'is on although BANK_LIVE_URL names a live bank')
  if (liveBank === 'real' && isSandboxHost(liveHost))
    refuse(reader, 'BANK_LIVE_URL', `names a sandbox bank${unlessSimulated}`)
  if (sandbox === null || live === null) return
  if (secretPart(sandbox.key) !== '' && secretPart(sandbox.key) === secretPart(live.key))
    refuse(reader, 'BANK_LIVE_KEY', 'is the key of BANK_SANDBOX_KEY')
  if (liveBank === 'real' && sandboxHost !== '' && sandboxHost === liveHost)
    refuse(reader, 'BANK_LIVE_URL', `has the same host as BANK_SANDBOX_URL${unlessSimulated}`)
}

const unlessSimulated = ', but BANK_LIVE_SIMULATED is not on'

const examplePasswords = ['postgres', 'password', 'payouts', 'secret', 'example', 'changeme', 'temporal']

function refuse(reader: Reader, name: string, why: string): void {
  reader.mistakes.push(`${name} ${why}: not allowed in production.`)
}

function refuseDevelopmentKey(reader: Reader, name: string, access: BankAccess | null): void {
  const key = secretPart(access?.key ?? '')
  if (key.startsWith('local-')) refuse(reader, name, 'was created by `npm start`')
  else if (key !== '' && key.length < 16) refuse(reader, name, 'is an example value')
}

function refuseExamplePassword(reader: Reader, databaseUrl: string): void {
  if (!URL.canParse(databaseUrl)) return
  const { password, searchParams } = new URL(databaseUrl)
  if (examplePasswords.includes(password.toLowerCase())) refuse(reader, 'DATABASE_URL', 'has an example password')
  // A client certificate or a local socket replaces the password.
  const needsNone = searchParams.has('sslcert') || searchParams.get('host')?.startsWith('/')
  if (password === '' && !needsNone) refuse(reader, 'DATABASE_URL', 'has no password')
}

/** The host with its port. Empty without a bank, and for an invalid URL, which has already been reported. */
function hostOf(access: BankAccess | null): string {
  return access !== null && URL.canParse(access.url) ? new URL(access.url).host : ''
}

/** The provider's sandbox is api.sandbox.bridge.xyz. */
function isSandboxHost(host: string): boolean {
  return host.includes('sandbox')
}

/** The provider's live API is api.bridge.xyz. */
function isLiveHost(host: string): boolean {
  if (isSandboxHost(host)) return false
  return /(^|\.)bridge\.xyz(:\d+)?$/.test(host) || /(^|[.-])(live|prod|production)([.:-]|$)/.test(host)
}

function secretPart(key: string): string {
  return key.replace(/^sk-(test|live)-/, '')
}
