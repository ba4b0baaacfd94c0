// `npm run bench` prints ratios measured within one run, because machines are noisy. With the name of a part, it runs only that
// part: `npm run bench -- proof`.
import { setTimeout as wait } from 'node:timers/promises'
import { choosePort } from '../local/ports'
import { measureGrowth } from './growth'
import { measureInvoices } from './invoices'
import { measureAccepting } from './payouts/accept'
import { measureFairness } from './payouts/fairness'
import { measureWholeLife } from './payouts/life'
import { measureRead } from './payouts/read'
import { measureReplays } from './payouts/replay'
import { measureRequestTime } from './payouts/request-time'
import { measureBank, openStage } from './payouts/stage'
import { measureHotWallet, openWallets } from './payouts/wallets'
import { measureProof } from './proof'
import { type System, startSystem } from './system'

const parts = {
  reads: async (system: System) => {
    await wait(idleMs)
    print([`Resident memory when idle: ${memory(system)}`])
    print(await measureRead(system))
    print([`Resident memory after the load: ${memory(system)}`])
  },
  payouts: async (system: System) => {
    await measurePayouts(system, print)
    print([`Resident memory after the payouts: ${memory(system)}`])
  },
  fairness: async (system: System) => {
    const stage = await openStage(system)
    try {
      print(await measureFairness(stage))
    } finally {
      await stage.close()
    }
  },
  invoices: (system: System) => measureInvoices(system, print),
  growth: (system: System) => measureGrowth(system, print),
  proof: (system: System) => measureProof(system, print),
} as const

/** Long enough to collect the garbage of the start-up. */
const idleMs = 10_000

async function main(chosen: readonly string[]): Promise<void> {
  const unknown = chosen.filter((name) => !Object.hasOwn(parts, name))
  if (unknown.length > 0)
    throw new Error(`There is no part "${unknown.join(' ')}". The parts are: ${Object.keys(parts).join(', ')}.`)
  const system = await startSystem(await choosePort(3100))
  try {
    for (const [name, run] of Object.entries(parts)) {
      if (chosen.length === 0 || chosen.includes(name)) await run(system)
    }
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

/** Measures POST /v1/payouts and everything behind it, as ratios to a bare server and bare workflows. */
async function measurePayouts(system: System, print: (lines: readonly string[]) => void): Promise<void> {
  const stage = await openStage(system)
  try {
    print(await measureAccepting(stage))
    print(await measureWholeLife(stage))
    print(await measureRequestTime(stage))
    print(await measureReplays(stage))
    print(await measureHotWallet(stage, await openWallets(stage)))
    print(await measureBank(stage))
  } finally {
    await stage.close()
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  process.exitCode = 1
})
