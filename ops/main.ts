// `npm run -s ops -- …`: the command line for ops; its exit code is run's.
import { environment } from '../runtime/config/config'
import { run } from './run'

// Whoever stops reading, as `| head` does, has seen enough.
process.stdout.on('error', () => {})

async function main(): Promise<void> {
  const { stdout, stderr } = process
  process.exitCode = await run(process.argv.slice(2), { env: environment(), stdout, stderr })
}

void main()
