// One workflow thread for all workers and replays in a process, because each new thread takes more than a second of
// processor time. Jest's processes import this file, and the worker processes of stories load it first. By default, the
// SDK starts a thread for each worker, and replays on the main thread, where its promise hooks slow down later test
// files. The workers of `npm start` and of a-worker-process.ts run as the SDK starts them.
const { isMainThread } = require('node:worker_threads')

// Node also loads this file in the workflow thread, which needs none of it.
if (isMainThread) shareThread()

function shareThread() {
  const { Worker } = require('@temporalio/worker')
  const { ThreadedVMWorkflowCreator } = require('@temporalio/worker/lib/workflow/threaded-vm')

  /** Keyed by the activity names, which the SDK checks in the thread, and by the workflow code. */
  const threads = new Map()

  /** Replaces the SDK's function that creates threads for workers and replays. */
  Worker.createWorkflowCreator = async (workflowBundle, { activities }, logger) => {
    const registeredActivityNames = new Set(activities.keys())
    // Leaves out isolateExecutionTimeoutMs, because Node starts a watchdog thread for every call that has a timeout. A
    // workflow that never yields fails its test at Jest's time limit instead.
    const options = { threadPoolSize: 1, workflowBundle, registeredActivityNames, logger }
    const key = [...registeredActivityNames, workflowBundle.code].join()
    const thread = threads.get(key) ?? startThread(options)
    threads.set(key, thread)
    const creator = await thread
    return { createWorkflow: creator.createWorkflow.bind(creator), destroy: async () => undefined }
  }

  function startThread(options) {
    // An idle thread must not keep the process alive.
    process.once('worker', (thread) => thread.unref())
    return ThreadedVMWorkflowCreator.create({ ...options, reuseV8Context: true })
  }
}
