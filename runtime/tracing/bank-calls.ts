// Each call to the bank is a span: method, path without ids, status. The bank itself is told nothing of our traces.
import type { AroundCall } from '../../rail/provider/client'
import { errorTypeOf } from './span'
import type { Tracer } from './tracer'

export function traceBankCalls(tracer: Tracer): AroundCall {
  return ({ method, template }, call) =>
    tracer.run(
      {
        name: `${method} ${template}`,
        kind: 'client',
        attributes: { 'http.request.method': method, 'url.template': template },
      },
      async (span) => {
        const answer = await call()
        if (answer.stage !== 'answered') {
          span.fail(errorTypeOf(answer.cause))
          return answer
        }
        span.tell({ 'http.response.status_code': answer.status })
        if (answer.status >= 400) span.fail(String(answer.status))
        return answer
      },
    )
}
