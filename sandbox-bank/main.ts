// Entry point of the sandbox bank: a separate process that implements the provider's protocol and moves no money.
import { readArguments } from './arguments'
import { type RunningBank, startBank } from './start'

async function main(): Promise<void> {
  const bank = await startBank({ ...readArguments(process.argv.slice(2)), onFailure: fail })
  process.stdout.write(`${JSON.stringify({ listening: bank.url, control: bank.controlUrl })}\n`)
  process.send?.({ ready: true })
  stopOnce(bank)
}

function stopOnce(bank: RunningBank): void {
  let stopping: Promise<void> | null = null
  const stop = () => {
    stopping ??= bank.close().then(() => process.exit(0), fail)
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
  // A disconnect means that the parent process has ended, and nothing else would stop this one.
  process.once('disconnect', stop)
}

/**
 * After a failed write the journal may lack recent changes, so the process stops. The next start rebuilds the state
 * from the journal.
 */
function fail(error: unknown): void {
  process.stderr.write(`sandbox bank: ${sentenceFor(error)}\n`)
  process.exit(1)
}

function sentenceFor(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? error.code : null
  if (code === 'EADDRINUSE') return 'The port is in use by another process; choose another with --port.'
  return error.message
}

main().catch(fail)
