// The workflow as a careless change would leave it: it looks for a wallet before it has a customer.
import * as activities from '../../../../workflows/activities'
import { connectSandbox as original, type SandboxToConnect } from '../../../../workflows/wallets/connect-sandbox'

export async function connectSandbox(sandbox: SandboxToConnect): Promise<void> {
  await activities.createSandboxWallet({ partnerId: sandbox.partnerId, customerRef: '' })
  await original(sandbox)
}
