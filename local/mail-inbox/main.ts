// Entry point of the mail inbox, which `npm start` runs as a separate process. It receives every email and forwards
// none.

import { parseArgs } from 'node:util'
import { errorCode } from '../files'
import { startInbox } from './inbox'

async function main(): Promise<void> {
  const options = {
    'smtp-port': { type: 'string' },
    'http-port': { type: 'string' },
    'data-dir': { type: 'string' },
  } as const
  const { values } = parseArgs({ options, strict: true })
  const inbox = await startInbox({
    dataDir: values['data-dir'] ?? '.data/mail',
    smtpPort: Number(values['smtp-port'] ?? 1025),
    httpPort: Number(values['http-port'] ?? 8025),
  })
  process.stdout.write(`${JSON.stringify({ smtp: inbox.smtpUrl, inbox: inbox.url })}\n`)
  process.send?.({ ready: true })

  let stopping: Promise<void> | null = null
  const stop = () => {
    stopping ??= inbox.close().then(() => process.exit(0), fail)
  }
  // A disconnect means that the parent process has ended, and nothing else would stop this one.
  for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(event, stop)
}

function fail(error: unknown): void {
  const taken = errorCode(error) === 'EADDRINUSE'
  process.stderr.write(`mail inbox: ${taken ? 'The port is in use by another process.' : String(error)}\n`)
  process.exit(1)
}

main().catch(fail)
