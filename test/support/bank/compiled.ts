// The sandbox bank as a separate process that a test can kill. The test compiles it first.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { transformFileSync } from '@swc/core'
import { keys } from './client'

const source = join(__dirname, '../../../sandbox-bank')

export function compileBank(into: string): string {
  for (const name of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue
    const target = join(into, name.replace(/\.ts$/, '.js'))
    mkdirSync(dirname(target), { recursive: true })
    const { code } = transformFileSync(join(source, name), {
      jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
      module: { type: 'commonjs' },
      swcrc: false,
    })
    writeFileSync(target, code)
  }
  return join(into, 'main.js')
}

export interface BankProcess {
  readonly child: ChildProcess
  readonly url: string
  readonly exited: Promise<number | NodeJS.Signals | null>
}

export async function spawnBank(
  main: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<BankProcess> {
  const { child, exited, stderr } = run(main, args, env)
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout ?? process.stdin }).once('line', resolve)
    void exited.then(() => reject(new Error(stderr())))
  })
  return { child, url: JSON.parse(line).listening, exited }
}

export function run(main: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const all = [main, '--sandbox-key', keys.sandbox, '--live-key', keys.live, ...args]
  const child = spawn(process.execPath, all, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let text = ''
  child.stderr?.on('data', (piece: Buffer) => {
    text += piece.toString()
  })
  const exited = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('exit', (code, signal) => resolve(code ?? signal)),
  )
  return { child, exited, stderr: () => text }
}
