// The guide on /docs, which is docs/guide.md with its generated parts filled in, and the index in /llms.txt.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defaultLimitPerSecond, historyWeight } from '../http/callers/rate-limiter'
import { errorTable } from '../http/errors'
import type { Route } from '../http/route'

/** The path is correct from the sources and from dist, because the build copies the text into dist. */
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
  return ['| HTTP | Code | Cause | What to do |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

/** Escapes the text: a bar would end the cell, and `<` would start a tag. */
function inCell(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll('<', '&lt;')
}

/** /llms.txt: a short index of the documentation for language models. */
export function writeIndex(
  routes: readonly Route[],
  { title, version, publicUrl }: { title: string; version: string; publicUrl: string },
): string {
  const endpoints = routes.map(({ method, path, summary }) => `- \`${method} ${path}\`: ${summary}`)
  return `# ${title}

> Pays pounds sterling to UK bank accounts, once, from a business's own USDC wallet. JSON over HTTPS, Bearer keys, version ${version}.

## Documents

- [Guide](${publicUrl}/docs/guide.md): keys, first calls, idempotency, errors with cause and cure, sandbox, polling, limits, versions
- [OpenAPI 3.1](${publicUrl}/openapi.json): every operation, field, status and error code, with examples
- [Reference](${publicUrl}/docs): the same for people, with a form to try each call

## Endpoints

${endpoints.join('\n')}
`
}
