// Starts the sandbox bank for both environments, as a part of the local system.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivate } from './files'
import { choosePort } from './ports'
import { type NodePartOptions, startNodePart } from './process/node-part'
import type { Secrets } from './secrets'

interface LocalBank {
  /** The base URL. The bank's API is under /v0, and the control plane is under /_control. */
  readonly url: string
  readonly port: number
}

interface LocalBankOptions extends Pick<NodePartOptions, 'logFile' | 'env' | 'onSpawn'> {
  readonly dataDir: string
  readonly preferredPort: number
  readonly keys: Secrets['bankKeys']
}

const portTaken = /port is in use/
const attemptsMax = 5

export async function startBank(options: LocalBankOptions): Promise<LocalBank> {
  const { dataDir, preferredPort, keys, logFile, env, onSpawn } = options
  const keyFiles = writeKeys(dataDir, keys)
  for (let attempt = 1; ; attempt++) {
    const port = await choosePort(attempt === 1 ? preferredPort : 0)
    const args = ['--port', String(port), '--data-dir', dataDir, ...keyFiles]
    try {
      const main = join('dist', 'sandbox-bank', 'main.js')
      await startNodePart({ name: 'Bank', main, args, env, logFile, onSpawn })
      return { port, url: `http://127.0.0.1:${port}` }
    } catch (error) {
      // Another process took the port between our check and the bank's start.
      if (attempt === attemptsMax || !portTaken.test(String(error))) throw error
    }
  }
}

/** Passes the keys in files, because every user of the machine can read a process's arguments. */
function writeKeys(dataDir: string, keys: LocalBankOptions['keys']): string[] {
  mkdirSync(dataDir, { recursive: true })
  return (['sandbox', 'live'] as const).flatMap((environment) => {
    const file = join(dataDir, `${environment}-key`)
    writePrivate(file, keys[environment])
    return [`--${environment}-key-file`, file]
  })
}
