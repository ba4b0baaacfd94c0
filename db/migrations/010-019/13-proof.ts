// The proof: differences between our books and the bank's, and how far each wallet's history at the bank was proved.
import { migration } from '../migration'

export const Proof1794700800013 = migration(
  'Proof1794700800013',
  `
      CREATE TABLE drifts (
        id             uuid PRIMARY KEY,
        kind           text NOT NULL,
        wallet_id      uuid NOT NULL,
        subject        text NOT NULL,
        expected       text NOT NULL,
        found          text NOT NULL,
        first_seen_at  timestamptz NOT NULL,
        last_seen_at   timestamptz NOT NULL,
        -- When it was looked for and no longer there.
        resolved_at    timestamptz,
        -- When ops was mailed.
        told_at        timestamptz,
        CONSTRAINT drifts_wallet_fkey FOREIGN KEY (wallet_id) REFERENCES wallets (id),
        CONSTRAINT drifts_subject_unique UNIQUE (kind, subject),
        CONSTRAINT drifts_kind_check CHECK (kind IN ('wallet_balance', 'set_sum', 'payout_ledger',
          'transfer_without_payout', 'transfer_amount', 'payout_without_transfer', 'deposit_not_booked', 'bank_balance',
          'silent_payout'))
      );
      CREATE INDEX drifts_open_index ON drifts (wallet_id) WHERE resolved_at IS NULL;

      CREATE TABLE proofs (
        wallet_id      uuid PRIMARY KEY,
        looked_at      timestamptz NOT NULL,
        outcome        text NOT NULL,
        -- When its balance was last compared with the bank's: a wallet that is never quiet is only proved movement by movement.
        compared_at    timestamptz,
        -- The last movement of the bank's history before which all have their place in our books, and its time.
        proved_to      text,
        proved_to_at   timestamptz,
        CONSTRAINT proofs_wallet_fkey FOREIGN KEY (wallet_id) REFERENCES wallets (id),
        CONSTRAINT proofs_outcome_check CHECK (outcome IN ('equal', 'drift', 'busy', 'no_answer', 'no_bank'))
      );
    `,
)
