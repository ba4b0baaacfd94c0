// Liveness and readiness of the API: whether the process runs, and whether it can serve requests.
import type { Router } from '@koa/router'
import { missingMigrations } from '../../db/schema-version'
import type { ApiDeps } from '../deps'
import type { RequestState } from './route'

/** All requests within this time share one check of PostgreSQL and Temporal. */
const shareForMs = 500

export function health(router: Router<RequestState>, deps: ApiDeps): void {
  const readiness = createReadiness(deps)
  router.get('/healthz', (context) => {
    context.body = { status: 'ok' }
  })
  router.get('/readyz', async (context) => {
    const { reasons, ...checks } = await readiness()
    const ready = reasons.length === 0
    context.status = ready ? 200 : 503
    context.body = { status: ready ? 'ok' : 'unavailable', ...checks, ...(ready ? {} : { reasons }) }
  })
}

interface Readiness {
  readonly postgres: Reachable
  /** `behind`: a migration of this build has not run. `unknown`: PostgreSQL did not answer. */
  readonly schema: 'ok' | 'behind' | 'unknown'
  readonly temporal: Reachable
  /** One sentence for each failed check. Empty if the API is ready. */
  readonly reasons: readonly string[]
}

type Reachable = 'ok' | 'unreachable'

function createReadiness({ db, pingTemporal, clock }: ApiDeps): () => Promise<Readiness> {
  let asked: Promise<Readiness> | null = null
  let askedAt = 0
  return () => {
    const now = clock.now().getTime()
    if (asked === null || now - askedAt >= shareForMs) {
      askedAt = now
      asked = check()
    }
    return asked
  }

  async function check(): Promise<Readiness> {
    const [missing, temporal] = await Promise.all([
      missingMigrations(db).catch(() => null),
      pingTemporal().then(
        () => 'ok' as const,
        () => 'unreachable' as const,
      ),
    ])
    const reasons = [
      ...(missing === null ? ['PostgreSQL does not answer.'] : []),
      ...(missing?.length ? [`The database lacks ${missing.join(', ')}: run \`npm run migrate\`.`] : []),
      ...(temporal === 'ok' ? [] : ['Temporal does not answer.']),
    ]
    if (missing === null) return { postgres: 'unreachable', schema: 'unknown', temporal, reasons }
    return { postgres: 'ok', schema: missing.length === 0 ? 'ok' : 'behind', temporal, reasons }
  }
}
