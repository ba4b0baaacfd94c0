// Runs npm for a step: quietly, with its words kept for the case that it fails, and never longer than this process lives.

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const guard = readFileSync(join(dirname(fileURLToPath(import.meta.url)), '..', 'process', 'guard.sh'), 'utf8')
const keptBytes = 1024 * 1024

/** Resolves to null when it went well, otherwise to what it said. */
export function runNpm(root, args) {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', guard, 'guard', 'TERM', ...npm(), ...args], {
      cwd: root,
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr.on('data', (chunk) => {
      if (said.length < keptBytes) said += chunk
    })
    child.once('error', reject)
    child.once('close', (status) => resolve(status === 0 ? null : abridged(said)))
  })
}

/** Its first lines name the cause and its last ones the place; what lies between fills screens. */
function abridged(said) {
  const lines = said.trim().split('\n')
  return lines.length <= 40 ? lines.join('\n') : [...lines.slice(0, 20), '…', ...lines.slice(-20)].join('\n')
}

/** The npm that runs us, with the Node that runs us; whichever is on the PATH otherwise. */
function npm() {
  const { npm_execpath: path } = process.env
  return path?.endsWith('npm-cli.js') ? [process.execPath, path] : ['npm']
}
