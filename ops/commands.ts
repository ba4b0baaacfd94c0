// The table of all commands. Loading it takes a second, so a command for clients is looked up in clientCommands first.

import { bankCheckCommands } from './bank/check'
import { bankEventCommands } from './bank/events'
import { railCommands } from './bank/rail'
import { rateCommands } from './bank/rate'
import { clientCommands } from './client/commands'
import type { AnyCommand } from './command'
import { archiveCommands } from './controls/archive'
import { auditCommands } from './controls/audit'
import { driftCommands } from './controls/drift'
import { keyringCommands } from './controls/keyring'
import { proofCommands } from './controls/proof'
import { statusCommands } from './controls/status'
import { workerVersionCommands } from './controls/worker-versions'
import { chargeCommands, credit } from './invoices/charges'
import { list } from './invoices/list'
import { markPaid, markUnpaid, voidOne } from './invoices/moves'
import { preview } from './invoices/preview'
import { priceCommands } from './invoices/prices'
import { rerun, run } from './invoices/run'
import { demoPartner } from './partners/demo'
import { keyCommands } from './partners/keys'
import { partnerCommands } from './partners/lifecycle'
import { nameCommands, setPartner } from './partners/settings'
import { verificationCommands } from './partners/verification'
import { payoutActionCommands, shredCommands } from './payouts/actions'
import { payoutCommands } from './payouts/attention'
import { payoutCancelCommands } from './payouts/cancel'
import { caseCommands } from './payouts/cases'
import { explainCommands } from './payouts/explain'
import { findCommands } from './payouts/find'
import { walletCommands } from './wallets/balances'
import { depositCommands } from './wallets/deposits'
import { workerCommands } from './worker'

const invoiceCommands = [preview, run, rerun, list, credit, voidOne, markPaid, markUnpaid]

export const commands: readonly AnyCommand[] = [
  ...clientCommands,
  ...statusCommands,
  ...partnerCommands,
  demoPartner,
  setPartner,
  ...nameCommands,
  ...verificationCommands,
  ...keyCommands,
  ...keyringCommands,
  ...walletCommands,
  ...depositCommands,
  ...findCommands,
  ...payoutCommands,
  ...explainCommands,
  ...payoutActionCommands,
  ...payoutCancelCommands,
  ...shredCommands,
  ...caseCommands,
  ...railCommands,
  ...bankCheckCommands,
  ...rateCommands,
  ...workerCommands,
  ...workerVersionCommands,
  ...bankEventCommands,
  ...priceCommands,
  ...invoiceCommands,
  ...chargeCommands,
  ...proofCommands,
  ...driftCommands,
  ...auditCommands,
  ...archiveCommands,
]
