// Positions of periodic work: verified checkpoints of the proof, undecided movements of wallets, and stages of the sweep.
import { migration } from '../migration'

const checkpoints = `
  -- A wallet has one only while its own books are without a drift.
  CREATE TABLE proof_checkpoints (
    wallet_id           uuid PRIMARY KEY,
    -- The last entry of the wallet's account that was verified, and the sum of all up to it.
    entry_id            bigint,
    balance_micro_usdc  bigint NOT NULL,
    -- How many ledger sets name a movement of the bank. Those in proof_changes are not counted yet.
    bookings            integer NOT NULL,
    verified_at         timestamptz NOT NULL,
    -- When every row of the wallet was last verified.
    full_at             timestamptz NOT NULL,
    CONSTRAINT proof_checkpoints_wallet_fkey FOREIGN KEY (wallet_id) REFERENCES wallets (id)
  );

  CREATE INDEX ledger_sets_booked_index ON ledger_sets (wallet_id, created_at) WHERE bank_ref IS NOT NULL;
  CREATE INDEX charges_payout_index ON charges (payout_id) WHERE payout_id IS NOT NULL;
`

const changes = `
  -- What changed since the checkpoint of its wallet. A row is committed together with the change that it names, so a
  -- transaction that commits late is still in the list, whatever ids and times it has. A row without a payout and a set asks for
  -- a full verification. No foreign key: it would lock the wallet once more in every step of every payout.
  CREATE TABLE proof_changes (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    wallet_id  uuid NOT NULL,
    payout_id  uuid,
    set_id     uuid
  );
  CREATE INDEX proof_changes_wallet_index ON proof_changes (wallet_id, id);

  CREATE FUNCTION list_payout_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP <> 'INSERT' THEN
      INSERT INTO proof_changes (wallet_id, payout_id) VALUES (OLD.wallet_id, OLD.id);
    END IF;
    IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND (NEW.wallet_id, NEW.id) <> (OLD.wallet_id, OLD.id)) THEN
      INSERT INTO proof_changes (wallet_id, payout_id) VALUES (NEW.wallet_id, NEW.id);
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER payouts_changed AFTER INSERT OR DELETE ON payouts FOR EACH ROW EXECUTE FUNCTION list_payout_change();
  -- The columns that the proof compares.
  CREATE TRIGGER payouts_changed_row AFTER UPDATE ON payouts FOR EACH ROW
    WHEN ((OLD.id, OLD.wallet_id, OLD.partner_id, OLD.environment, OLD.rail, OLD.status, OLD.amount_pence, OLD.fee_pence,
        OLD.fee_in_transfer_pence, OLD.gbp_per_usd_nano, OLD.wallet_sends_micro_usdc, OLD.completed_at, OLD.returned_at,
        OLD.closed_at, OLD.released_at)
      IS DISTINCT FROM (NEW.id, NEW.wallet_id, NEW.partner_id, NEW.environment, NEW.rail, NEW.status, NEW.amount_pence,
        NEW.fee_pence, NEW.fee_in_transfer_pence, NEW.gbp_per_usd_nano, NEW.wallet_sends_micro_usdc, NEW.completed_at,
        NEW.returned_at, NEW.closed_at, NEW.released_at))
    EXECUTE FUNCTION list_payout_change();

  CREATE FUNCTION list_event_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO proof_changes (wallet_id, payout_id) SELECT wallet_id, id FROM payouts WHERE id = NEW.payout_id;
    RETURN NULL;
  END $$;
  CREATE TRIGGER payout_events_changed AFTER INSERT ON payout_events FOR EACH ROW EXECUTE FUNCTION list_event_change();

  -- A set is written together with its entries.
  CREATE FUNCTION list_set_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO proof_changes (wallet_id, payout_id, set_id) VALUES (NEW.wallet_id, NEW.payout_id, NEW.id);
    RETURN NULL;
  END $$;
  CREATE TRIGGER ledger_sets_changed AFTER INSERT ON ledger_sets FOR EACH ROW EXECUTE FUNCTION list_set_change();

  CREATE FUNCTION list_charge_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO proof_changes (wallet_id, payout_id)
      SELECT id, NEW.payout_id FROM wallets WHERE partner_id = NEW.partner_id AND environment = 'live';
    RETURN NULL;
  END $$;
  CREATE TRIGGER charges_changed AFTER INSERT ON charges FOR EACH ROW
    WHEN (NEW.kind IN ('payout_fee', 'network_fee') OR (NEW.kind = 'credit' AND NEW.payout_id IS NOT NULL))
    EXECUTE FUNCTION list_charge_change();
`

const readings = `
  -- Movements that a reading could not decide. They are judged again by every reading, and do not hold its position.
  CREATE TABLE undecided_movements (
    wallet_id          uuid NOT NULL,
    -- The bank's own id of the movement.
    bank_ref           text NOT NULL,
    kind               text NOT NULL,
    amount_micro_usdc  bigint NOT NULL,
    transfer_ref       text,
    moved_at           timestamptz NOT NULL,
    found_at           timestamptz NOT NULL,
    CONSTRAINT undecided_movements_pkey PRIMARY KEY (wallet_id, bank_ref),
    CONSTRAINT undecided_movements_wallet_fkey FOREIGN KEY (wallet_id) REFERENCES wallets (id),
    CONSTRAINT undecided_movements_kind_check CHECK (kind IN ('deposit', 'withdrawal'))
  );

  -- Wallets whose last reading failed. A reading that succeeds deletes the row.
  CREATE TABLE wallet_reading_failures (
    wallet_id  uuid PRIMARY KEY,
    since      timestamptz NOT NULL,
    failed_at  timestamptz NOT NULL,
    failures   integer NOT NULL,
    reason     text NOT NULL,
    CONSTRAINT wallet_reading_failures_wallet_fkey FOREIGN KEY (wallet_id) REFERENCES wallets (id),
    CONSTRAINT wallet_reading_failures_reason_check CHECK (reason IN ('no_answer', 'refused', 'too_long', 'failed'))
  );
`

const sweeps = `
  -- Where a stage of the sweep stopped. The next sweep continues there.
  CREATE TABLE sweep_positions (
    stage  text PRIMARY KEY,
    after  text NOT NULL
  );
`

export const ProofCheckpoints1794700800026 = migration(
  'ProofCheckpoints1794700800026',
  checkpoints,
  changes,
  readings,
  sweeps,
)
