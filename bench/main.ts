// `npm run bench`: figures as ratios in one run, because machines are noisy.
import { setTimeout as wait } from 'node:timers/promises'
import { choosePort } from '../local/ports'
import { readPayout } from './read-payout'
import { type System, startSystem } from './system'

/** Long enough for start-up garbage to be collected. */
const idleMs = 10_000

async function main(): Promise<void> {
  const system = await startSystem(await choosePort(3100))
  try {
    await wait(idleMs)
    print([`Resident memory when idle: ${memory(system)}`])
    print(await readPayout(system))
    print([`Resident memory after the load: ${memory(system)}`])
  } finally {
    await system.stop()
  }
}

function memory(system: System): string {
  const [api, worker] = [system.residentBytes('api'), system.residentBytes('worker')]
  const mb = (bytes: number) => `${Math.round(bytes / 1_000_000)} MB`
  return `API ${mb(api)} + worker ${mb(worker)} = ${mb(api + worker)}`
}

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n\n`)
}

void main()
