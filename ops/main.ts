// `npm run -s ops -- …`: the operators' command line. `run` returns the exit code.
import { environment } from '../runtime/config/config'
import { run } from './run'

// A reader such as `| head` may close the pipe early.
process.stdout.on('error', () => {})

async function main(): Promise<void> {
  const { stdout, stderr } = process
  process.exitCode = await run(process.argv.slice(2), { env: environment(), stdout, stderr })
}

void main()
