// The demo partner and its sandbox key: made once by the ops command line, kept in DATA_DIR, made anew when the API refuses them.

import { type ExecFileOptions, execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { EnvironmentVariables } from '../config'
import { writePrivate } from './private-file'
import { projectDir } from './project-dir'

export interface Demo {
  readonly partner: { readonly id: string; readonly slug: string; readonly email: string }
  readonly keys: { readonly sandbox: string }
}

const slug = 'demo'
const email = 'demo@payouts.test'
const label = 'demo'

export function readDemo(dataDir: string): Demo | null {
  const path = join(dataDir, 'demo.json')
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null
}

export async function makeDemo(dataDir: string, env: EnvironmentVariables, signal: AbortSignal): Promise<Demo> {
  const ops = (...args: string[]) => runOps(args, { env, signal, timeout: 60_000 })
  const partner = await ops('partner', 'create', '--name', 'Demo Ltd', '--slug', slug, '--email', email).catch(() =>
    reopenDemo(ops),
  )
  const { secret } = await ops('key', 'create', '--partner', slug, '--environment', 'sandbox', '--label', label)
  const demo: Demo = { partner: { id: partner.id, slug, email }, keys: { sandbox: secret } }
  writePrivate(join(dataDir, 'demo.json'), demo)
  return demo
}

/** The partner is there but its key is lost; that key helps nobody and counts against the limit. */
async function reopenDemo(ops: Ops) {
  const partner = await ops('partner', 'show', '--partner', slug)
  const { data: keys } = await ops('key', 'list', '--partner', slug)
  for (const key of keys) {
    if (key.label === label && key.revoked_at === null) await ops('key', 'revoke', '--partner', slug, '--key', key.id)
  }
  return partner
}

/** Whether the key is known to this system; any answer but "who are you" will do. */
export async function isAccepted(api: string, demo: Demo): Promise<boolean> {
  const headers = { Authorization: `Bearer ${demo.keys.sandbox}` }
  const { status } = await fetch(`${api}/v1/balance`, { headers, signal: AbortSignal.timeout(10_000) })
  return status !== 401
}

type Ops = (...args: string[]) => ReturnType<typeof runOps>

async function runOps(args: readonly string[], options: ExecFileOptions) {
  const main = join(projectDir(), 'dist', 'ops', 'main.js')
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...args, '--json'], options)
  return JSON.parse(String(stdout))
}
