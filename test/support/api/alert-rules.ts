// The alert rules in docs/observability, and an evaluator for rules about the growth of counters.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Alert {
  readonly name: string
  readonly expr: string
}

export function readAlerts(): Alert[] {
  const text = readFileSync(join(__dirname, '../../../docs/observability/alerts.yml'), 'utf8')
  return [...text.matchAll(/- alert: (\w+)\n {8}expr: >-\n {10}(.+)\n/g)].map(([, name = '', expr = '']) => ({
    name,
    expr,
  }))
}

/** Returns the label groups for which the alert fires, given the metrics at the start and end of its window. */
export function firingFor(alert: string, before: string, after: string): string[] {
  const expr = readAlerts().find(({ name }) => name === alert)?.expr
  if (expr === undefined) throw new Error(`there is no alert ${alert}`)
  const [, by = ''] = /sum by \(([^)]*)\)/.exec(expr) ?? []
  const labels = by.split(', ')
  const groupOf = (series: string) => labels.map((label) => valueOf(series, label)).join(' ')
  const [old, now] = [samplesIn(before), samplesIn(after)]
  const groups = new Set(
    [...now.keys()].filter((series) => series.startsWith('payouts_bank_requests_total{')).map(groupOf),
  )
  return [...groups].filter((group) => {
    const filled = expr.replaceAll(
      /sum by \([^)]*\) \(increase\((\w+)(?:\{([^}]*)\})?\[2m\]\)\)/g,
      (_, metric: string, matchers: string | undefined) => {
        const grown = [...now].filter(([series]) => series.startsWith(`${metric}{`) && groupOf(series) === group)
        const sum = grown
          .filter(([series]) => isMatch(series, matchers ?? ''))
          .reduce((total, [series, value]) => total + value - (old.get(series) ?? 0), 0)
        return String(sum)
      },
    )
    return filled.split(' and ').every(holds)
  })
}

function samplesIn(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => /^payouts_bank_\w+\{/.test(line))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]))
}

function valueOf(series: string, label: string): string {
  return new RegExp(`[{,]${label}="([^"]*)"`).exec(series)?.[1] ?? ''
}

function isMatch(series: string, matchers: string): boolean {
  return [...matchers.matchAll(/(\w+)(=~|=)"([^"]*)"/g)].every(([, label = '', how, wanted = '']) =>
    how === '=' ? valueOf(series, label) === wanted : new RegExp(`^(?:${wanted})$`).test(valueOf(series, label)),
  )
}

/** Evaluates a comparison such as `3 > 0.5 * 4`. */
function holds(comparison: string): boolean {
  const [left, right] = comparison.split(' > ')
  const product = right?.split(' * ').reduce((value, factor) => value * Number(factor), 1)
  if (product === undefined || Number.isNaN(product)) throw new Error(`cannot evaluate ${comparison}`)
  return Number(left) > product
}
