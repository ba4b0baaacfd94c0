// Moves each transfer to its next state when it is due, also after a restart.
import type { Bank } from '../bank'
import { momentAt } from '../http/call'
import { type Environment, environments, type Transfer } from '../storage/records'
import { moveTransfer } from './moves'
import type { Timers } from './timers'

export function startStateClock({ bank, timers }: { bank: Bank; timers: Timers }): void {
  function watch(environment: Environment, transfer: Transfer): void {
    timers.set(`transfer/${transfer.id}`, transfer.next?.at ?? null, () => run(environment, transfer.id))
  }

  function run(environment: Environment, id: string): void {
    const transfer = bank.books[environment].transfers.get(id)
    if (!transfer?.next) return
    bank.commit(environment, 'transfer.moved', moveTransfer(momentAt(bank, environment), transfer, transfer.next))
  }

  for (const environment of environments) {
    for (const transfer of bank.books[environment].transfers.all()) watch(environment, transfer)
  }
  bank.onCommit(({ environment, puts }) => {
    for (const [name, object] of puts) if (name === 'transfers') watch(environment, object)
  })
}
