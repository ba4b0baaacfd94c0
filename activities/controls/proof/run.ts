// The whole proof at once, for who does not want to wait for the next one.
import { environments } from '../../../domain/environment'
import type { Proved } from '../../../workflows/controls/proof'
import type { ProofDeps } from './look'
import type { ProofDepth } from './prove-wallet'
import { provePage } from './prove-wallets'
import { proveSilence } from './silence'

const pageSize = 50

export async function runProof(deps: ProofDeps, depth: ProofDepth = 'changes'): Promise<Proved> {
  const sum = { wallets: 0, drifts: 0, fresh: 0, busy: 0, failed: 0 }
  const add = (found: Partial<Proved>) => {
    for (const name of ['wallets', 'drifts', 'fresh', 'busy', 'failed'] as const) sum[name] += found[name] ?? 0
  }
  for (const environment of environments) {
    let after: string | null = null
    do {
      const page = { environment, after, limit: pageSize }
      const { next, ...found }: Proved & { next: string | null } = await provePage(deps, page, { depth })
      add(found)
      after = next
    } while (after !== null)
  }
  add(await proveSilence(deps))
  return sum
}
