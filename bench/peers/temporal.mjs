// Plain Temporal: an API that starts a workflow with the idempotency key as its ID and waits for its result, and a
// worker in a process of its own. The workflows are in bench/bare/workflows.ts.
import { fileURLToPath } from 'node:url'
import { Client, Connection, WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import { claim, pay, ready, record, serve } from './work.mjs'

const address = process.env.TEMPORAL_ADDRESS
// Each contender has a worker of its own, with its own database.
const taskQueue = `compare-${process.env.NAME}`
const roles = { worker: runWorker, noop: () => serveWorkflow('noop'), payout: () => serveWorkflow('payout') }

async function serveWorkflow(type) {
  const { workflow } = new Client({ connection: await Connection.connect({ address }) })
  await serve(async (order) => {
    const workflowId = `compare/${process.env.NAME}/${order.key}`
    const options = { taskQueue, workflowId, workflowIdReusePolicy: 'REJECT_DUPLICATE', args: [order] }
    try {
      return { id: await workflow.execute(type, options), isNew: true, status: 'processing' }
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
      return { id: await workflow.getHandle(workflowId).result(), isNew: false, status: 'processing' }
    }
  })
}

/** Bundles the workflows in advance, as Temporal advises for production. */
async function runWorker() {
  const logger = new DefaultLogger('WARN')
  Runtime.install({ logger })
  const workflowsPath = fileURLToPath(new URL('../../dist/bench/bare/workflows.js', import.meta.url))
  const worker = await Worker.create({
    connection: await NativeConnection.connect({ address }),
    taskQueue,
    workflowBundle: await bundleWorkflowCode({ workflowsPath, logger }),
    activities: { claim: async (order) => (await claim(order)).id, pay, record },
  })
  const running = worker.run()
  ready()
  await running
}

await roles[process.argv[2]]()
