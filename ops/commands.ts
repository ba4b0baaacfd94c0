// The modules of the commands, by the first word of a command. Loading all of them takes a second, so a command loads
// only the modules that it needs.
import { clientCommands } from './client/commands'
import type { AnyCommand } from './command'

interface CommandModule {
  readonly commands: readonly AnyCommand[]
}

type Load = () => CommandModule

/** The operators' commands, in the order of the help. */
const modules = new Map<string, readonly Load[]>([
  ['status', [() => require('./controls/status')]],
  [
    'partner',
    [
      () => require('./partners/lifecycle'),
      () => require('./partners/settings'),
      () => require('./partners/verification'),
      () => require('./partners/demo'),
    ],
  ],
  ['key', [() => require('./partners/keys')]],
  ['keyring', [() => require('./controls/keyring')]],
  ['wallet', [() => require('./wallets/balances')]],
  ['deposit', [() => require('./wallets/deposits')]],
  [
    'payout',
    [
      () => require('./payouts/find'),
      () => require('./payouts/attention'),
      () => require('./payouts/explain'),
      () => require('./payouts/cancel'),
      () => require('./payouts/actions'),
    ],
  ],
  ['case', [() => require('./payouts/cases')]],
  ['rail', [() => require('./bank/rail')]],
  ['bank', [() => require('./bank/check')]],
  ['rate', [() => require('./bank/rate')]],
  ['worker', [() => require('./worker'), () => require('./controls/worker-versions')]],
  ['bank-event', [() => require('./bank/events')]],
  ['price', [() => require('./invoices/prices')]],
  [
    'invoices',
    [
      () => require('./invoices/preview'),
      () => require('./invoices/run'),
      () => require('./invoices/list'),
      () => require('./invoices/charges'),
      () => require('./invoices/moves'),
    ],
  ],
  ['charge', [() => require('./invoices/charges')]],
  ['proof', [() => require('./controls/proof'), () => require('./controls/drift')]],
  ['audit', [() => require('./controls/audit')]],
  ['archive', [() => require('./controls/archive')]],
])

/** Loads the operators' commands with this first word, module by module. */
export function* commandsOf(noun: string): Iterable<readonly AnyCommand[]> {
  for (const load of modules.get(noun) ?? []) yield load().commands.filter((command) => command.noun === noun)
}

export function allCommands(): readonly AnyCommand[] {
  return [...clientCommands, ...[...modules.keys()].flatMap((noun) => [...commandsOf(noun)].flat())]
}
