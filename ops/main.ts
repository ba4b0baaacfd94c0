#!/usr/bin/env node
// The command line, as `payouts …` or `npm run -s ops -- …`. `run` returns the exit code.
import { basename } from 'node:path'
import { environment } from '../runtime/config/config'
import { run } from './run'

// A reader of the output, such as `head`, may close the pipe early.
process.stdout.on('error', () => {})

async function main(): Promise<void> {
  const { stdin, stdout, stderr, argv } = process
  // npm and the container image install a link with the name of the program.
  const isLinked = basename(argv[1] ?? '') === 'payouts'
  const terminal = { env: environment(), stdin, stdout, stderr, ...(isLinked && { program: 'payouts' }) }
  process.exitCode = await run(argv.slice(2), terminal)
}

void main()
