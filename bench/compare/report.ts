// Presents the results of `npm run bench -- compare` as a table and as an SVG chart.
import type { Spread } from '../measured'
import type { Contender } from './contenders'

export interface Settings {
  readonly seconds: number
  readonly rounds: number
  readonly clients: number
}

interface Percentiles {
  readonly p50Ms: Spread
  readonly p99Ms: Spread
}

/** One contender with one bank. */
export interface Result extends Contender {
  readonly bankMs: number
  readonly perSecond: Spread
  /** CPU time for each payout, of all processes except the load generator. NaN if it cannot be measured. */
  readonly cpuMs: Spread
  readonly latencies: readonly {
    readonly share: number
    /** Until the bank has accepted the transfer and it is stored. */
    readonly paid: Percentiles
    readonly answered: Percentiles
  }[]
  /** What the referee found. A contender with a fault scores zero. */
  readonly faults: readonly string[]
}

export interface Comparison {
  readonly at: string
  readonly machine: { readonly processor: string; readonly cores: number; readonly node: string }
  readonly settings: Settings
  readonly calibrations: readonly (readonly number[])[]
  /** The largest change of a calibration, as a share of its median. */
  readonly drift: number
  readonly results: readonly Result[]
}

const driftLimit = 0.15

export function isVoid({ drift }: Comparison): boolean {
  return !(drift <= driftLimit)
}

/** A wrong contender scores zero, however fast it is. */
export function scoreOf({ faults, perSecond }: Result): number {
  return faults.length > 0 ? 0 : perSecond.median
}

/** The table is Markdown, so that it can be copied into the documentation. */
export function reportOf(comparison: Comparison): string[] {
  const { results, settings, drift } = comparison
  const { rounds, seconds, clients } = settings
  return [
    `Medians of ${rounds} interleaved rounds of ${seconds} s [least to most]. Maximum: closed loop, ${clients} clients, until the last`,
    'payout is paid. Latency: open loop at 50 % and 70 % of that maximum, from the time a request is due until it is paid.',
    '',
    '| contender | bank | payouts per second | CPU for each | p50 / p99 at 50 % | p50 / p99 at 70 % | referee |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...results.map(rowOf),
    '',
    ...comparedWithOurs(results),
    '',
    verdictOn(drift),
  ]
}

function rowOf(result: Result): string {
  const { name, bankMs, perSecond, cpuMs, latencies, faults, work } = result
  const verdict = { none: 'does none of the work', rows: 'correct, does not pay', paid: 'correct' }[work]
  return `| ${[
    name,
    work === 'paid' ? `${bankMs} ms` : 'none',
    `${short(scoreOf(result))} [${short(perSecond.least)} to ${short(perSecond.most)}]`,
    `${short(cpuMs.median)} ms`,
    ...latencies.map(({ paid }) => `${short(paid.p50Ms.median)} / ${short(paid.p99Ms.median)} ms`),
    faults.length > 0 ? `wrong: ${faults.join('; ')}` : verdict,
  ].join(' | ')} |`
}

/** States where others are faster, and what they do not promise. */
function comparedWithOurs(results: readonly Result[]): string[] {
  return results
    .filter(({ id }) => id !== 'ours')
    .flatMap((result) => {
      const ours = results.find(({ id, bankMs }) => id === 'ours' && bankMs === result.bankMs)
      if (ours === undefined || result.faults.length > 0) return []
      const ratio = scoreOf(result) / scoreOf(ours)
      const verdict =
        ratio > 1 ? `${ratio.toFixed(1)} × as fast as ours` : `${(1 / ratio).toFixed(1)} × slower than ours`
      const bank = result.work === 'paid' ? `, bank ${result.bankMs} ms` : ''
      return [`- ${result.name}${bank}: ${verdict}. It lacks ${result.lacks}.`]
    })
}

function verdictOn(drift: number): string {
  const percent = `${(drift * 100).toFixed(0)} %`
  return drift <= driftLimit
    ? `Calibration drifted by ${percent}.`
    : `VOID: calibration drifted by ${percent}, more than ${driftLimit * 100} %. The machine was not steady; run it again when it is idle.`
}

function short(value: number): string {
  if (!Number.isFinite(value)) return '–'
  return value >= 99.5 ? value.toFixed(0) : value.toPrecision(2)
}

const left = 210
const width = 900
const rowHeight = 32
const colours = { 0: '#2563eb', 50: '#d97706' } as const

/** Two panels with logarithmic axes: payouts per second, and the time until a payout is paid at 70 % load. */
export function chartOf(comparison: Comparison): string {
  const results = comparison.results.filter((result) => scoreOf(result) > 0)
  const names = [...new Set(results.map(({ name }) => name))]
  const panelHeight = names.length * rowHeight + 70
  const rates = results.map(({ perSecond }) => perSecond)
  const times = results.map(({ latencies }) => latencies.at(-1)?.paid ?? null)
  const spans = times.map(
    (time) => time && { median: time.p50Ms.median, least: time.p50Ms.median, most: time.p99Ms.median },
  )
  const height = panelHeight * 2 + 44
  const note = `${isVoid(comparison) ? 'VOID: the machine was not steady. ' : ''}${comparison.at.slice(0, 10)}, ${comparison.machine.cores} cores shared by all processes.`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...panel('Payouts per second, median and spread (more is better)', { top: 0, names, results, spans: rates }),
    ...panel('Milliseconds until paid at 70 % load, p50 to p99 (less is better)', {
      top: panelHeight,
      names,
      results,
      spans,
    }),
    `<text x="10" y="${height - 28}" fill="#64748b">Blue: the bank answers at once. Orange: the bank takes 50 ms.</text>`,
    `<text x="10" y="${height - 10}" fill="#64748b">${escaped(note)}</text>`,
    '</svg>',
    '',
  ].join('\n')
}

interface Panel {
  readonly top: number
  readonly names: readonly string[]
  readonly results: readonly Result[]
  /** One for each result. */
  readonly spans: readonly (Spread | null)[]
}

function panel(title: string, { top, names, results, spans }: Panel): string[] {
  const all = spans.flatMap((span) => (span ? [span.least, span.most] : [])).filter((value) => value > 0)
  const [low, high] = [Math.floor(Math.log10(Math.min(...all))), Math.ceil(Math.log10(Math.max(...all)))]
  const x = (value: number) =>
    left + ((Math.log10(Math.max(value, 10 ** low)) - low) / (high - low || 1)) * (width - left - 60)
  const bottom = top + 40 + names.length * rowHeight
  const ticks = Array.from({ length: high - low + 1 }, (_, n) => 10 ** (low + n))
  return [
    `<text x="10" y="${top + 24}" font-weight="600">${escaped(title)}</text>`,
    ...ticks.flatMap((tick) => [
      `<line x1="${x(tick)}" y1="${top + 36}" x2="${x(tick)}" y2="${bottom}" stroke="#e2e8f0"/>`,
      `<text x="${x(tick)}" y="${bottom + 16}" fill="#64748b" text-anchor="middle">${tick.toLocaleString('en-GB')}</text>`,
    ]),
    ...names.map((name, n) => {
      const weight = name === 'ours' ? ' font-weight="600"' : ''
      return `<text x="10" y="${top + 57 + n * rowHeight}"${weight}>${escaped(name)}</text>`
    }),
    ...results.flatMap(({ name, bankMs }, n) => {
      const span = spans[n]
      if (!span) return []
      const y = top + 53 + names.indexOf(name) * rowHeight + (bankMs === 0 ? -6 : 6)
      const colour = bankMs === 0 ? colours[0] : colours[50]
      return [
        `<line x1="${x(span.least)}" y1="${y}" x2="${x(span.most)}" y2="${y}" stroke="${colour}" stroke-width="2"/>`,
        `<circle cx="${x(span.median)}" cy="${y}" r="4" fill="${colour}"/>`,
        `<text x="${x(span.most) + 8}" y="${y + 4}" font-size="10" fill="${colour}">${short(span.median)}</text>`,
      ]
    }),
  ]
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
