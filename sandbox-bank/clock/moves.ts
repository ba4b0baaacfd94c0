// Moves a transfer to a state, with all effects in one change, and plans its next move.
import { randomUUID } from 'node:crypto'
import type { Bank } from '../bank'
import type { Subject } from '../control/faults'
import { type Moment, momentAt } from '../http/call'
import { microPerCent } from '../money'
import { changeAccount } from '../objects/external-accounts'
import { presentTransfer } from '../objects/transfer-json'
import { moveMoney } from '../objects/wallets'
import { type Environment, environments, type Put, type Transfer } from '../storage/records'
import { recordEvent } from '../webhooks/events'
import type { Timers } from './clock'
import { planNext } from './plan'

interface Move {
  readonly state: string
  readonly reason: string | null
  /** "yes": the transfer stays in this state until the control plane moves it. */
  readonly last?: 'yes' | 'no'
}

/**
 * An empty `before.state` means that the transfer is being created. The caller then debits the wallet in the same
 * change.
 */
export function moveTransfer(moment: Moment, before: Transfer, move: Move): Put[] {
  const sentBack = move.state === 'undeliverable' || move.state === 'returned'
  const moved: Transfer = {
    ...before,
    state: move.state,
    returnReason: sentBack ? (move.reason ?? 'MS03') : before.returnReason,
    deliveredAt: move.state === 'payment_processed' ? moment.now : (before.deliveredAt ?? null),
    refundReferenceId: move.state === 'refunded' ? randomUUID() : before.refundReferenceId,
    next: null,
    // Every change gets a later time than the previous one. Otherwise a client that filters by updated_after_ms could
    // miss it.
    updatedAt: before.state === '' ? moment.now : Math.max(moment.now, before.updatedAt + 1),
  }
  const subject = { ...aboutTransfer(moved), environment: moment.environment }
  const after = { ...moved, next: move.last === 'yes' ? null : planNext(moment, moved, subject) }
  const created = before.state === ''
  const event = recordEvent(moment, {
    category: 'transfer',
    type: created ? 'transfer.created' : 'transfer.updated.status_transitioned',
    objectId: after.id,
    status: after.state,
    object: presentTransfer(after),
    changes: created ? {} : { state: [before.state, after.state] },
    about: aboutTransfer(after),
  })
  return [
    ['transfers', after],
    ...event,
    ...(givesBack.has(move.state) ? refund(moment, after) : []),
    ...(sentBack && moment.bank.faults.take(['deactivate_account'], subject) ? deactivate(moment, after) : []),
  ]
}

/** The fields that a fault can match. */
export function aboutTransfer(transfer: Transfer): Subject {
  return {
    transfer_id: transfer.id,
    client_reference_id: transfer.clientReferenceId,
    external_account_id: transfer.externalAccountId,
    customer_id: transfer.customerId,
    wallet_id: transfer.walletId,
    state: transfer.state,
  }
}

const givesBack = new Set(['refunded', 'canceled'])

function refund(moment: Moment, transfer: Transfer): Put[] {
  const wallet = moment.books.wallets.get(transfer.walletId)
  if (!wallet) throw new Error('transfer without a wallet')
  const amountMicro = transfer.sourceCents * microPerCent
  return moveMoney(moment, wallet, { type: 'deposit', amountMicro, route: { type: 'transfer', objectId: transfer.id } })
}

function deactivate(moment: Moment, transfer: Transfer): Put[] {
  const account = moment.books.externalAccounts.get(transfer.externalAccountId)
  return account ? changeAccount(moment, account, { deactivationReason: 'deactivated_due_to_bounceback' }) : []
}

/** Moves each transfer to its next state when it is due, even after a restart. */
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
