// Matches a method and path against a route table, for the protocol and the control plane.
import { refusal } from './errors'

interface Addressed {
  readonly method: string
  readonly path: string
}

interface Found<T> {
  readonly route: T
  readonly params: ReadonlyMap<string, string>
}

/** The finder throws 404 for an unknown path and 405 for an unknown method on a known path. */
export function createFinder<T extends Addressed>(
  prefix: string,
  routes: readonly T[],
): (method: string, path: string) => Found<T> {
  const table = routes.map((route) => ({ route, parts: `${prefix}${route.path}`.split('/') }))
  return (method, path) => {
    const parts = path.split('/')
    const here = table.flatMap((entry) => {
      const params = paramsOf(entry.parts, parts)
      return params ? [{ route: entry.route, params }] : []
    })
    const found = here.find(({ route }) => route.method === method)
    if (found) return found
    if (here.length > 0) throw refusal(405, 'method_not_allowed', `${method} is not allowed here.`)
    throw refusal(404, 'not_found', 'There is nothing at this address.')
  }
}

function paramsOf(wanted: readonly string[], actual: readonly string[]): Map<string, string> | null {
  if (wanted.length !== actual.length) return null
  const params = new Map<string, string>()
  for (const [index, part] of wanted.entries()) {
    const text = actual[index] ?? ''
    if (part.startsWith(':') && text !== '') params.set(part.slice(1), text)
    else if (part !== text) return null
  }
  return params
}
