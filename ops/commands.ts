// The table of commands.

import { auditCommands } from './audit'
import { bankEventCommands } from './bank-event'
import { caseCommands } from './case'
import { chargeCommands } from './charge'
import type { Command } from './command'
import { depositCommands } from './deposit'
import { driftCommands } from './drift'
import { explainCommands } from './explain'
import { invoiceCommands } from './invoices'
import { keyCommands } from './key'
import { keyringCommands } from './keyring'
import { partnerCommands } from './partner'
import { demoPartner } from './partner-demo'
import { nameCommands, setPartner } from './partner-settings'
import { verificationCommands } from './partner-verification'
import { payoutCommands } from './payout'
import { payoutActionCommands } from './payout-actions'
import { payoutCancelCommands } from './payout-cancel'
import { priceCommands } from './price'
import { proofCommands } from './proof'
import { railCommands } from './rail'
import { rateCommands } from './rate'
import { shredCommands } from './shred'
import { walletCommands } from './wallet'
import { workerCommands } from './worker'

export const commands: readonly Command[] = [
  ...partnerCommands,
  demoPartner,
  setPartner,
  ...nameCommands,
  ...verificationCommands,
  ...keyCommands,
  ...keyringCommands,
  ...walletCommands,
  ...depositCommands,
  ...payoutCommands,
  ...explainCommands,
  ...payoutActionCommands,
  ...payoutCancelCommands,
  ...shredCommands,
  ...caseCommands,
  ...railCommands,
  ...rateCommands,
  ...workerCommands,
  ...bankEventCommands,
  ...priceCommands,
  ...invoiceCommands,
  ...chargeCommands,
  ...proofCommands,
  ...driftCommands,
  ...auditCommands,
]
