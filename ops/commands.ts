// The table of commands.

import { bankEventCommands } from './bank-event'
import type { Command } from './command'
import { keyCommands } from './key'
import { partnerCommands } from './partner'
import { setPartner } from './partner-settings'
import { payoutCommands } from './payout'
import { walletCommands } from './wallet'

export const commands: readonly Command[] = [
  ...partnerCommands,
  setPartner,
  ...keyCommands,
  ...walletCommands,
  ...payoutCommands,
  ...bankEventCommands,
]
