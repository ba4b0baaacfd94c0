// Renders the guide on /docs, which is docs/guide.md with generated parts, and the index in /llms.txt.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defaultLimitPerSecond, historyWeight } from '../http/callers/rate-limiter'
import { errorTable } from '../http/errors'
import { type Route, roleFor } from '../http/route'
import { pathOf } from '../openapi'
import { failureTable } from '../payouts/present'

/** This path works from the sources and from dist, because the build copies the guide into dist. */
const source = join(__dirname, '../../docs/guide.md')

export function writeGuide(publicUrl: string): string {
  const parts: Readonly<Record<string, string>> = {
    base_url: publicUrl,
    error_table: writeErrorTable(),
    failure_table: writeFailureTable(),
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

function writeFailureTable(): string {
  const rows = Object.entries(failureTable).map(
    ([code, { meaning, cure }]) => `| \`${code}\` | ${inCell(meaning)} | ${inCell(cure)} |`,
  )
  return ['| Code | Meaning | What to do |', '| --- | --- | --- |', ...rows].join('\n')
}

/** An unescaped `|` would end the table cell, and `<` would start a tag. `&` would start an HTML entity. */
function inCell(text: string): string {
  return text.replaceAll(/[|<&]/g, String.raw`\$&`)
}

/** /llms.txt: a short index of the documentation for language models. */
export function writeIndex(
  routes: readonly Route[],
  { title, version, publicUrl }: { title: string; version: string; publicUrl: string },
): string {
  const endpoints = routes.map(
    (route) => `- \`${route.method} ${pathOf(route)}\` (${accessOf(route)}): ${route.summary}`,
  )
  return `# ${title}

> Pays pounds sterling to UK bank accounts, once, from a business's own USDC wallet. JSON over HTTPS, Bearer keys, version ${version}.

## Documents

- [Guide](${publicUrl}/docs/guide.md): keys, first calls, idempotency, errors with cause and remedy, sandbox, polling, limits, versions
- [OpenAPI 3.1](${publicUrl}/openapi.json): every operation for API keys, with fields, statuses, error codes and examples
- [OpenAPI 3.1 of the dashboard](${publicUrl}/openapi.dashboard.json): every operation, as the dashboard calls it with a session
- [Postman collection](${publicUrl}/postman.json): the operations for API keys as requests with example bodies
- [Reference](${publicUrl}/docs): the same content for humans, with a form to try each call

## Endpoints

Each has the access that it needs. \`key\`: an API key. \`viewer\` or \`admin\`: the session of a person with this role, in the
dashboard only. \`public\`: none.

${endpoints.join('\n')}
`
}

/** Signed-in people may also call the routes for keys. */
function accessOf(route: Route): string {
  if (route.access.by === 'anyone') return 'public'
  return route.access.by === 'key' ? 'key' : roleFor(route)
}
