// Runs npm quietly and stops it when this process ends; shows the progress of slow steps.

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const guard = readFileSync(join(dirname(fileURLToPath(import.meta.url)), '..', 'process', 'guard.sh'), 'utf8')
const keptBytes = 1024 * 1024

/** Resolves to null on success, otherwise to npm's output. */
export function runNpm(root, args) {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', guard, 'guard', 'TERM', ...npm(), ...args], {
      cwd: root,
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    let output = ''
    child.stderr.on('data', (chunk) => {
      if (output.length < keptBytes) output += chunk
    })
    child.once('error', reject)
    child.once('close', (status) => resolve(status === 0 ? null : abridged(output)))
  })
}

/** The first lines contain the cause, and the last lines the location. The rest is omitted. */
function abridged(output) {
  const lines = output.trim().split('\n')
  return lines.length <= 40 ? lines.join('\n') : [...lines.slice(0, 20), '…', ...lines.slice(-20)].join('\n')
}

/** The npm and Node that run this process, or else the npm on the PATH. */
function npm() {
  const { npm_execpath: path } = process.env
  return path?.endsWith('npm-cli.js') ? [process.execPath, path] : ['npm']
}

const { stdout } = process
const [green, dim, plain] = stdout.isTTY && stdout.hasColors() ? ['\x1b[32m', '\x1b[2m', '\x1b[0m'] : ['', '', '']
const liveEveryMs = 200
const plainEveryMs = 10_000

/** Updates one line on a terminal. Otherwise prints a line every 10 s. */
export function showProgress(step, progress = () => '') {
  const started = performance.now()
  const seconds = () => (performance.now() - started) / 1000
  const line = () => [step, progress(), `${Math.floor(seconds())} s`].filter(Boolean).join(', ')
  const clear = () => stdout.isTTY && stdout.write('\r\x1b[2K')
  const draw = () => stdout.write(stdout.isTTY ? `\r\x1b[2K  ${line()}`.slice(0, stdout.columns ?? 80) : `${line()}\n`)

  stdout.write(stdout.isTTY ? '' : `${step}\n`)
  const timer = setInterval(draw, stdout.isTTY ? liveEveryMs : plainEveryMs)
  const end = () => {
    clearInterval(timer)
    clear()
  }
  return {
    done(text) {
      end()
      stdout.write(`${green}✓${plain} ${text} ${dim}(${seconds().toFixed(1)} s)${plain}\n`)
    },
    failed: end,
  }
}
