// Asks for a new partner's sandbox to be connected to its bank at once; whatever hinders it, the next sweep asks again.
import type * as starting from '../../activities/wallets/start-connect-sandbox'
import type * as reaching from '../../runtime/temporal/client'
import type { Ops } from '../connect'

const withinMs = 3_000

export async function connectSoon({ bank, temporal, taskQueuePrefix }: Ops, partnerId: string): Promise<void> {
  if (bank.sandbox === null || temporal === null) return
  // Only this command needs Temporal's client, which takes longer to load than most commands to run.
  const { connectClient, deadlineIn }: typeof reaching = require('../../runtime/temporal/client')
  const { startConnectSandbox }: typeof starting = require('../../activities/wallets/start-connect-sandbox')
  const client = connectClient(temporal)
  const parts = { temporal: client, queuePrefix: taskQueuePrefix }
  await client.withDeadline(deadlineIn(withinMs), () => startConnectSandbox(parts, partnerId)).catch(() => {})
  await client.connection.close()
}
