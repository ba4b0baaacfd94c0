// `npm run bench` prints ratios measured within one run, because machines are noisy. Given the name of a part, it runs
// only that part: `npm run bench -- reads`. Numbers replace the sizes of the invoice runs and of the growth
// measurement, and the minutes of the soak: `-- invoices 20000`, `-- growth 10000 1000000 partners=100`, `-- soak 10`.
// The parts `compare` and `soak` run only if they are named.
import { setTimeout as wait } from 'node:timers/promises'
import { choosePort } from '../local/ports'
import { compare } from './compare/compare'
import { isVoid, reportOf } from './compare/report'
import { measureGrowth } from './growth'
import { measureInvoices } from './invoices'
import { measureAccepting } from './payouts/accept'
import { measureSoak, measureWholeLife } from './payouts/life'
import { measureOverload } from './payouts/overload'
import { measureReads } from './payouts/read'
import { measureReplays } from './payouts/replay'
import { measureRequestTime } from './payouts/request-time'
import { measureBank, openStage, type Stage } from './payouts/stage'
import { measureHotWallet, openWallets } from './payouts/wallets'
import { type System, startSystem } from './system'

const parts = {
  reads: async (system: System) => {
    await wait(idleMs)
    print([`Resident memory when idle: ${memory(system)}`])
    print(await measureReads(system))
    print([`Resident memory after the load: ${memory(system)}`])
  },
  payouts: async (system: System) => {
    await measurePayouts(system, print)
    print([`Resident memory after the payouts: ${memory(system)}`])
  },
  life: (system: System) => onStage(system, measureWholeLife),
  overload: (system: System) => onStage(system, measureOverload),
  invoices: (system: System, { sizes }: Options) =>
    measureInvoices(system, print, sizes.length > 0 ? sizes : undefined),
  growth: (system: System, options: Options) => measureGrowth(system, options, print),
  soak: (system: System, { sizes: [minutes = 10] }: Options) =>
    onStage(system, (stage) => measureSoak(stage, minutes, () => memory(system))),
} as const

/** Too long for a run without names. */
const onlyIfNamed = ['soak']

interface Options {
  readonly sizes: readonly number[]
  readonly partners: number
}

/** Long enough for Node.js to collect the garbage from startup. */
const idleMs = 10_000

async function main(given: readonly string[]): Promise<void> {
  if (given[0] === 'compare') return printComparison(given.slice(1))
  const isNumber = (argument: string) => /^\d+$/.test(argument)
  const partners = /^partners=(\d+)$/
  const chosen = given.filter((argument) => !isNumber(argument) && !partners.test(argument))
  const options = {
    sizes: given.filter(isNumber).map(Number),
    partners: Number(given.map((argument) => partners.exec(argument)?.[1]).find(Boolean) ?? 1),
  }
  const unknown = chosen.filter((name) => !Object.hasOwn(parts, name))
  if (unknown.length > 0)
    throw new Error(
      `There is no part "${unknown.join(' ')}". The parts are: ${Object.keys(parts).join(', ')}, compare.`,
    )
  const system = await startSystem(await choosePort(3100))
  try {
    for (const [name, run] of Object.entries(parts)) {
      const isDue = chosen.length === 0 ? !onlyIfNamed.includes(name) : chosen.includes(name)
      if (isDue) await run(system, options)
    }
  } finally {
    await system.stop()
  }
}

/** Installs and measures other libraries, so it is not part of a run without names. */
async function printComparison(options: readonly string[]): Promise<void> {
  const comparison = await compare(options, (line) => process.stderr.write(`${line}\n`))
  print(reportOf(comparison))
  if (isVoid(comparison)) process.exitCode = 1
}

function memory(system: System): string {
  const [api, worker] = [system.residentBytes('api'), system.residentBytes('worker')]
  const mb = (bytes: number) => `${Math.round(bytes / 1_000_000)} MB`
  return `API ${mb(api)} + worker ${mb(worker)} = ${mb(api + worker)}`
}

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n\n`)
}

async function onStage(system: System, measure: (stage: Stage) => Promise<string[]>): Promise<void> {
  const stage = await openStage(system)
  try {
    print(await measure(stage))
  } finally {
    await stage.close()
  }
}

/** Measures POST /v1/payouts and everything behind it, as ratios to a bare server and bare workflows. */
async function measurePayouts(system: System, print: (lines: readonly string[]) => void): Promise<void> {
  const stage = await openStage(system)
  try {
    print(await measureAccepting(stage))
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
