// Payouts, their timeline, the sealed recipients and the bank's events.
import { migration } from '../migration'

const payouts = `
  CREATE TABLE payouts (
    id                      uuid PRIMARY KEY,
    partner_id              uuid NOT NULL,
    environment             text NOT NULL,
    wallet_id               uuid NOT NULL,
    rail                    text NOT NULL,
    idempotency_key         text NOT NULL,
    attempt                 integer NOT NULL DEFAULT 1,
    fingerprint             bytea NOT NULL,
    fingerprint_key_id      text NOT NULL,
    field_fingerprints      jsonb NOT NULL,
    status                  text NOT NULL DEFAULT 'pending',
    failure_reason          text,
    reference               text,
    country                 text NOT NULL,
    created_via             text NOT NULL,
    created_by              text NOT NULL,
    amount_pence            bigint NOT NULL,
    fee_pence               bigint NOT NULL,
    fee_in_transfer_pence   bigint NOT NULL,
    wallet_sends_micro_usdc bigint NOT NULL,
    gbp_per_usd_nano        bigint NOT NULL,
    recipient_name          text,
    account_last4           text,
    account_hash            bytea,
    account_hash_key_id     text,
    bank_key                uuid NOT NULL,
    bank_body               text,
    transfer_ref            text,
    transfer_state          text,
    submit_started_at       timestamptz,
    verdict                 text,
    verdict_at              timestamptz,
    answered_at             timestamptz,
    released_at             timestamptz,
    completed_at            timestamptz,
    returned_at             timestamptz,
    created_at              timestamptz NOT NULL,
    updated_at              timestamptz NOT NULL,
    CONSTRAINT payouts_partner_fkey FOREIGN KEY (partner_id) REFERENCES partners (id),
    CONSTRAINT payouts_wallet_fkey FOREIGN KEY (wallet_id) REFERENCES wallets (id),
    CONSTRAINT payouts_key_unique UNIQUE (partner_id, environment, idempotency_key),
    CONSTRAINT payouts_bank_key_unique UNIQUE (bank_key),
    CONSTRAINT payouts_environment_check CHECK (environment IN ('sandbox', 'live')),
    CONSTRAINT payouts_rail_check CHECK (rail IN ('provider_production', 'provider_sandbox', 'simulated')),
    CONSTRAINT payouts_key_check CHECK (idempotency_key ~ '^[A-Za-z0-9_:.-]{8,100}$'),
    CONSTRAINT payouts_attempt_check CHECK (attempt >= 1),
    CONSTRAINT payouts_status_check CHECK
      (status IN ('pending', 'processing', 'completed', 'failed', 'cancelled', 'returned')),
    CONSTRAINT payouts_failure_check CHECK (status <> 'failed' OR failure_reason IS NOT NULL),
    CONSTRAINT payouts_completed_check CHECK (status <> 'completed' OR completed_at IS NOT NULL),
    CONSTRAINT payouts_returned_check CHECK (status <> 'returned' OR returned_at IS NOT NULL),
    CONSTRAINT payouts_released_check CHECK (released_at IS NULL OR answered_at IS NULL),
    CONSTRAINT payouts_reference_check CHECK (char_length(reference) <= 120),
    CONSTRAINT payouts_country_check CHECK (country = 'GB'),
    CONSTRAINT payouts_created_via_check CHECK (created_via IN ('api', 'dashboard')),
    CONSTRAINT payouts_amount_check CHECK (amount_pence BETWEEN 100 AND 2000000),
    CONSTRAINT payouts_fee_check CHECK (fee_in_transfer_pence >= 0 AND fee_in_transfer_pence <= fee_pence),
    CONSTRAINT payouts_sends_check CHECK (wallet_sends_micro_usdc > 0 AND wallet_sends_micro_usdc % 10000 = 0),
    CONSTRAINT payouts_rate_check CHECK (gbp_per_usd_nano > 0),
    CONSTRAINT payouts_last4_check CHECK (account_last4 ~ '^[0-9]{4}$')
  );
  -- Readers see a payout from its first verdict on, or once "pending" was answered for it, and never a released one.
  CREATE INDEX payouts_list_index ON payouts (partner_id, environment, created_at DESC, id DESC)
    WHERE released_at IS NULL AND (verdict_at IS NOT NULL OR answered_at IS NOT NULL);
  CREATE INDEX payouts_updated_index ON payouts (partner_id, environment, updated_at)
    WHERE released_at IS NULL AND (verdict_at IS NOT NULL OR answered_at IS NOT NULL);
  CREATE INDEX payouts_completed_index ON payouts (partner_id, environment, completed_at)
    WHERE completed_at IS NOT NULL;
  CREATE INDEX payouts_open_index ON payouts (created_at)
    WHERE released_at IS NULL AND status IN ('pending', 'processing');
  CREATE UNIQUE INDEX payouts_transfer_unique ON payouts (rail, transfer_ref) WHERE transfer_ref IS NOT NULL;

  ALTER TABLE ledger_sets
    ADD CONSTRAINT ledger_sets_payout_fkey FOREIGN KEY (payout_id) REFERENCES payouts (id);
`

const payoutEvents = `
  CREATE TABLE payout_events (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    payout_id  uuid NOT NULL,
    at         timestamptz NOT NULL,
    kind       text NOT NULL,
    status     text NOT NULL,
    made_by    text NOT NULL,
    detail     text,
    CONSTRAINT payout_events_payout_fkey FOREIGN KEY (payout_id) REFERENCES payouts (id)
  );
  CREATE INDEX payout_events_payout_index ON payout_events (payout_id, id);
  CREATE TRIGGER payout_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON payout_events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
`

const sealedRecipients = `
  CREATE TABLE sealed_recipients (
    payout_id  uuid PRIMARY KEY,
    key_id     text NOT NULL,
    sealed     bytea NOT NULL,
    CONSTRAINT sealed_recipients_payout_fkey FOREIGN KEY (payout_id) REFERENCES payouts (id)
  );
`

const bankEvents = `
  CREATE TABLE bank_events (
    id             uuid PRIMARY KEY,
    environment    text NOT NULL,
    event_id       text NOT NULL,
    category       text NOT NULL,
    object_ref     text,
    object_state   text,
    payout_id      uuid,
    sealed         bytea,
    received_at    timestamptz NOT NULL,
    handled_at     timestamptz,
    outcome        text,
    CONSTRAINT bank_events_payout_fkey FOREIGN KEY (payout_id) REFERENCES payouts (id),
    CONSTRAINT bank_events_event_unique UNIQUE (environment, event_id),
    CONSTRAINT bank_events_environment_check CHECK (environment IN ('sandbox', 'live'))
  );
  CREATE INDEX bank_events_unhandled_index ON bank_events (received_at) WHERE handled_at IS NULL;
`

export const Payouts1794700800003 = migration(
  'Payouts1794700800003',
  payouts,
  payoutEvents,
  sealedRecipients,
  bankEvents,
)
