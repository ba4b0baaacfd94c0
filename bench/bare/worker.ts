// Runs the bare benchmark workflows with the options of our own worker.
import { NativeConnection, Worker } from '@temporalio/worker'
import { environment } from '../../runtime/config/config'
import { createLog } from '../../runtime/log'
import { bundleWorkflows } from '../../worker/bundle'
import { installRuntime } from '../../worker/temporal/connect'
import { optionsOf } from '../../worker/worker'

export type BareActivities = typeof activities

const activities = {
  first: async () => 'first',
  second: async () => 'second',
  third: async () => 'third',
}

async function main(): Promise<void> {
  installRuntime(createLog({ level: 'warn', name: 'bench' }))
  const { code } = await bundleWorkflows(require.resolve('./workflows'))
  const connection = await NativeConnection.connect({ address: environment()['TEMPORAL_ADDRESS'] ?? '' })
  const worker = await Worker.create({
    connection,
    taskQueue: 'bench-bare',
    workflowBundle: { code },
    activities,
    ...optionsOf('payouts'),
  })
  process.once('disconnect', () => worker.shutdown())
  process.send?.({ ready: true })
  await worker.run()
  process.exit(0)
}

void main()
