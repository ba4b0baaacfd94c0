// /llms.txt: a short index of the documentation for language models.
import type { Route } from '../http/route'

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
