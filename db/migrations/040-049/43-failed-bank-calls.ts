// Failed bank calls of a payout: one row for each cause, with a count and times. A cause is a fixed phrase.
import { migration } from '../migration'

export const FailedBankCalls1794700800043 = migration(
  'FailedBankCalls1794700800043',
  `CREATE TABLE failed_bank_calls (
    payout_id uuid NOT NULL,
    attempt integer NOT NULL,
    operation text NOT NULL,
    cause text NOT NULL,
    failures integer NOT NULL,
    first_at timestamptz NOT NULL,
    last_at timestamptz NOT NULL,
    CONSTRAINT failed_bank_calls_pkey PRIMARY KEY (payout_id, attempt, operation, cause),
    CONSTRAINT failed_bank_calls_payout_fkey FOREIGN KEY (payout_id) REFERENCES payouts (id),
    CONSTRAINT failed_bank_calls_cause_check CHECK (length(cause) <= 80),
    CONSTRAINT failed_bank_calls_failures_check CHECK (failures > 0)
  )`,
)
