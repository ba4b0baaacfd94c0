// What a person does about a drift, by its kind: the one table of it, shown by proof list and written in docs/operations.md.
import type { DriftKind } from '../../domain/controls/drift'

export const driftSteps: Readonly<Record<DriftKind, string>> = {
  wallet_balance:
    'The balance that a wallet shows is not the sum of its entries, so a row was changed by hand: pause the rail of its environment, and let an engineer find the row with audit verify.',
  suspense_balance:
    'What waits in suspense is not what deposit list holds: compare the two, deposit by deposit, and let an engineer correct what is missing.',
  set_sum:
    'A booking has entries that do not add up to nothing, or that belong to another wallet: pause the rail of its environment, and let an engineer find with audit verify what was changed.',
  payout_ledger:
    'What was booked for a payout does not fit its status: compare payout explain with the transfer at the bank, and let an engineer correct the books by what the bank says.',
  payout_row:
    'A payout’s row does not fit its wallet, its quote or its timeline, so it was changed by hand: see payout show, and let an engineer find with audit verify what was changed.',
  payout_charge:
    'What a live payout was charged, or credited when it came back, is not what its row says: compare payout show with its charges, let an engineer find with audit verify which of them was changed, and correct the next invoice with invoices credit.',
  payout_totals:
    "The totals behind usage and recipients are not what the payouts of a month add up to, so a row was changed by hand: let an engineer find with audit verify what was changed, and then count again (SELECT rebuild_payout_totals('<partner id>') in psql). No money is affected.",
  entry_without_movement:
    'Money was credited that the bank has no movement for: find out who booked it and why, and accept it if finance knows; otherwise let an engineer reverse it.',
  transfer_without_payout:
    'The bank has sent money that no payout of ours accounts for, perhaps a second time: pause the rail of its environment, ask the bank who ordered the transfer, and have it recalled or accept it when it is explained.',
  transfer_amount:
    'The bank has sent another amount than the payout says: compare the bank’s receipt with payout show, and settle the difference with the bank; accept it when that is done.',
  payout_without_transfer:
    'A payout counts as sent and the bank has no transfer for it: ask the bank for the transfer that payout show names, and do not pay again before it answers.',
  deposit_not_booked:
    'Money came in at the bank and is neither booked nor held: see that workers run and read this wallet; if it is still there after the next reading, let an engineer look at the worker’s log.',
  deposit_amount:
    'A deposit is booked with another amount than the bank’s: compare the bank’s movement with the booking, and let an engineer book the difference.',
  booking_without_movement:
    'More or fewer bookings name a movement of the bank than there were before, so one was made up or removed: let an engineer find it with audit verify.',
  bank_balance:
    'The bank’s balance differs by an amount that no single movement explains: compare the bank’s statement with the wallet’s entries from the last day on which both agreed, and ask the bank for what is missing.',
  silent_payout:
    'Nothing was heard of a payout for too long: see payout explain, which says what it waits for, and ask the bank about its transfer; it is gone by itself with the next news.',
  not_compared:
    'No proof could compare this wallet with the bank for too long: proof list says whether its bank gives no answer (no_answer), which is to be asked for this wallet’s history, or whether no two looks agreed (busy), its history is too long (too_long) or something of ours went wrong (failed), which an engineer looks into.',
}
