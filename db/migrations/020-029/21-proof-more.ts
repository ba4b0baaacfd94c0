// Extends the proof: it compares the charges of payouts, finds a wallet's payouts by index, and records why a wallet
// was not compared.
import { migration } from '../migration'

export const ProofMore1794700800021 = migration(
  'ProofMore1794700800021',
  `
      CREATE INDEX payouts_wallet_index ON payouts (wallet_id);

      ALTER TABLE drifts DROP CONSTRAINT drifts_kind_check;
      ALTER TABLE drifts
        ADD CONSTRAINT drifts_kind_check CHECK (kind IN ('wallet_balance', 'suspense_balance', 'set_sum', 'payout_ledger',
          'payout_row', 'payout_charge', 'entry_without_movement', 'booking_without_movement', 'transfer_without_payout',
          'transfer_amount', 'payout_without_transfer', 'deposit_not_booked', 'deposit_amount', 'bank_balance',
          'silent_payout', 'not_compared'));

      ALTER TABLE proofs DROP CONSTRAINT proofs_outcome_check;
      ALTER TABLE proofs
        ADD CONSTRAINT proofs_outcome_check CHECK
          (outcome IN ('equal', 'drift', 'busy', 'no_answer', 'no_bank', 'too_long', 'failed'));
    `,
)
