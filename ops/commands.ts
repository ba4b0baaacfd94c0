// The table of commands.
import type { Command } from './command'
import { invoiceCommands } from './invoices'
import { keyCommands } from './key'
import { partnerCommands } from './partner'
import { setPartner } from './partner-settings'
import { priceCommands } from './price'
import { walletCommands } from './wallet'

export const commands: readonly Command[] = [
  ...partnerCommands,
  setPartner,
  ...keyCommands,
  ...walletCommands,
  ...priceCommands,
  ...invoiceCommands,
]
