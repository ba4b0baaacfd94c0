// A verification that the bank does not open, or whose customer is another partner's: refused, with a reason that people can act on.

import { lockPartner, updatePartner } from '../../../db/partners/partners'
import { forgetLiveCustomer, lockLiveWallet } from '../../../db/wallets/live'
import { assert } from '../../../domain/assert'
import { openingRefused } from '../../../domain/partners/verification'
import type { VerificationStanding } from '../../../workflows/partners/verification-steps'
import type { VerificationDeps } from './deps'
import { tellAdmins } from './tell-admins'

/** For whom the bank was asked, and what was known of it then. */
export interface Asked {
  readonly partnerId: string
  readonly tries: number
  readonly verificationRef: string | null
}

/** Null, and nothing has changed, when somebody has got further meanwhile. */
export async function refuse(
  deps: VerificationDeps,
  { partnerId, tries, verificationRef }: Asked,
  code: string,
): Promise<VerificationStanding | null> {
  const at = deps.clock.now()
  const refused = await deps.db.transaction(async (tx) => {
    const partner = await lockPartner(tx, partnerId)
    assert(partner !== null, 'a partner does not vanish')
    const wallet = await lockLiveWallet(tx, partnerId)
    if (partner.status === 'closed') return { status: 'rejected', ready: false } as const
    const isAsAsked = wallet.verificationRef === verificationRef && partner.verificationTries === tries
    if (!isAsAsked || wallet.walletRef !== null) return null
    await forgetLiveCustomer(tx, wallet.walletId, at)
    await tellAdmins(tx, partner, 'rejected', at)
    await updatePartner(tx, partnerId, refusal, at)
    return { status: 'rejected', ready: false } as const
  })
  if (refused !== null) deps.log.error({ partner_id: partnerId, code }, 'the bank opens no verification: look why')
  return refused
}

/** Without a word of the bank's own, so that the next try begins anew. */
const refusal = {
  verificationStatus: 'rejected',
  providerStatus: null,
  verificationReasons: [openingRefused],
  verificationReasonMarks: [],
  verificationReasonsKnown: null,
  verificationAwaitedSince: null,
  continueUrl: null,
  termsUrl: null,
} as const
