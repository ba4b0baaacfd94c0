// How far a worker is, among the SDK's own figures: one that is drained on purpose can be told from one that fails to work.
import { Runtime } from '@temporalio/worker'
import type { OwnState } from '../../db/controls/workers'

/** After installRuntime; without a port for metrics nobody reads it. */
export function openStateGauge(): (state: OwnState) => void {
  const help = 'Whether this worker works, drains, or is drained and stays idle until its process is ended.'
  const gauge = Runtime.instance().metricMeter.createGauge('payouts_worker_state', 'int', '', help)
  return (state) => {
    for (const each of shown) gauge.set(each === state ? 1 : 0, { state: each })
  }
}

const shown = ['working', 'draining', 'drained'] as const
