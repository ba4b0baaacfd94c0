// Every activity that workflows call, bound to its dependencies.
import { deadlineIn } from '../runtime/temporal/client'
import { startReturnHourly } from '../runtime/temporal/workflows'
import type { Activities } from '../workflows'
import { readChangedTransfers } from './bank/changed-transfers'
import { switchRail, wakeUnsent } from './bank/rail-switch'
import { repairWebhooks } from './bank/webhooks'
import { type ActivityDeps, bind, type PayoutDeps } from './bind'
import { sealAudit, verifyAudit } from './controls/audit'
import { proveWallets } from './controls/proof/prove-wallets'
import { proveSilence, tellDrifts } from './controls/proof/run'
import { eraseBankEvents, eraseRecipients, pruneActivity } from './controls/retention'
import { reportOverdue, resumable, sweepPayouts, sweepSandboxes, sweepStrays } from './controls/sweep'
import { issueInvoice, issueInvoices, partnersToBill } from './invoices/issue'
import { mailInvoice, markMailed } from './invoices/mail'
import { checkLowBalances, sendNotices } from './partners/notices'
import { openSignedUp } from './partners/sign-up'
import {
  checkLiveCustomer,
  connectLiveWallet,
  openLiveCustomer,
  startVerifications,
} from './partners/verification/customer'
import { cancelPayout } from './payouts/cancel'
import { lookAfterCase } from './payouts/case'
import { chargePayout } from './payouts/charge'
import { debitPayout } from './payouts/debit'
import { resolveSubmit } from './payouts/resolve'
import { pollReturn, pollSettlement } from './payouts/settle'
import { submitToRail } from './payouts/submit'
import {
  checkSandboxCustomer,
  connectSandboxWallet,
  createSandboxWallet,
  openSandboxCustomer,
} from './wallets/connect-sandbox'
import { readWallet, readWallets } from './wallets/readings/read-wallets'
import { topUpSandbox } from './wallets/top-up'

/** A caller waits for the activities bound to `brief`: their calls to the bank take a second or two at most. */
export function createActivities(brief: PayoutDeps, deps: ActivityDeps): Activities {
  return {
    ...bind(brief, { debitPayout, submitToRail, cancelPayout }),
    ...bind(deps, { resolveSubmit, pollSettlement, chargePayout, pollReturn, lookAfterCase }),
    ...bind(deps, { openSandboxCustomer, checkSandboxCustomer, createSandboxWallet, connectSandboxWallet }),
    ...bind(deps, { topUpSandbox, openSignedUp, startVerifications, checkLowBalances, sendNotices }),
    ...bind(verificationDeps(deps), { openLiveCustomer, checkLiveCustomer, connectLiveWallet }),
    ...bind(walletReadingDeps(deps), { readWallet, readWallets }),
    ...bind(deps, { partnersToBill, issueInvoice, issueInvoices, mailInvoice, markMailed }),
    ...bind(deps, { switchRail, wakeUnsent, readChangedTransfers }),
    ...bind(deps, {
      sweepPayouts: resumable('payouts', sweepPayouts),
      sweepSandboxes: sweepBanks(brief.rails),
      sweepStrays: resumable('strays', sweepStrays),
      reportOverdue,
    }),
    ...bind({ ...deps, limits: deps.proof }, { proveWallets, proveSilence, tellDrifts }),
    ...bind(deps, { sealAudit, verifyAudit, eraseRecipients, eraseBankEvents, pruneActivity }),
  }
}

/**
 * Sweeps the sandboxes, and repairs the webhooks once per sweep. An unresponsive bank must not delay the page, so the
 * calls have short timeouts. The bank returns the same webhook for a retry, so a later sweep completes a registration
 * that timed out.
 */
function sweepBanks(rails: PayoutDeps['rails']): typeof sweepSandboxes {
  const sweep = resumable('sandboxes', sweepSandboxes)
  return async (deps, page) => {
    if (page.after === null) await repairWebhooks(deps, rails)
    return sweep(deps, page)
  }
}

function verificationDeps({ db, clock, log, rails, publicUrl }: ActivityDeps) {
  const redirectUrl = `${publicUrl}/dashboard/verification`
  return { db, clock, log, rail: rails.provider_production, redirectUrl, madeBy: 'bank' }
}

function walletReadingDeps(deps: ActivityDeps) {
  const startReturn: Parameters<typeof readWallet>[0]['startReturn'] = async (payout, refundedAt) => {
    await deps.temporal.withDeadline(deadlineIn(startWithinMs), () => startReturnHourly(deps, payout, refundedAt))
  }
  return { ...deps, listLagMs: deps.limits.listLagMs, startReturn }
}

const startWithinMs = 5_000
