// Going live: verification and its reasons, bank details, the read position of a wallet, held deposits, cases, and
// notices for mails.
import { migration } from '../migration'

const partners = `
  ALTER TABLE partners
    -- What the bank lets people know of why it refused; those that were known when the partner tried again count no more.
    ADD COLUMN verification_reasons text[] NOT NULL DEFAULT '{}',
    -- Each reason's own mark, in their order: one that comes again with the same words is another one.
    ADD COLUMN verification_reason_marks text[] NOT NULL DEFAULT '{}',
    ADD COLUMN verification_reasons_known text[],
    ADD COLUMN verification_tries integer NOT NULL DEFAULT 0,
    -- Since when the bank is to open it; null once it has answered, or people were told that it has not.
    ADD COLUMN verification_awaited_since timestamptz,
    ADD COLUMN muted_mails text[] NOT NULL DEFAULT '{}',
    ADD COLUMN low_balance_micro_usdc bigint,
    ADD CONSTRAINT partners_low_balance_check CHECK (low_balance_micro_usdc > 0);
`

const wallets = `
  ALTER TABLE wallets
    -- Where a bank transfer reaches the wallet: the partner's own account at the bank.
    ADD COLUMN funding_ref text,
    ADD COLUMN funding_sort_code text,
    ADD COLUMN funding_account_number text,
    ADD COLUMN funding_holder_name text,
    ADD COLUMN funding_bank_name text,
    -- The movement up to which the bank's history need not be read again.
    ADD COLUMN history_read_to text,
    ADD COLUMN low_balance_told_at timestamptz;
  -- Nobody shares a customer or a wallet: one partner's money would be another's.
  CREATE UNIQUE INDEX wallets_ref_unique ON wallets (environment, wallet_ref) WHERE wallet_ref IS NOT NULL;
  CREATE UNIQUE INDEX wallets_customer_unique ON wallets (environment, customer_ref) WHERE customer_ref IS NOT NULL;
  CREATE UNIQUE INDEX wallets_verification_unique ON wallets (environment, verification_ref)
    WHERE verification_ref IS NOT NULL;
`

const returns = `
  ALTER TABLE price_lists
    -- What a return costs where the bank names no cost.
    ADD COLUMN return_cost_micropounds bigint NOT NULL DEFAULT 5000000,
    ADD CONSTRAINT price_lists_return_cost_check CHECK (return_cost_micropounds >= 0);

  CREATE TABLE bank_readings (
    environment      text PRIMARY KEY,
    -- Until when the bank's changed transfers were looked through.
    read_until       timestamptz,
    -- The wallet that the reading of all of them got to; null when it got to the end.
    wallets_read_to  uuid,
    CONSTRAINT bank_readings_environment_check CHECK (environment IN ('sandbox', 'live'))
  );
`

const heldDeposits = `
  CREATE TABLE held_deposits (
    id                 uuid PRIMARY KEY,
    wallet_id          uuid NOT NULL,
    -- The bank's own id of the movement.
    bank_ref           text NOT NULL,
    -- In the wallet's suspense account; null when no amount could be read.
    amount_micro_usdc  bigint,
    why                text NOT NULL,
    found_at           timestamptz NOT NULL,
    resolved_at        timestamptz,
    resolved_by        text,
    outcome            text,
    note               text,
    CONSTRAINT held_deposits_wallet_fkey FOREIGN KEY (wallet_id) REFERENCES wallets (id),
    CONSTRAINT held_deposits_bank_unique UNIQUE (wallet_id, bank_ref),
    CONSTRAINT held_deposits_amount_check CHECK (amount_micro_usdc > 0),
    CONSTRAINT held_deposits_outcome_check CHECK (outcome IN ('credited', 'kept'))
  );
  CREATE INDEX held_deposits_open_index ON held_deposits (found_at) WHERE resolved_at IS NULL;
`

const cases = `
  CREATE TABLE cases (
    id                uuid PRIMARY KEY,
    payout_id         uuid NOT NULL,
    kind              text NOT NULL,
    reason            text NOT NULL,
    opened_by         text NOT NULL,
    opened_at         timestamptz NOT NULL,
    due_at            timestamptz NOT NULL,
    -- When people were told that it is late.
    overdue_at        timestamptz,
    resolved_at       timestamptz,
    resolved_by       text,
    outcome           text,
    cost_micropounds  bigint,
    CONSTRAINT cases_payout_fkey FOREIGN KEY (payout_id) REFERENCES payouts (id),
    CONSTRAINT cases_kind_check CHECK (kind IN ('recall', 'trace')),
    CONSTRAINT cases_outcome_check CHECK (outcome IN ('returned', 'refused', 'found', 'not_found', 'withdrawn')),
    CONSTRAINT cases_cost_check CHECK (cost_micropounds >= 0),
    CONSTRAINT cases_resolved_check CHECK ((resolved_at IS NULL) = (outcome IS NULL))
  );
  -- One at a time of each kind.
  CREATE UNIQUE INDEX cases_open_unique ON cases (payout_id, kind) WHERE resolved_at IS NULL;
  CREATE INDEX cases_payout_index ON cases (payout_id, opened_at);
  CREATE INDEX cases_due_index ON cases (due_at) WHERE resolved_at IS NULL;

  CREATE TABLE case_notes (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    case_id   uuid NOT NULL,
    at        timestamptz NOT NULL,
    made_by   text NOT NULL,
    note      text NOT NULL,
    CONSTRAINT case_notes_case_fkey FOREIGN KEY (case_id) REFERENCES cases (id)
  );
  CREATE INDEX case_notes_case_index ON case_notes (case_id, id);
  CREATE TRIGGER case_notes_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON case_notes
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
`

const notices = `
  -- What a partner's admins are to be mailed about, written with what it tells; a sweep makes one mail of those that belong together.
  CREATE TABLE notices (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    partner_id   uuid NOT NULL,
    environment  text NOT NULL,
    kind         text NOT NULL,
    -- A payout, a movement, or a word: never anything personal.
    about        text NOT NULL,
    at           timestamptz NOT NULL,
    told_at      timestamptz,
    CONSTRAINT notices_partner_fkey FOREIGN KEY (partner_id) REFERENCES partners (id),
    CONSTRAINT notices_environment_check CHECK (environment IN ('sandbox', 'live')),
    CONSTRAINT notices_kind_check CHECK
      (kind IN ('payout_failed', 'payout_returned', 'low_balance', 'verification', 'top_up', 'case'))
  );
  CREATE INDEX notices_open_index ON notices (partner_id, environment, kind, id) WHERE told_at IS NULL;

  CREATE FUNCTION note_payout_event() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO notices (partner_id, environment, kind, about, at)
    SELECT partner_id, environment, 'payout_' || NEW.kind, NEW.payout_id::text, NEW.at
    FROM payouts WHERE id = NEW.payout_id AND environment = 'live';
    RETURN NULL;
  END $$;
  CREATE TRIGGER payout_events_notice AFTER INSERT ON payout_events
    FOR EACH ROW WHEN (NEW.kind IN ('failed', 'returned')) EXECUTE FUNCTION note_payout_event();
`

const activity = `
  -- For the list of changes alone: among millions of reads the latest 200 of them would be looked for through all.
  CREATE INDEX activity_changes_index ON activity (partner_id, at DESC, id DESC) WHERE changes;
`

export const GoingLive1794700800012 = migration(
  'GoingLive1794700800012',
  partners,
  wallets,
  returns,
  heldDeposits,
  cases,
  notices,
  activity,
)
