// One workflow thread for all workers and replays in a Jest process, because each new thread takes two seconds of
// processor time. By default, the SDK replays on the main thread, where its promise hooks slow down later test files.
import { Worker } from '@temporalio/worker'
import { ThreadedVMWorkflowCreator } from '@temporalio/worker/lib/workflow/threaded-vm'

type ThreadOptions = Parameters<typeof ThreadedVMWorkflowCreator.create>[0]

interface WorkerSettings {
  readonly activities: ReadonlyMap<string, unknown>
  readonly isolateExecutionTimeoutMs: number
}

/** Keyed by the activity names, which the SDK checks in the thread, and by the workflow code. */
const threads = new Map<string, Promise<ThreadedVMWorkflowCreator>>()

export function shareWorkflowThread(): void {
  Object.assign(Worker, { createWorkflowCreator })
}

/** Replaces the SDK's function that creates threads for workers and replays. */
async function createWorkflowCreator(
  workflowBundle: ThreadOptions['workflowBundle'],
  { activities, isolateExecutionTimeoutMs }: WorkerSettings,
  logger: ThreadOptions['logger'],
) {
  const registeredActivityNames = new Set(activities.keys())
  const options = { threadPoolSize: 1, workflowBundle, isolateExecutionTimeoutMs, registeredActivityNames, logger }
  const key = [...registeredActivityNames, workflowBundle.code].join()
  const thread = threads.get(key) ?? startThread(options)
  threads.set(key, thread)
  const creator = await thread
  return { createWorkflow: creator.createWorkflow.bind(creator), destroy: async () => undefined }
}

function startThread(options: Omit<ThreadOptions, 'reuseV8Context'>): Promise<ThreadedVMWorkflowCreator> {
  // An idle thread must not keep the process alive.
  process.once('worker', (thread) => thread.unref())
  return ThreadedVMWorkflowCreator.create({ ...options, reuseV8Context: true })
}
