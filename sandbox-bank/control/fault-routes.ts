// Routes to set, list and remove faults, and to start an outage.
import { invalid, notFound } from '../http/errors'
import { valueAt } from '../http/fields'
import { type ControlAnswer, type ControlCall, type ControlRoute, ok } from './call'
import { readFault } from './read-fault'

export const faultRoutes: readonly ControlRoute[] = [
  { method: 'POST', path: '/faults', handler: addFault },
  { method: 'GET', path: '/faults', handler: ({ bank }) => ok({ data: bank.faults.list() }) },
  { method: 'DELETE', path: '/faults', handler: resetFaults },
  { method: 'DELETE', path: '/faults/:fault', handler: removeFault },
  { method: 'POST', path: '/outage', handler: beginOutage },
  { method: 'DELETE', path: '/outage', handler: endOutage },
]

const longestOutageMs = 600_000

function addFault({ bank, body }: ControlCall): ControlAnswer {
  return { status: 201, body: bank.faults.add(readFault(body, bank.settings.firstState)) }
}

function resetFaults({ bank }: ControlCall): ControlAnswer {
  bank.faults.reset()
  return ok({ data: [] })
}

function removeFault({ bank, param }: ControlCall): ControlAnswer {
  if (!bank.faults.remove(param('fault'))) throw notFound('fault')
  return ok({ data: bank.faults.list() })
}

/** An outage always has an end, because the address that could end it may be closed too. */
function beginOutage({ outages, body }: ControlCall): ControlAnswer {
  const ms = valueAt(body, 'ms')
  if (typeof ms !== 'number' || !Number.isSafeInteger(ms) || ms < 1 || ms > longestOutageMs) {
    throw invalid('ms', `ms must be a whole number from 1 to ${longestOutageMs}.`)
  }
  outages.begin(ms)
  return ok({ down: true, ms })
}

async function endOutage({ outages }: ControlCall): Promise<ControlAnswer> {
  await outages.end()
  return ok({ down: outages.isDown() })
}
