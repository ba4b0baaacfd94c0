// Operators' decisions about drifts, and the sums of a wallet's movements before its mark.
import { migration } from '../migration'

export const DriftDecisions1794700800018 = migration(
  'DriftDecisions1794700800018',
  `
      CREATE TABLE drift_decisions (
        id          uuid PRIMARY KEY,
        -- The drift as it was then: a drift that changes gets another id.
        drift_id    uuid NOT NULL,
        wallet_id   uuid NOT NULL,
        kind        text NOT NULL,
        subject     text NOT NULL,
        expected    text NOT NULL,
        found       text NOT NULL,
        outcome     text NOT NULL,
        reason      text NOT NULL,
        decided_by  text NOT NULL,
        decided_at  timestamptz NOT NULL,
        CONSTRAINT drift_decisions_wallet_fkey FOREIGN KEY (wallet_id) REFERENCES wallets (id),
        CONSTRAINT drift_decisions_outcome_check CHECK (outcome IN ('accepted', 'reopened'))
      );
      CREATE TRIGGER drift_decisions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON drift_decisions
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

      ALTER TABLE drifts DROP CONSTRAINT drifts_kind_check;
      ALTER TABLE drifts
        -- What of it must stay as it is for a decision to hold.
        ADD COLUMN size text NOT NULL DEFAULT '',
        -- The decision by which it is accepted.
        ADD COLUMN accepted_by_id uuid,
        -- When the proof has gone on behind it, so that it is looked for no more.
        ADD COLUMN passed_at timestamptz,
        ADD CONSTRAINT drifts_accepted_by_fkey FOREIGN KEY (accepted_by_id) REFERENCES drift_decisions (id),
        ADD CONSTRAINT drifts_kind_check CHECK (kind IN ('wallet_balance', 'suspense_balance', 'set_sum', 'payout_ledger',
          'payout_row', 'entry_without_movement', 'booking_without_movement', 'transfer_without_payout', 'transfer_amount',
          'payout_without_transfer', 'deposit_not_booked', 'deposit_amount', 'bank_balance', 'silent_payout', 'not_compared'));

      ALTER TABLE proofs
        -- The movement to which these belong: where it is not proved_to, the wallet is proved from its first movement again.
        ADD COLUMN summed_to text,
        -- What the bank's movements up to there amount to, and what of it people have accepted to be in no book of ours.
        ADD COLUMN bank_micro_usdc bigint NOT NULL DEFAULT 0,
        ADD COLUMN accepted_micro_usdc bigint NOT NULL DEFAULT 0,
        -- How many of them are in our ledger under their own name.
        ADD COLUMN bookings integer NOT NULL DEFAULT 0;
    `,
)
