// Starts the mail inbox, where every mail of a system on one machine ends, as a part of that system.

import { join } from 'node:path'
import { choosePort } from '../ports'
import { type NodePartOptions, startNodePart } from '../process/node-part'

export interface LocalInbox {
  /** SMTP_URL of those who send. */
  readonly smtp: string
  /** The page for people; `/messages.json` below it for scripts. */
  readonly inbox: string
}

export interface LocalInboxOptions extends Pick<NodePartOptions, 'logFile' | 'env' | 'onSpawn'> {
  readonly dataDir: string
  readonly preferredSmtpPort: number
  readonly preferredHttpPort: number
}

const portTaken = /port is in use/
const attemptsMax = 5

export async function startMailInbox(options: LocalInboxOptions): Promise<LocalInbox> {
  const { dataDir, preferredSmtpPort, preferredHttpPort, logFile, env, onSpawn } = options
  for (let attempt = 1; ; attempt++) {
    const smtpPort = await choosePort(attempt === 1 ? preferredSmtpPort : 0)
    const httpPort = await choosePort(attempt === 1 ? preferredHttpPort : 0)
    const args = ['--smtp-port', String(smtpPort), '--http-port', String(httpPort), '--data-dir', dataDir]
    try {
      const main = join('dist', 'local', 'mail-inbox', 'main.js')
      await startNodePart({ name: 'Mail inbox', main, args, env, logFile, onSpawn })
      return { smtp: `smtp://127.0.0.1:${smtpPort}`, inbox: `http://127.0.0.1:${httpPort}` }
    } catch (error) {
      // Somebody took a port between our look at it and the inbox's.
      if (attempt === attemptsMax || !portTaken.test(String(error))) throw error
    }
  }
}
