// The demo partner and its keys: created by ops commands, stored in DATA_DIR, and created again if the API rejects
// them.

import { type ExecFileOptions, execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { EnvironmentVariables } from '../runtime/config/config'
import { projectDir, writePrivate } from './files'

export interface Demo {
  readonly partner: { readonly id: string; readonly slug: string; readonly email: string }
  /** There is a live key only if the live bank is simulated. */
  readonly keys: { readonly sandbox: string; readonly live?: string }
}

const slug = 'demo'
const email = 'demo@payouts.test'
const label = 'demo'
const liveUsdc = '10000.00'

export function readDemo(dataDir: string): Demo | null {
  const path = join(dataDir, 'demo.json')
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null
}

/**
 * Creates a verified partner with payouts in the last three months, the latest of which is still to be billed. Returns
 * null if that fails, for example because the partner already exists.
 */
export async function makeDemoWithMonth(
  dataDir: string,
  env: EnvironmentVariables,
  signal: AbortSignal,
): Promise<Demo | null> {
  const ops = opsWith(env, signal)
  const about = ['--name', 'Demo Ltd', '--slug', slug, '--email', email, '--usdc', liveUsdc]
  const made = await ops('partner', 'demo', ...about).catch(() => null)
  if (made === null) return null
  return keepDemo(dataDir, { partner: { id: made.id, slug, email }, keys: made.keys })
}

export async function makeDemo(dataDir: string, env: EnvironmentVariables, signal: AbortSignal): Promise<Demo> {
  const ops = opsWith(env, signal)
  const partner = await ops('partner', 'create', '--name', 'Demo Ltd', '--slug', slug, '--email', email).catch(() =>
    reopenDemo(ops),
  )
  const sandbox = await newKey(ops, 'sandbox')
  return keepDemo(dataDir, { partner: { id: partner.id, slug, email }, keys: { sandbox } })
}

/**
 * Verifies the partner at the simulated bank and credits simulated money, so that users can try the live environment.
 */
export async function makeDemoLive(
  dataDir: string,
  env: EnvironmentVariables,
  demo: Demo,
  signal: AbortSignal,
): Promise<Demo> {
  const ops = opsWith(env, signal)
  await ops('partner', 'approve', '--partner', slug)
  const { data: wallets } = await ops('wallet', 'show', '--partner', slug)
  const isEmpty = wallets.some((wallet: Shown) => wallet.environment === 'live' && wallet.usdc === '0.00')
  if (isEmpty) await ops('wallet', 'credit', '--partner', slug, '--environment', 'live', '--usdc', liveUsdc)
  const live = await newKey(ops, 'live')
  return keepDemo(dataDir, { ...demo, keys: { ...demo.keys, live } })
}

/** Whether the API accepts all keys, which means that no response is a 401. */
export async function isAccepted(api: string, { keys }: Demo): Promise<boolean> {
  const answers = Object.values(keys).map((key) => ask(`${api}/v1/balance`, key))
  return (await Promise.all(answers)).every(({ status }) => status !== 401)
}

/** Whether the partner's sandbox account is connected to the sandbox bank. */
export async function isConnected(api: string, { keys }: Demo): Promise<boolean> {
  const answer = await ask(`${api}/v1/account`, keys.sandbox)
  const account = answer.ok ? await answer.json() : null
  return typeof account === 'object' && account !== null && 'rail' in account && account.rail === 'provider_sandbox'
}

type Shown = { readonly environment: string; readonly usdc: string }

function keepDemo(dataDir: string, demo: Demo): Demo {
  writePrivate(join(dataDir, 'demo.json'), demo)
  return demo
}

async function newKey(ops: Ops, environment: 'sandbox' | 'live'): Promise<string> {
  const made = await ops('key', 'create', '--partner', slug, '--environment', environment, '--label', label)
  return made.secret
}

/** Reuses an existing partner whose keys are lost. Revokes those keys, because they count against the limit. */
async function reopenDemo(ops: Ops) {
  const partner = await ops('partner', 'show', '--partner', slug)
  const { data: keys } = await ops('key', 'list', '--partner', slug)
  for (const key of keys) {
    if (key.label === label && key.revoked_at === null) await ops('key', 'revoke', '--partner', slug, '--key', key.id)
  }
  return partner
}

function ask(url: string, key: string): Promise<Response> {
  return fetch(url, { headers: { Authorization: `Bearer ${key}` }, signal: AbortSignal.timeout(10_000) })
}

type Ops = ReturnType<typeof opsWith>

function opsWith(env: EnvironmentVariables, signal: AbortSignal) {
  const main = join(projectDir(), 'dist', 'ops', 'main.js')
  const options: ExecFileOptions = { env, signal, timeout: 120_000 }
  return async (...args: string[]) => {
    const { stdout } = await promisify(execFile)(process.execPath, [main, ...args, '--json'], options)
    return JSON.parse(String(stdout))
  }
}
