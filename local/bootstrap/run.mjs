// Runs npm quietly, keeps its output in case it fails, and stops it when this process ends.

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const guard = readFileSync(join(dirname(fileURLToPath(import.meta.url)), '..', 'process', 'guard.sh'), 'utf8')
const keptBytes = 1024 * 1024

/** Resolves to null on success, otherwise to the output. */
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

/** The first lines name the cause and the last ones the place. The rest is omitted. */
function abridged(output) {
  const lines = output.trim().split('\n')
  return lines.length <= 40 ? lines.join('\n') : [...lines.slice(0, 20), '…', ...lines.slice(-20)].join('\n')
}

/** The npm and Node that run this process, or else the npm on the PATH. */
function npm() {
  const { npm_execpath: path } = process.env
  return path?.endsWith('npm-cli.js') ? [process.execPath, path] : ['npm']
}
