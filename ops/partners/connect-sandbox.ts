// Starts connecting a new partner's sandbox to its bank. If that fails, the next sweep starts it.
import type { Ops } from '../connect'
import { tryTemporal } from '../reach-temporal'

export async function connectSoon(ops: Ops, partnerId: string): Promise<void> {
  if (ops.bank.sandbox === null) return
  const queue = { queuePrefix: ops.taskQueuePrefix }
  await tryTemporal(ops, (temporal, { startConnectSandbox }) => startConnectSandbox({ temporal, ...queue }, partnerId))
}
