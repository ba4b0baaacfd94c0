// Sandboxes that are still simulated, though there is a bank for them, are connected to it.
import { listSimulatedPartners } from '../../../db/wallets/wallets'
import { startConnectSandbox } from '../../../runtime/temporal/start-workflow'
import type { Page, SweptPage } from '../../../workflows/controls/sweep'
import { each, type SweepDeps } from './each'

export async function sweepSandboxes(deps: SweepDeps, { after, limit }: Page): Promise<SweptPage> {
  if (deps.banks.sandbox === null) return { next: null }
  const partners = await listSimulatedPartners(deps.db, { after, limit })
  const connect = (partnerId: string) => startConnectSandbox(deps, partnerId)
  const { done, failed } = await each(deps, partners, connect, (partnerId) => ({ partner_id: partnerId }))
  const last = partners.length < limit ? undefined : partners.at(-1)
  return { connecting: done.length, failed, next: last ?? null }
}
