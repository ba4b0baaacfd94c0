// Runs sweeps on a worker under test, one after the other, and reads the history of the last one.
import type { sweep } from '../../../workflows'
import type { AWorker } from '../temporal/a-worker'

export function useSweeps(worker: AWorker) {
  let sweeps = 0
  const workflowId = () => `${worker.queuePrefix}-sweep-${sweeps}`
  const last = () => worker.client.workflow.getHandle(workflowId())
  return {
    aSweep: (order = { pageSize: 100, pages: 10 }) => {
      sweeps += 1
      const start = { workflowId: workflowId(), taskQueue: worker.taskQueue, args: [order] as [typeof order] }
      return worker.client.workflow.execute<typeof sweep>('sweep', start)
    },
    /** Whether the last sweep continued as new. */
    lastSweep: async (): Promise<{ continued: boolean }> => {
      const { workflowExecutionInfo: info } = (await last().describe()).raw
      return { continued: info?.firstRunId !== info?.execution?.runId }
    },
    /** The names of the activities in the last sweep. */
    stepsOfLastSweep: async (): Promise<unknown[]> => {
      const { events } = await last().fetchHistory()
      return (events ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? [])
    },
  }
}
