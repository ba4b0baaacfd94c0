// Next step for each kind of drift. proof list and docs/operations.md show this table.
import type { DriftKind } from '../../domain/controls/drift'

export const driftSteps: Readonly<Record<DriftKind, string>> = {
  wallet_balance:
    'The balance of a wallet is not the sum of its entries, so a row was changed by hand: pause the rail of its environment, and let an engineer find the row with audit verify.',
  suspense_balance:
    'The suspense balance is not the sum of the deposits in deposit list: compare the two, deposit by deposit, and let an engineer correct the difference.',
  set_sum:
    'A ledger set does not sum to zero, or has entries of another wallet: pause the rail of its environment, and let an engineer find the changed rows with audit verify.',
  payout_ledger:
    'The ledger entries of a payout do not match its status: compare payout explain with the transfer at the bank, and let an engineer correct the books to match the bank.',
  payout_row:
    'A payout’s row does not match its wallet, its quote or its timeline, so it was changed by hand: see payout show, and let an engineer find the change with audit verify.',
  payout_charge:
    'The charges or credits of a live payout do not match its row: compare payout show with its charges, let an engineer find the changed row with audit verify, and correct the next invoice with invoices credit.',
  payout_totals:
    "The totals behind usage and recipients do not match the payouts of a month, so a row was changed by hand: let an engineer find the change with audit verify, and then recount (SELECT rebuild_payout_totals('<partner id>') in psql). No money is affected.",
  entry_without_movement:
    'Money was credited without a movement at the bank: find out who booked it and why. Accept it if finance knows the reason; otherwise let an engineer reverse it.',
  transfer_without_payout:
    'The bank has sent money that belongs to no payout of ours, perhaps a second time: pause the rail of its environment, ask the bank who ordered the transfer, and have it recalled, or accept it once it is explained.',
  transfer_amount:
    'The bank has sent a different amount than the payout states: compare the bank’s receipt with payout show, settle the difference with the bank, and then accept the drift.',
  payout_without_transfer:
    'A payout counts as sent, but the bank has no transfer for it: ask the bank for the transfer that payout show names, and do not pay again before it answers.',
  deposit_not_booked:
    'Money arrived at the bank and is neither booked nor held: check that workers run and read this wallet. If the drift remains after the next read, let an engineer check the worker’s log.',
  deposit_amount:
    'A deposit is booked with a different amount than the bank’s: compare the bank’s movement with the booking, and let an engineer book the difference.',
  booking_without_movement:
    'The number of bookings for earlier bank movements has changed, so one was invented or removed: let an engineer find it with audit verify.',
  bank_balance:
    'The bank’s balance differs by an amount that no single movement explains: compare the bank’s statement with the wallet’s entries from the last day on which both agreed, and ask the bank about the difference.',
  silent_payout:
    'A payout has not changed for too long: see payout explain for what it waits for, and ask the bank about its transfer. The drift ends when the payout changes.',
  not_compared:
    'No proof could compare this wallet with the bank for too long: see the reason in proof list. For no_answer, ask the bank for this wallet’s history. For busy, too_long or failed, let an engineer check the worker’s log.',
}
