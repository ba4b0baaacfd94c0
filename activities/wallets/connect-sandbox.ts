// The steps that connect a partner's sandbox to the sandbox bank; each may be repeated, also when the bank's memory for keys is over.

import { recordActivity } from '../../db/controls/activity'
import type { Db, Tx } from '../../db/database'
import { findPartnerById } from '../../db/partners/partners'
import { hasOpenPayouts } from '../../db/payouts/open'
import { postSet } from '../../db/wallets/ledger'
import { connectWallet, lockWallet, type WalletRow } from '../../db/wallets/wallets'
import { assert } from '../../domain/assert'
import { floatReversalPostings } from '../../domain/wallets/ledger'
import { type Rail, RailUnavailable, type Verification } from '../../rail/rail'
import type { Clock } from '../../runtime/clock'
import type { ConnectSandboxActivities, SandboxCustomer, SandboxRefs } from '../../workflows/wallets/connect-sandbox'
import { bankKeyFor } from '../bank/idempotency-key'
import { bookDeposits } from './readings/book-deposits'
import { judgeHistory } from './readings/judge-history'

export interface ConnectSandboxDeps {
  readonly db: Db
  readonly clock: Clock
  readonly rails: { readonly provider_sandbox: Rail }
}

export function createConnectSandboxSteps(deps: ConnectSandboxDeps): ConnectSandboxActivities {
  const { db, clock, rails } = deps
  const rail = rails.provider_sandbox
  // What is asked for is in a key, because the bank refuses one that comes again with another body; and so is the day, because
  // it refuses all that are older than one. What was made under an older key is found before anything is made.
  const keyFor = (purpose: string) => bankKeyFor(`${purpose}/${clock.now().toISOString().slice(0, 10)}`)
  return {
    async openSandboxCustomer({ partnerId }) {
      const partner = await findPartnerById(db, partnerId)
      assert(partner !== null, 'only a partner can be connected')
      const { name: legalName } = partner
      // Its own and nobody else's: the bank tells customers apart by their email, and two partners may have one person.
      const email = `${partnerId}@partners.invalid`
      const known = await rail.findCustomer(email)
      if (known !== null) return standingOf(known)
      const key = keyFor(`sandbox-customer/${partnerId}/${legalName}`)
      const opened = await rail.openCustomer({ legalName, email, redirectUrl: null, key })
      // The email is this partner's own, so a refusal is no verdict on it: trouble, as if nobody had answered.
      if (opened.outcome === 'refused') throw new RailUnavailable(`open customer: ${opened.code}`)
      return standingOf(opened.verification)
    },
    checkSandboxCustomer: async ({ verificationRef }) => standingOf(await rail.verification(verificationRef)),
    async createSandboxWallet({ partnerId, customerRef }) {
      const known = (await rail.wallets(customerRef)).find((wallet) => wallet.chain === chain)
      const key = keyFor(`sandbox-wallet/${partnerId}/${customerRef}`)
      const { walletRef, address } = known ?? (await rail.createWallet({ customerRef, chain, key }))
      return { walletRef, address }
    },
    connectSandboxWallet: (refs) => connectSandboxWallet(deps, refs),
  }
}

const chain = 'base'

/** Under the wallet's lock no payout can begin, so none is left between the two banks. */
export async function connectSandboxWallet(
  { db, clock, rails }: ConnectSandboxDeps,
  refs: SandboxRefs,
): Promise<'connected' | 'busy'> {
  const rail = rails.provider_sandbox
  const history = await rail.walletHistory({ ...refs, after: null })
  return db.transaction(async (tx) => {
    const wallet = await lockWallet(tx, refs.partnerId, 'sandbox')
    if (wallet.rail !== 'simulated') return 'connected'
    if (await hasOpenPayouts(tx, wallet.id)) return 'busy'
    const at = clock.now()
    await reverseFloat(tx, wallet, at)
    const judged = await judgeHistory({ db: tx, rail }, { id: wallet.id, rail: 'provider_sandbox' }, history)
    await bookDeposits(tx, { wallet, judged, createdBy: 'bank', action: null, at })
    await connectWallet(tx, { ...refs, walletId: wallet.id, rail: 'provider_sandbox', at })
    const about = { partnerId: refs.partnerId, at, environment: 'sandbox', action: 'wallet.connect' } as const
    const made = { changes: 'something', status: null, madeBy: 'system', detail: null, requestId: null } as const
    await recordActivity(tx, [{ ...about, ...made }])
    return 'connected'
  })
}

async function reverseFloat(tx: Tx, { id: walletId, balanceMicroUsdc }: WalletRow, at: Date): Promise<void> {
  if (balanceMicroUsdc === 0n) return
  const about = { walletId, cause: 'float_reversal', causeRef: 'simulated', payoutId: null, createdBy: 'system', at }
  const posted = await postSet(tx, { ...about, postings: floatReversalPostings(balanceMicroUsdc) })
  assert(posted.outcome === 'posted', 'a locked wallet holds what it says')
}

function standingOf({ verificationRef, customerRef, providerStatus, paysGbp }: Verification): SandboxCustomer {
  return { verificationRef, customerRef, ready: providerStatus === 'approved' && paysGbp }
}
