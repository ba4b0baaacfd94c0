// The guide on /docs: docs/guide.md with its generated parts filled in.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defaultLimitPerSecond, historyWeight } from '../http/callers/rate-limiter'
import { errorTable } from '../http/errors'

/** The same relative path from the sources and from dist, where the build copies the text. */
const source = join(__dirname, '../../docs/guide.md')

export function writeGuide(publicUrl: string): string {
  const parts: Readonly<Record<string, string>> = {
    base_url: publicUrl,
    error_table: writeErrorTable(),
    history_weight: String(historyWeight),
    live_requests_per_second: String(defaultLimitPerSecond.live),
    sandbox_requests_per_second: String(defaultLimitPerSecond.sandbox),
  }
  return readFileSync(source, 'utf8').replaceAll(/\{\{(\w+)\}\}/g, (_mark, name: string) => {
    const part = parts[name]
    if (part === undefined) throw new Error(`docs/guide.md contains {{${name}}}, which has no value.`)
    return part
  })
}

function writeErrorTable(): string {
  const rows = Object.entries(errorTable).map(
    ([code, { status, cause, cure }]) => `| ${status} | \`${code}\` | ${inCell(cause)} | ${inCell(cure)} |`,
  )
  return ['| HTTP | Code | Cause | Cure |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

/** A bar would end the cell, and `<` would start a tag. */
function inCell(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll('<', '&lt;')
}
