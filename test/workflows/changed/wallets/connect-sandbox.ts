// The workflow after a careless change: it creates a wallet before it has a customer.
import { proxyActivities } from '@temporalio/workflow'
import {
  type ConnectSandboxActivities,
  connectSandbox as original,
  type SandboxToConnect,
} from '../../../../workflows/wallets/connect-sandbox'

const { createSandboxWallet } = proxyActivities<ConnectSandboxActivities>({ startToCloseTimeout: '1 minute' })

export async function connectSandbox(sandbox: SandboxToConnect): Promise<void> {
  await createSandboxWallet({ partnerId: sandbox.partnerId, customerRef: '' })
  await original(sandbox)
}
