// One workflow thread for all workers and replays in a process, because each new thread takes more than a second of
// processor time. Jest's processes import this file, and preload.cjs loads it in the worker processes that tests start.
// By default, the SDK starts a thread for each worker, and replays on the main thread, where its promise hooks slow down
// later test files. Stopping a worker ends its own thread, but not a shared one.
const v8 = require('node:v8')
const threads = require('node:worker_threads')

if (threads.isMainThread) shareThread()
else recordNoStacks()

/**
 * Called in the workflow thread. The SDK records a stack trace for each promise of a workflow, which takes a third of
 * the thread's time. Only the query `__stack_trace` reads them, for a workflow that is still running.
 */
function recordNoStacks() {
  // Node's AsyncLocalStorage needs the original object.
  v8.promiseHooks = { ...v8.promiseHooks, createHook: () => () => undefined }
}

function shareThread() {
  const { Worker } = require('@temporalio/worker')
  const { ThreadedVMWorkflowCreator } = require('@temporalio/worker/lib/workflow/threaded-vm')
  const { Worker: Thread } = threads

  /** A thread that loads this file before its own. */
  class ThreadWithoutStacks extends Thread {
    constructor(file) {
      super(file, { execArgv: ['--require', __filename] })
    }
  }

  /** Keyed by the activity names, which the SDK checks in the thread, and by the workflow code. */
  const threadsByWorkflows = new Map()

  /** Replaces the SDK's function that creates threads for workers and replays. */
  Worker.createWorkflowCreator = async (workflowBundle, { activities }, logger) => {
    const registeredActivityNames = new Set(activities.keys())
    // Leaves out isolateExecutionTimeoutMs, because Node starts a watchdog thread for every call that has a timeout. A
    // workflow that never yields fails its test at Jest's time limit instead.
    const options = { threadPoolSize: 1, workflowBundle, registeredActivityNames, logger }
    const key = [...registeredActivityNames, workflowBundle.code].join()
    const thread = threadsByWorkflows.get(key) ?? startThread(options)
    threadsByWorkflows.set(key, thread)
    const creator = await thread
    return { createWorkflow: creator.createWorkflow.bind(creator), destroy: async () => undefined }
  }

  function startThread(options) {
    // An idle thread must not keep the process alive.
    process.once('worker', (thread) => thread.unref())
    threads.Worker = ThreadWithoutStacks
    const creator = ThreadedVMWorkflowCreator.create({ ...options, reuseV8Context: true })
    threads.Worker = Thread
    return creator
  }
}
