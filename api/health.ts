// Whether the process lives, and whether it can do its work: for those who restart it and those who send it requests.
import type { Router } from '@koa/router'
import type { RequestState } from './answer'
import type { ApiDeps } from './deps'

/** However many ask, PostgreSQL and Temporal are asked once in this time. */
const shareForMs = 500

export function health(router: Router<RequestState>, deps: ApiDeps): void {
  const readiness = createReadiness(deps)
  router.get('/healthz', (context) => {
    context.body = { status: 'ok' }
  })
  router.get('/readyz', async (context) => {
    const { postgres, temporal } = await readiness()
    const ready = postgres === 'ok' && temporal === 'ok'
    context.status = ready ? 200 : 503
    context.body = { status: ready ? 'ok' : 'unavailable', postgres, temporal }
  })
}

interface Readiness {
  readonly postgres: Reachable
  readonly temporal: Reachable
}

type Reachable = 'ok' | 'unreachable'

function createReadiness({ db, pingTemporal, clock }: ApiDeps): () => Promise<Readiness> {
  let asked: Promise<Readiness> | null = null
  let askedAt = 0
  return () => {
    const now = clock.now().getTime()
    if (asked === null || now - askedAt >= shareForMs) {
      askedAt = now
      asked = ask()
    }
    return asked
  }

  async function ask(): Promise<Readiness> {
    const [postgres, temporal] = await Promise.all([reachable(db.ping()), reachable(pingTemporal())])
    return { postgres, temporal }
  }
}

function reachable(answered: Promise<void>): Promise<Reachable> {
  return answered.then(
    () => 'ok',
    () => 'unreachable',
  )
}
