// Adds the worker's state to the SDK's metrics, which distinguishes a drained worker from a failing one.
import { Runtime } from '@temporalio/worker'
import type { OwnState } from '../../db/controls/workers'

/** Call after installRuntime. */
export function openStateGauge(): (state: OwnState) => void {
  const help = 'Whether this worker works, drains, or is drained and stays idle until its process is ended.'
  const gauge = Runtime.instance().metricMeter.createGauge('payouts_worker_state', 'int', '', help)
  return (state) => {
    for (const each of shown) gauge.set(each === state ? 1 : 0, { state: each })
  }
}

const shown = ['working', 'draining', 'drained'] as const
