// `npm run replay`: replays the histories from a running server with this build, to check that an upgrade can continue
// them.
import { Worker } from '@temporalio/worker'
import { dataDirOf, readRunningEnvironment } from '../local/plan'
import { ConfigError, environment, loadTemporalConfig } from '../runtime/config/config'
import { createLog } from '../runtime/log'
import { connectClient } from '../runtime/temporal/client'
import { refusalOf } from '../runtime/temporal/refusal'
import { bundlePath } from '../worker/bundle-path'
import { installRuntime } from '../worker/temporal/connect'

async function replay(): Promise<number> {
  const env = environment()
  installRuntime(createLog({ level: 'error', name: 'replay' }))
  const config = loadTemporalConfig({ ...readRunningEnvironment(dataDirOf(env)), ...env })
  const client = connectClient(config)
  const histories = client.workflow.list().intoHistories({ concurrency: 5 })
  let replayed = 0
  const failed: string[] = []
  for await (const { workflowId, error } of Worker.runReplayHistories(
    { workflowBundle: { codePath: bundlePath } },
    histories,
  )) {
    replayed += 1
    if (error) failed.push(`${workflowId}: ${error.message}`)
  }
  await client.connection.close()
  process.stdout.write(
    `${replayed - failed.length} of ${replayed} histories of ${config.address} replay with this code.\n`,
  )
  for (const line of failed) process.stdout.write(`  ${line}\n`)
  return failed.length === 0 ? 0 : 1
}

replay().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${sentenceOf(error)}\n`)
    process.exit(1)
  },
)

function sentenceOf(error: unknown): string {
  const isAddressMissing = error instanceof ConfigError && error.mistakes.includes('TEMPORAL_ADDRESS is required.')
  if (isAddressMissing) return 'Nothing is running: run `npm start`, or set TEMPORAL_ADDRESS.'
  if (error instanceof ConfigError) return error.message
  const refusal = refusalOf(error)
  return refusal === null ? String(error) : `Temporal cannot be used: ${refusal}.`
}
