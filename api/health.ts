// Whether the process lives, and whether it can do its work: for those who restart it and those who send it requests.
import type { Router } from '@koa/router'
import type { RequestState } from './answer'
import type { ApiDeps } from './deps'

export function health(router: Router<RequestState>, deps: ApiDeps): void {
  router.get('/healthz', (context) => {
    context.body = { status: 'ok' }
  })
  router.get('/readyz', async (context) => {
    const [postgres, temporal] = await Promise.all([reachable(deps.db.ping()), reachable(deps.pingTemporal())])
    const ready = postgres === 'ok' && temporal === 'ok'
    context.status = ready ? 200 : 503
    context.body = { status: ready ? 'ok' : 'unavailable', postgres, temporal }
  })
}

function reachable(answered: Promise<void>): Promise<'ok' | 'unreachable'> {
  return answered.then(
    () => 'ok',
    () => 'unreachable',
  )
}
