-- The schema after all migrations, for reading. Written by `npm run -s schema > db/schema.sql` from the migrated
-- database of DATABASE_URL; test/db/schema.test.ts fails while it is not current.

CREATE EXTENSION btree_gin;
CREATE EXTENSION pg_trgm;

CREATE TABLE activity (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  partner_id uuid NOT NULL,
  at timestamp with time zone NOT NULL,
  environment text,
  action text NOT NULL,
  changes boolean NOT NULL,
  status integer,
  made_by text NOT NULL,
  detail text,
  request_id text,
  CONSTRAINT activity_pkey PRIMARY KEY (id),
  CONSTRAINT activity_environment_check CHECK (environment = ANY (ARRAY['sandbox'::text, 'live'::text]))
) PARTITION BY RANGE (id);
CREATE INDEX activity_changes_index ON activity USING btree (partner_id, at DESC, id DESC) WHERE changes;
CREATE INDEX activity_partner_index ON activity USING btree (partner_id, at DESC, id DESC);
CREATE INDEX activity_read_index ON activity USING btree (at) WHERE (NOT changes);
CREATE INDEX activity_sandbox_changes_index ON activity USING btree (partner_id, at DESC, id DESC) WHERE ((environment = 'sandbox'::text) AND changes);
CREATE INDEX activity_sandbox_index ON activity USING btree (partner_id, at DESC, id DESC) WHERE (environment = 'sandbox'::text);
CREATE INDEX activity_security_index ON activity USING btree (partner_id, at DESC, id DESC) WHERE (changes AND ((action ~ '^(key|login|member|partner|session|verification)[.]'::text) OR (action ~ '[.]confirm$'::text) OR ((action = 'account.update'::text) AND (detail ~ '(billing|contact)_email'::text))));

CREATE TABLE api_keys (
  id uuid NOT NULL,
  partner_id uuid NOT NULL,
  environment text NOT NULL,
  key_prefix text NOT NULL,
  label text,
  digest bytea NOT NULL,
  digest_key_id text NOT NULL,
  created_by text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  revoked_by text,
  CONSTRAINT api_keys_pkey PRIMARY KEY (id),
  CONSTRAINT api_keys_digest_unique UNIQUE (digest),
  CONSTRAINT api_keys_prefix_unique UNIQUE (partner_id, key_prefix),
  CONSTRAINT api_keys_partner_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  CONSTRAINT api_keys_environment_check CHECK (environment = ANY (ARRAY['sandbox'::text, 'live'::text])),
  CONSTRAINT api_keys_label_check CHECK (char_length(label) <= 60)
);
CREATE INDEX api_keys_partner_index ON api_keys USING btree (partner_id, created_at);

CREATE TABLE archives (
  id uuid NOT NULL,
  table_name text NOT NULL,
  from_id bigint NOT NULL,
  before_id bigint NOT NULL,
  row_count bigint NOT NULL,
  newest_at timestamp with time zone,
  sha256 bytea NOT NULL,
  archived_at timestamp with time zone NOT NULL,
  archived_by text NOT NULL,
  CONSTRAINT archives_pkey PRIMARY KEY (id),
  CONSTRAINT archives_range_unique UNIQUE (table_name, from_id),
  CONSTRAINT archives_range_check CHECK (from_id < before_id),
  CONSTRAINT archives_sha256_check CHECK (length(sha256) = 32),
  CONSTRAINT archives_table_check CHECK (table_name = ANY (ARRAY['activity'::text, 'payout_events'::text]))
);
CREATE TRIGGER archives_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON archives FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER archives_owner BEFORE INSERT ON archives FOR EACH STATEMENT EXECUTE FUNCTION refuse_unless_owner();

CREATE TABLE audit_chain (
  sequence bigint NOT NULL,
  table_name text NOT NULL,
  row_id text NOT NULL,
  row_hash bytea NOT NULL,
  chain_hash bytea NOT NULL,
  sealed_at timestamp with time zone NOT NULL,
  CONSTRAINT audit_chain_pkey PRIMARY KEY (sequence),
  CONSTRAINT audit_chain_row_unique UNIQUE (table_name, row_id),
  CONSTRAINT audit_chain_hash_check CHECK (length(row_hash) = 32 AND length(chain_hash) = 32),
  CONSTRAINT audit_chain_table_check CHECK (table_name = ANY (ARRAY['ledger_sets'::text, 'ledger_entries'::text, 'charges'::text, 'activity'::text, 'ledger_accounts'::text]))
);
CREATE INDEX audit_chain_table_index ON audit_chain USING btree (table_name, sequence);
CREATE TRIGGER audit_chain_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_chain FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE audit_progress (
  id integer NOT NULL,
  passed_to bigint NOT NULL,
  next_to bigint NOT NULL,
  next_before bigint NOT NULL,
  next_at timestamp with time zone NOT NULL,
  CONSTRAINT audit_progress_pkey PRIMARY KEY (id),
  CONSTRAINT audit_progress_one_check CHECK (id = 1)
);

CREATE TABLE audit_verifications (
  id uuid NOT NULL,
  verified_at timestamp with time zone NOT NULL,
  links bigint NOT NULL,
  head bytea NOT NULL,
  fault text,
  sequence bigint,
  table_name text,
  row_id text,
  CONSTRAINT audit_verifications_pkey PRIMARY KEY (id),
  CONSTRAINT audit_verifications_fault_check CHECK (fault = ANY (ARRAY['row_changed'::text, 'row_missing'::text, 'row_unsealed'::text, 'link_changed'::text, 'link_missing'::text, 'head_missing'::text]))
);
CREATE INDEX audit_verifications_time_index ON audit_verifications USING btree (verified_at);
CREATE TRIGGER audit_verifications_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_verifications FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE bank_events (
  id uuid NOT NULL,
  environment text NOT NULL,
  event_id text NOT NULL,
  category text NOT NULL,
  object_ref text,
  object_state text,
  payout_id uuid,
  sealed bytea,
  received_at timestamp with time zone NOT NULL,
  handled_at timestamp with time zone,
  outcome text,
  attended_at timestamp with time zone,
  attended_by text,
  note text,
  CONSTRAINT bank_events_pkey PRIMARY KEY (id),
  CONSTRAINT bank_events_event_unique UNIQUE (environment, event_id),
  CONSTRAINT bank_events_payout_fkey FOREIGN KEY (payout_id) REFERENCES payouts(id),
  CONSTRAINT bank_events_environment_check CHECK (environment = ANY (ARRAY['sandbox'::text, 'live'::text]))
);
CREATE INDEX bank_events_payout_index ON bank_events USING btree (payout_id, received_at, id) WHERE (payout_id IS NOT NULL);
CREATE INDEX bank_events_quarantined_index ON bank_events USING btree (received_at) WHERE ((attended_at IS NULL) AND (outcome = ANY (ARRAY['quarantined'::text, 'unknown_payout'::text])));
CREATE INDEX bank_events_unhandled_index ON bank_events USING btree (received_at) WHERE (handled_at IS NULL);

CREATE TABLE bank_readings (
  environment text NOT NULL,
  read_until timestamp with time zone,
  wallets_read_to uuid,
  CONSTRAINT bank_readings_pkey PRIMARY KEY (environment),
  CONSTRAINT bank_readings_environment_check CHECK (environment = ANY (ARRAY['sandbox'::text, 'live'::text]))
);

CREATE TABLE bank_recipients (
  id uuid NOT NULL,
  customer_ref text NOT NULL,
  details_hash bytea NOT NULL,
  recipient_ref text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT bank_recipients_pkey PRIMARY KEY (id),
  CONSTRAINT bank_recipients_details_unique UNIQUE (customer_ref, details_hash)
);

CREATE TABLE bank_webhooks (
  environment text NOT NULL,
  url text NOT NULL,
  webhook_ref text NOT NULL,
  public_key text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT bank_webhooks_pkey PRIMARY KEY (environment),
  CONSTRAINT bank_webhooks_environment_check CHECK (environment = ANY (ARRAY['sandbox'::text, 'live'::text]))
);

CREATE TABLE case_notes (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  case_id uuid NOT NULL,
  at timestamp with time zone NOT NULL,
  made_by text NOT NULL,
  note text NOT NULL,
  CONSTRAINT case_notes_pkey PRIMARY KEY (id),
  CONSTRAINT case_notes_case_fkey FOREIGN KEY (case_id) REFERENCES cases(id)
);
CREATE INDEX case_notes_case_index ON case_notes USING btree (case_id, id);
CREATE TRIGGER case_notes_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON case_notes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE cases (
  id uuid NOT NULL,
  payout_id uuid NOT NULL,
  kind text NOT NULL,
  reason text NOT NULL,
  opened_by text NOT NULL,
  opened_at timestamp with time zone NOT NULL,
  due_at timestamp with time zone NOT NULL,
  overdue_at timestamp with time zone,
  resolved_at timestamp with time zone,
  resolved_by text,
  outcome text,
  cost_micropounds bigint,
  CONSTRAINT cases_pkey PRIMARY KEY (id),
  CONSTRAINT cases_payout_fkey FOREIGN KEY (payout_id) REFERENCES payouts(id),
  CONSTRAINT cases_cost_check CHECK (cost_micropounds >= 0),
  CONSTRAINT cases_kind_check CHECK (kind = ANY (ARRAY['recall'::text, 'trace'::text])),
  CONSTRAINT cases_outcome_check CHECK (outcome = ANY (ARRAY['returned'::text, 'refused'::text, 'found'::text, 'not_found'::text, 'withdrawn'::text])),
  CONSTRAINT cases_resolved_check CHECK ((resolved_at IS NULL) = (outcome IS NULL))
);
CREATE INDEX cases_due_index ON cases USING btree (due_at) WHERE (resolved_at IS NULL);
CREATE UNIQUE INDEX cases_open_unique ON cases USING btree (payout_id, kind) WHERE (resolved_at IS NULL);
CREATE INDEX cases_payout_index ON cases USING btree (payout_id, opened_at);

CREATE TABLE charges (
  id uuid NOT NULL,
  partner_id uuid NOT NULL,
  kind text NOT NULL,
  cause_ref text NOT NULL,
  payout_id uuid,
  amount_micropounds bigint NOT NULL,
  month date NOT NULL,
  description text,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT charges_pkey PRIMARY KEY (id),
  CONSTRAINT charges_cause_unique UNIQUE (partner_id, kind, cause_ref),
  CONSTRAINT charges_partner_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  CONSTRAINT charges_payout_fkey FOREIGN KEY (payout_id) REFERENCES payouts(id),
  CONSTRAINT charges_amount_check CHECK (amount_micropounds >= 0),
  CONSTRAINT charges_kind_check CHECK (kind = ANY (ARRAY['payout_fee'::text, 'network_fee'::text, 'exception'::text, 'monthly_account'::text, 'verification'::text, 'credit'::text])),
  CONSTRAINT charges_month_check CHECK (EXTRACT(day FROM month) = 1::numeric)
);
CREATE INDEX charges_created_index ON charges USING btree (created_at);
CREATE INDEX charges_month_index ON charges USING btree (partner_id, month);
CREATE INDEX charges_payout_index ON charges USING btree (payout_id) WHERE (payout_id IS NOT NULL);
CREATE TRIGGER charges_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON charges FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER charges_await AFTER INSERT ON charges REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION await_invoice();
CREATE TRIGGER charges_changed AFTER INSERT ON charges FOR EACH ROW WHEN ((new.kind = ANY (ARRAY['payout_fee'::text, 'network_fee'::text])) OR new.kind = 'credit'::text AND new.payout_id IS NOT NULL) EXECUTE FUNCTION list_charge_change();

CREATE TABLE codes (
  id uuid NOT NULL,
  purpose text NOT NULL,
  subject text NOT NULL,
  bound_to bytea,
  digest bytea NOT NULL,
  digest_key_id text NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  used_at timestamp with time zone,
  used_for uuid,
  sealed bytea,
  sealed_key_id text,
  CONSTRAINT codes_pkey PRIMARY KEY (id),
  CONSTRAINT codes_purpose_check CHECK (purpose = ANY (ARRAY['sign_in'::text, 'sign_up'::text, 'confirm'::text])),
  CONSTRAINT codes_tries_check CHECK (tries >= 0 AND tries <= 5)
);
CREATE INDEX codes_expiry_index ON codes USING btree (expires_at);
CREATE INDEX codes_subject_index ON codes USING btree (subject, created_at);
CREATE INDEX codes_used_for_index ON codes USING btree (used_for) WHERE (used_for IS NOT NULL);

CREATE TABLE drift_decisions (
  id uuid NOT NULL,
  drift_id uuid NOT NULL,
  wallet_id uuid NOT NULL,
  kind text NOT NULL,
  subject text NOT NULL,
  expected text NOT NULL,
  found text NOT NULL,
  outcome text NOT NULL,
  reason text NOT NULL,
  decided_by text NOT NULL,
  decided_at timestamp with time zone NOT NULL,
  CONSTRAINT drift_decisions_pkey PRIMARY KEY (id),
  CONSTRAINT drift_decisions_wallet_fkey FOREIGN KEY (wallet_id) REFERENCES wallets(id),
  CONSTRAINT drift_decisions_outcome_check CHECK (outcome = ANY (ARRAY['accepted'::text, 'reopened'::text]))
);
CREATE TRIGGER drift_decisions_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON drift_decisions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE drifts (
  id uuid NOT NULL,
  kind text NOT NULL,
  wallet_id uuid NOT NULL,
  subject text NOT NULL,
  expected text NOT NULL,
  found text NOT NULL,
  first_seen_at timestamp with time zone NOT NULL,
  last_seen_at timestamp with time zone NOT NULL,
  resolved_at timestamp with time zone,
  told_at timestamp with time zone,
  size text NOT NULL DEFAULT ''::text,
  accepted_by_id uuid,
  passed_at timestamp with time zone,
  CONSTRAINT drifts_pkey PRIMARY KEY (id),
  CONSTRAINT drifts_subject_unique UNIQUE (kind, subject),
  CONSTRAINT drifts_accepted_by_fkey FOREIGN KEY (accepted_by_id) REFERENCES drift_decisions(id),
  CONSTRAINT drifts_wallet_fkey FOREIGN KEY (wallet_id) REFERENCES wallets(id),
  CONSTRAINT drifts_kind_check CHECK (kind = ANY (ARRAY['wallet_balance'::text, 'suspense_balance'::text, 'set_sum'::text, 'payout_ledger'::text, 'payout_row'::text, 'payout_charge'::text, 'payout_totals'::text, 'entry_without_movement'::text, 'booking_without_movement'::text, 'transfer_without_payout'::text, 'transfer_amount'::text, 'payout_without_transfer'::text, 'deposit_not_booked'::text, 'deposit_amount'::text, 'bank_balance'::text, 'silent_payout'::text, 'not_compared'::text]))
);
CREATE INDEX drifts_open_index ON drifts USING btree (wallet_id) WHERE (resolved_at IS NULL);

CREATE TABLE exchange_rates (
  rail text NOT NULL,
  accepted_nano bigint,
  accepted_at timestamp with time zone,
  rejection text,
  rejected_nano bigint,
  rejected_at timestamp with time zone,
  CONSTRAINT exchange_rates_pkey PRIMARY KEY (rail),
  CONSTRAINT exchange_rates_accepted_check CHECK ((accepted_nano IS NULL) = (accepted_at IS NULL) AND accepted_nano > 0),
  CONSTRAINT exchange_rates_rail_check CHECK (rail = ANY (ARRAY['provider_production'::text, 'provider_sandbox'::text, 'simulated'::text])),
  CONSTRAINT exchange_rates_rejected_check CHECK ((rejection IS NULL) = (rejected_at IS NULL) AND (rejection = ANY (ARRAY['unusable'::text, 'stale'::text, 'off_mid'::text, 'jump'::text])))
);

CREATE TABLE failed_bank_calls (
  payout_id uuid NOT NULL,
  attempt integer NOT NULL,
  operation text NOT NULL,
  cause text NOT NULL,
  failures integer NOT NULL,
  first_at timestamp with time zone NOT NULL,
  last_at timestamp with time zone NOT NULL,
  CONSTRAINT failed_bank_calls_pkey PRIMARY KEY (payout_id, attempt, operation, cause),
  CONSTRAINT failed_bank_calls_payout_fkey FOREIGN KEY (payout_id) REFERENCES payouts(id),
  CONSTRAINT failed_bank_calls_cause_check CHECK (length(cause) <= 80),
  CONSTRAINT failed_bank_calls_failures_check CHECK (failures > 0)
);

CREATE TABLE held_deposits (
  id uuid NOT NULL,
  wallet_id uuid NOT NULL,
  bank_ref text NOT NULL,
  amount_micro_usdc bigint,
  why text NOT NULL,
  found_at timestamp with time zone NOT NULL,
  resolved_at timestamp with time zone,
  resolved_by text,
  outcome text,
  note text,
  requested_micro_usdc bigint,
  requested_by text,
  requested_as text,
  requested_at timestamp with time zone,
  request_note text,
  resolved_as text,
  CONSTRAINT held_deposits_pkey PRIMARY KEY (id),
  CONSTRAINT held_deposits_bank_unique UNIQUE (wallet_id, bank_ref),
  CONSTRAINT held_deposits_wallet_fkey FOREIGN KEY (wallet_id) REFERENCES wallets(id),
  CONSTRAINT held_deposits_amount_check CHECK (amount_micro_usdc > 0),
  CONSTRAINT held_deposits_outcome_check CHECK (outcome = ANY (ARRAY['credited'::text, 'kept'::text])),
  CONSTRAINT held_deposits_request_check CHECK (num_nonnulls(requested_micro_usdc, requested_by, requested_as, requested_at, request_note) = ANY (ARRAY[0, 5])),
  CONSTRAINT held_deposits_requested_check CHECK (requested_micro_usdc > 0),
  CONSTRAINT held_deposits_two_operators_check CHECK (outcome <> 'credited'::text OR lower(resolved_by) <> lower(requested_by))
);
CREATE INDEX held_deposits_open_index ON held_deposits USING btree (found_at) WHERE (resolved_at IS NULL);

CREATE TABLE invoice_charges (
  invoice_id uuid NOT NULL,
  charge_id uuid NOT NULL,
  voided boolean NOT NULL DEFAULT false,
  CONSTRAINT invoice_charges_pkey PRIMARY KEY (invoice_id, charge_id),
  CONSTRAINT invoice_charges_charge_fkey FOREIGN KEY (charge_id) REFERENCES charges(id),
  CONSTRAINT invoice_charges_invoice_fkey FOREIGN KEY (invoice_id) REFERENCES invoices(id)
);
CREATE UNIQUE INDEX invoice_charges_charge_unique ON invoice_charges USING btree (charge_id) WHERE (NOT voided);
CREATE TRIGGER invoice_charges_keep BEFORE DELETE OR TRUNCATE ON invoice_charges FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER invoice_charges_stay AFTER UPDATE ON invoice_charges REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION guard_kept_charges();
CREATE TRIGGER invoice_charges_take AFTER INSERT ON invoice_charges REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION guard_taken_charges();

CREATE TABLE invoice_lines (
  id uuid NOT NULL,
  invoice_id uuid NOT NULL,
  position integer NOT NULL,
  kind text NOT NULL,
  description text NOT NULL,
  quantity integer NOT NULL,
  unit_amount_micropounds bigint NOT NULL,
  amount_pence bigint NOT NULL,
  CONSTRAINT invoice_lines_pkey PRIMARY KEY (id),
  CONSTRAINT invoice_lines_position_unique UNIQUE (invoice_id, "position"),
  CONSTRAINT invoice_lines_invoice_fkey FOREIGN KEY (invoice_id) REFERENCES invoices(id),
  CONSTRAINT invoice_lines_amount_check CHECK (quantity >= 0 AND unit_amount_micropounds >= 0 AND amount_pence >= 0),
  CONSTRAINT invoice_lines_kind_check CHECK (kind = ANY (ARRAY['payout_fees'::text, 'monthly_account'::text, 'business_verification'::text, 'network_fees'::text, 'bank_exceptions'::text, 'credit'::text])),
  CONSTRAINT invoice_lines_rounding_check CHECK (amount_pence::numeric = round(quantity::numeric * unit_amount_micropounds::numeric / 10000::numeric))
);
CREATE TRIGGER invoice_lines_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON invoice_lines FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER invoice_lines_guard BEFORE INSERT ON invoice_lines FOR EACH ROW EXECUTE FUNCTION guard_invoice_line();

CREATE TABLE invoice_numbers (
  year integer NOT NULL,
  last_number integer NOT NULL,
  CONSTRAINT invoice_numbers_pkey PRIMARY KEY (year),
  CONSTRAINT invoice_numbers_check CHECK (last_number >= 0 AND last_number <= 999999)
);
CREATE TRIGGER invoice_numbers_guard BEFORE INSERT OR UPDATE ON invoice_numbers FOR EACH ROW EXECUTE FUNCTION guard_invoice_number();
CREATE TRIGGER invoice_numbers_keep BEFORE DELETE OR TRUNCATE ON invoice_numbers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE invoices (
  id uuid NOT NULL,
  partner_id uuid NOT NULL,
  period date NOT NULL,
  number text,
  status text NOT NULL,
  total_pence bigint NOT NULL,
  carried_pence bigint NOT NULL DEFAULT 0,
  issued_at timestamp with time zone,
  due_at timestamp with time zone,
  paid_at timestamp with time zone,
  voided_at timestamp with time zone,
  mailed_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  carried_in_pence bigint NOT NULL DEFAULT 0,
  document jsonb,
  void_reason text,
  CONSTRAINT invoices_pkey PRIMARY KEY (id),
  CONSTRAINT invoices_number_unique UNIQUE (number),
  CONSTRAINT invoices_partner_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  CONSTRAINT invoices_issued_check CHECK (status = 'draft'::text OR number IS NOT NULL AND issued_at IS NOT NULL AND due_at IS NOT NULL AND document IS NOT NULL),
  CONSTRAINT invoices_paid_check CHECK ((status = 'paid'::text) = (paid_at IS NOT NULL)),
  CONSTRAINT invoices_period_check CHECK (EXTRACT(day FROM period) = 1::numeric),
  CONSTRAINT invoices_status_check CHECK (status = ANY (ARRAY['draft'::text, 'open'::text, 'paid'::text, 'void'::text])),
  CONSTRAINT invoices_total_check CHECK (total_pence >= 0 AND carried_pence >= 0 AND carried_in_pence >= 0),
  CONSTRAINT invoices_void_check CHECK ((status = 'void'::text) = (voided_at IS NOT NULL) AND (status = 'void'::text) = (void_reason IS NOT NULL))
);
CREATE INDEX invoices_list_index ON invoices USING btree (partner_id, period DESC, created_at DESC, id DESC);
CREATE UNIQUE INDEX invoices_month_unique ON invoices USING btree (partner_id, period) WHERE (status <> 'void'::text);
CREATE TRIGGER invoices_carry AFTER UPDATE ON invoices FOR EACH ROW WHEN (old.status <> new.status) EXECUTE FUNCTION guard_carried_credit();
CREATE TRIGGER invoices_guard BEFORE INSERT OR DELETE OR UPDATE ON invoices FOR EACH ROW EXECUTE FUNCTION guard_invoice();
CREATE TRIGGER invoices_keep BEFORE TRUNCATE ON invoices FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER invoices_lead AFTER UPDATE ON invoices FOR EACH ROW WHEN ((old.status = 'void'::text) <> (new.status = 'void'::text)) EXECUTE FUNCTION lead_invoice_charges();

CREATE TABLE ledger_accounts (
  id uuid NOT NULL,
  wallet_id uuid NOT NULL,
  kind text NOT NULL,
  currency text NOT NULL DEFAULT 'USDC'::text,
  CONSTRAINT ledger_accounts_pkey PRIMARY KEY (id),
  CONSTRAINT ledger_accounts_kind_unique UNIQUE (wallet_id, kind, currency),
  CONSTRAINT ledger_accounts_wallet_fkey FOREIGN KEY (wallet_id) REFERENCES wallets(id),
  CONSTRAINT ledger_accounts_currency_check CHECK (currency = 'USDC'::text),
  CONSTRAINT ledger_accounts_kind_check CHECK (kind = ANY (ARRAY['wallet'::text, 'in_transit'::text, 'paid_out'::text, 'top_ups'::text, 'exchange_difference'::text, 'suspense'::text]))
);
CREATE TRIGGER ledger_accounts_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger_accounts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE ledger_entries (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  set_id uuid NOT NULL,
  account_id uuid NOT NULL,
  amount_micro_usdc bigint NOT NULL,
  balance_micro_usdc bigint,
  CONSTRAINT ledger_entries_pkey PRIMARY KEY (id),
  CONSTRAINT ledger_entries_set_unique UNIQUE (set_id, account_id),
  CONSTRAINT ledger_entries_account_fkey FOREIGN KEY (account_id) REFERENCES ledger_accounts(id),
  CONSTRAINT ledger_entries_set_fkey FOREIGN KEY (set_id) REFERENCES ledger_sets(id),
  CONSTRAINT ledger_entries_amount_check CHECK (amount_micro_usdc <> 0),
  CONSTRAINT ledger_entries_balance_check CHECK (balance_micro_usdc >= 0)
);
CREATE INDEX ledger_entries_account_index ON ledger_entries USING btree (account_id, id);
CREATE TRIGGER ledger_entries_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_entries_complete AFTER INSERT ON ledger_entries REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION complete_ledger_set();

CREATE TABLE ledger_sets (
  id uuid NOT NULL,
  wallet_id uuid NOT NULL,
  cause text NOT NULL,
  cause_ref text NOT NULL,
  payout_id uuid,
  bank_ref text,
  created_by text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT ledger_sets_pkey PRIMARY KEY (id),
  CONSTRAINT ledger_sets_cause_unique UNIQUE (wallet_id, cause, cause_ref),
  CONSTRAINT ledger_sets_payout_fkey FOREIGN KEY (payout_id) REFERENCES payouts(id),
  CONSTRAINT ledger_sets_wallet_fkey FOREIGN KEY (wallet_id) REFERENCES wallets(id),
  CONSTRAINT ledger_sets_cause_check CHECK (cause ~ '^[a-z_]+$'::text)
);
CREATE UNIQUE INDEX ledger_sets_bank_unique ON ledger_sets USING btree (wallet_id, bank_ref) WHERE (bank_ref IS NOT NULL);
CREATE INDEX ledger_sets_booked_index ON ledger_sets USING btree (wallet_id, created_at) WHERE (bank_ref IS NOT NULL);
CREATE INDEX ledger_sets_payout_index ON ledger_sets USING btree (payout_id) WHERE (payout_id IS NOT NULL);
CREATE TRIGGER ledger_sets_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger_sets FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_sets_changed AFTER INSERT ON ledger_sets FOR EACH ROW EXECUTE FUNCTION list_set_change();
CREATE CONSTRAINT TRIGGER ledger_sets_entries AFTER INSERT ON ledger_sets DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse_empty_set();

CREATE TABLE mails (
  id uuid NOT NULL,
  kind text NOT NULL,
  sealed bytea,
  key_id text NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  next_try_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  sent_at timestamp with time zone,
  CONSTRAINT mails_pkey PRIMARY KEY (id),
  CONSTRAINT mails_kind_check CHECK (kind = ANY (ARRAY['sign_in'::text, 'sign_up'::text, 'invitation'::text, 'confirm'::text, 'notice'::text]))
);
CREATE INDEX mails_due_index ON mails USING btree (next_try_at) WHERE (sealed IS NOT NULL);

CREATE TABLE members (
  id uuid NOT NULL,
  partner_id uuid NOT NULL,
  email text NOT NULL,
  name text,
  role text NOT NULL,
  last_login_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT members_pkey PRIMARY KEY (id),
  CONSTRAINT members_email_unique UNIQUE (partner_id, email),
  CONSTRAINT members_partner_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  CONSTRAINT members_email_check CHECK (email = lower(email)),
  CONSTRAINT members_role_check CHECK (role = ANY (ARRAY['admin'::text, 'viewer'::text]))
);
CREATE INDEX members_email_index ON members USING btree (email);

CREATE TABLE migrations (
  id integer NOT NULL DEFAULT nextval('migrations_id_seq'::regclass),
  timestamp bigint NOT NULL,
  name character varying NOT NULL,
  CONSTRAINT migrations_pkey PRIMARY KEY (id)
);

CREATE TABLE notices (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  partner_id uuid NOT NULL,
  environment text NOT NULL,
  kind text NOT NULL,
  about text NOT NULL,
  at timestamp with time zone NOT NULL,
  told_at timestamp with time zone,
  payer_id uuid,
  CONSTRAINT notices_pkey PRIMARY KEY (id),
  CONSTRAINT notices_partner_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  CONSTRAINT notices_environment_check CHECK (environment = ANY (ARRAY['sandbox'::text, 'live'::text])),
  CONSTRAINT notices_kind_check CHECK (kind = ANY (ARRAY['payout_failed'::text, 'payout_returned'::text, 'low_balance'::text, 'verification'::text, 'top_up'::text, 'case'::text, 'first_payout'::text])),
  CONSTRAINT notices_payer_check CHECK ((kind = 'first_payout'::text) = (payer_id IS NOT NULL))
);
CREATE INDEX notices_open_index ON notices USING btree (partner_id, environment, kind, id) WHERE (told_at IS NULL);
CREATE UNIQUE INDEX notices_payer_unique ON notices USING btree (payer_id) WHERE (payer_id IS NOT NULL);

CREATE TABLE partner_logos (
  partner_id uuid NOT NULL,
  type text NOT NULL,
  bytes bytea NOT NULL,
  digest text NOT NULL,
  CONSTRAINT partner_logos_pkey PRIMARY KEY (partner_id),
  CONSTRAINT partner_logos_partner_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  CONSTRAINT partner_logos_bytes_check CHECK (length(bytes) >= 1 AND length(bytes) <= 40960),
  CONSTRAINT partner_logos_type_check CHECK (type = ANY (ARRAY['image/png'::text, 'image/jpeg'::text, 'image/webp'::text]))
);

CREATE TABLE partners (
  id uuid NOT NULL,
  slug text NOT NULL,
  name text NOT NULL,
  status text NOT NULL DEFAULT 'active'::text,
  logo_url text,
  brand_color text,
  contact_email text,
  billing_email text,
  verification_status text NOT NULL DEFAULT 'not_started'::text,
  provider_status text,
  continue_url text,
  terms_url text,
  screening text NOT NULL DEFAULT 'in_review'::text,
  enabled_countries text[] NOT NULL DEFAULT '{GB}'::text[],
  min_payout_pence bigint NOT NULL DEFAULT 100,
  max_payout_pence bigint NOT NULL DEFAULT 2000000,
  rate_limit_sandbox integer,
  rate_limit_live integer,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  live_opened_at timestamp with time zone,
  closed_at timestamp with time zone,
  billing_address text,
  billed_until date,
  verification_reasons text[] NOT NULL DEFAULT '{}'::text[],
  verification_reason_marks text[] NOT NULL DEFAULT '{}'::text[],
  verification_reasons_known text[],
  verification_tries integer NOT NULL DEFAULT 0,
  verification_awaited_since timestamp with time zone,
  muted_mails text[] NOT NULL DEFAULT '{}'::text[],
  low_balance_micro_usdc bigint,
  readable_until timestamp with time zone,
  requested_name text,
  CONSTRAINT partners_pkey PRIMARY KEY (id),
  CONSTRAINT partners_slug_unique UNIQUE (slug),
  CONSTRAINT partners_billed_check CHECK (EXTRACT(day FROM billed_until) = 1::numeric),
  CONSTRAINT partners_limits_check CHECK (min_payout_pence >= 100 AND min_payout_pence <= max_payout_pence AND max_payout_pence <= 2000000),
  CONSTRAINT partners_low_balance_check CHECK (low_balance_micro_usdc > 0),
  CONSTRAINT partners_screening_check CHECK (screening = ANY (ARRAY['clear'::text, 'in_review'::text, 'blocked'::text])),
  CONSTRAINT partners_slug_check CHECK (slug ~ '^[a-z0-9-]{2,40}$'::text),
  CONSTRAINT partners_status_check CHECK (status = ANY (ARRAY['active'::text, 'suspended'::text, 'closed'::text])),
  CONSTRAINT partners_verification_check CHECK (verification_status = ANY (ARRAY['not_started'::text, 'pending'::text, 'action_required'::text, 'in_review'::text, 'approved'::text, 'rejected'::text]))
);
CREATE INDEX partners_requested_name_index ON partners USING btree (id) WHERE (requested_name IS NOT NULL);
CREATE TRIGGER partners_await_first_calls BEFORE UPDATE OF status ON partners FOR EACH ROW WHEN (old.status IS DISTINCT FROM new.status) EXECUTE FUNCTION await_first_calls();

CREATE TABLE payout_events (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  payout_id uuid NOT NULL,
  at timestamp with time zone NOT NULL,
  kind text NOT NULL,
  status text NOT NULL,
  made_by text NOT NULL,
  detail text,
  CONSTRAINT payout_events_pkey PRIMARY KEY (id),
  CONSTRAINT payout_events_payout_fkey FOREIGN KEY (payout_id) REFERENCES payouts(id)
) PARTITION BY RANGE (id);
CREATE INDEX payout_events_payout_index ON payout_events USING btree (payout_id, id);
CREATE TRIGGER payout_events_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON payout_events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER payout_events_changed AFTER INSERT ON payout_events FOR EACH ROW EXECUTE FUNCTION list_event_change();
CREATE TRIGGER payout_events_notice AFTER INSERT ON payout_events FOR EACH ROW WHEN (new.kind = ANY (ARRAY['failed'::text, 'returned'::text])) EXECUTE FUNCTION note_payout_event();

CREATE TABLE payout_months (
  partner_id uuid NOT NULL,
  environment text NOT NULL,
  month date NOT NULL,
  shard integer NOT NULL,
  created integer NOT NULL,
  completed integer NOT NULL,
  paid_pence bigint NOT NULL,
  fees_pence bigint NOT NULL,
  CONSTRAINT payout_months_pkey PRIMARY KEY (partner_id, environment, month, shard)
);

CREATE TABLE payout_notes (
  id uuid NOT NULL,
  payout_id uuid NOT NULL,
  at timestamp with time zone NOT NULL,
  made_by text NOT NULL,
  key_id text NOT NULL,
  sealed bytea NOT NULL,
  CONSTRAINT payout_notes_pkey PRIMARY KEY (id),
  CONSTRAINT payout_notes_payout_fkey FOREIGN KEY (payout_id) REFERENCES payouts(id)
);
CREATE INDEX payout_notes_payout_index ON payout_notes USING btree (payout_id, id);
CREATE TRIGGER payout_notes_append_only BEFORE UPDATE OF id, payout_id, at, made_by OR TRUNCATE ON payout_notes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE payouts (
  id uuid NOT NULL,
  partner_id uuid NOT NULL,
  environment text NOT NULL,
  wallet_id uuid NOT NULL,
  rail text NOT NULL,
  idempotency_key text NOT NULL,
  attempt integer NOT NULL DEFAULT 1,
  fingerprint bytea NOT NULL,
  fingerprint_key_id text NOT NULL,
  field_fingerprints jsonb NOT NULL,
  status text NOT NULL DEFAULT 'pending'::text,
  failure_reason text,
  reference text,
  country text NOT NULL,
  created_via text NOT NULL,
  created_by text NOT NULL,
  amount_pence bigint NOT NULL,
  fee_pence bigint NOT NULL,
  fee_in_transfer_pence bigint NOT NULL,
  wallet_sends_micro_usdc bigint NOT NULL,
  gbp_per_usd_nano bigint NOT NULL,
  recipient_name text,
  account_last4 text,
  account_hash bytea,
  account_hash_key_id text,
  bank_key uuid NOT NULL,
  bank_body text,
  transfer_ref text,
  transfer_state text,
  submit_started_at timestamp with time zone,
  verdict text,
  verdict_at timestamp with time zone,
  answered_at timestamp with time zone,
  released_at timestamp with time zone,
  completed_at timestamp with time zone,
  returned_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  verdict_details jsonb,
  customer_ref text,
  request_id text,
  attention text,
  closed_at timestamp with time zone,
  bank_key_renewals integer NOT NULL DEFAULT 0,
  network_cost_micropounds bigint,
  CONSTRAINT payouts_pkey PRIMARY KEY (id),
  CONSTRAINT payouts_bank_key_unique UNIQUE (bank_key),
  CONSTRAINT payouts_key_unique UNIQUE (partner_id, environment, idempotency_key),
  CONSTRAINT payouts_partner_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  CONSTRAINT payouts_wallet_fkey FOREIGN KEY (wallet_id) REFERENCES wallets(id),
  CONSTRAINT payouts_amount_check CHECK (amount_pence >= 100 AND amount_pence <= 2000000),
  CONSTRAINT payouts_attempt_check CHECK (attempt >= 1),
  CONSTRAINT payouts_completed_check CHECK (status <> 'completed'::text OR completed_at IS NOT NULL),
  CONSTRAINT payouts_country_check CHECK (country = 'GB'::text),
  CONSTRAINT payouts_created_via_check CHECK (created_via = ANY (ARRAY['api'::text, 'dashboard'::text])),
  CONSTRAINT payouts_environment_check CHECK (environment = ANY (ARRAY['sandbox'::text, 'live'::text])),
  CONSTRAINT payouts_failure_check CHECK (status <> 'failed'::text OR failure_reason IS NOT NULL),
  CONSTRAINT payouts_fee_check CHECK (fee_in_transfer_pence >= 0 AND fee_in_transfer_pence <= fee_pence),
  CONSTRAINT payouts_key_check CHECK (idempotency_key ~ '^[A-Za-z0-9_:.-]{8,100}$'::text),
  CONSTRAINT payouts_last4_check CHECK (account_last4 ~ '^[0-9]{4}$'::text),
  CONSTRAINT payouts_rail_check CHECK (rail = ANY (ARRAY['provider_production'::text, 'provider_sandbox'::text, 'simulated'::text])),
  CONSTRAINT payouts_rate_check CHECK (gbp_per_usd_nano > 0),
  CONSTRAINT payouts_reference_check CHECK (char_length(reference) <= 120),
  CONSTRAINT payouts_released_check CHECK (released_at IS NULL OR answered_at IS NULL),
  CONSTRAINT payouts_released_verdict_check CHECK (released_at IS NULL OR verdict IS NOT NULL),
  CONSTRAINT payouts_returned_check CHECK (status <> 'returned'::text OR returned_at IS NOT NULL),
  CONSTRAINT payouts_sends_check CHECK (wallet_sends_micro_usdc > 0 AND (wallet_sends_micro_usdc % 10000::bigint) = 0),
  CONSTRAINT payouts_status_check CHECK (status = ANY (ARRAY['pending'::text, 'processing'::text, 'completed'::text, 'failed'::text, 'cancelled'::text, 'returned'::text])),
  CONSTRAINT payouts_unknown_check CHECK (verdict IS DISTINCT FROM 'unknown'::text OR submit_started_at IS NOT NULL)
);
CREATE INDEX payouts_account_index ON payouts USING btree (partner_id, environment, account_hash, created_at DESC, id DESC) WHERE ((released_at IS NULL) AND ((verdict_at IS NOT NULL) OR (answered_at IS NOT NULL)) AND (account_hash IS NOT NULL));
CREATE INDEX payouts_amount_index ON payouts USING btree (partner_id, environment, amount_pence DESC, created_at DESC, id DESC) WHERE ((released_at IS NULL) AND ((verdict_at IS NOT NULL) OR (answered_at IS NOT NULL)));
CREATE INDEX payouts_attention_index ON payouts USING btree (updated_at) WHERE (attention IS NOT NULL);
CREATE INDEX payouts_completed_index ON payouts USING btree (partner_id, environment, completed_at) WHERE (completed_at IS NOT NULL);
CREATE INDEX payouts_hidden_index ON payouts USING btree (partner_id, created_at DESC, id DESC) WHERE ((released_at IS NOT NULL) OR ((verdict_at IS NULL) AND (answered_at IS NULL)));
CREATE INDEX payouts_last4_index ON payouts USING btree (partner_id, environment, account_last4, created_at DESC, id DESC) WHERE ((released_at IS NULL) AND ((verdict_at IS NOT NULL) OR (answered_at IS NOT NULL)));
CREATE INDEX payouts_list_index ON payouts USING btree (partner_id, environment, created_at DESC, id DESC) WHERE ((released_at IS NULL) AND ((verdict_at IS NOT NULL) OR (answered_at IS NOT NULL)));
CREATE INDEX payouts_reference_index ON payouts USING btree (partner_id, environment, reference, created_at DESC, id DESC) WHERE ((released_at IS NULL) AND ((verdict_at IS NOT NULL) OR (answered_at IS NOT NULL)) AND (reference IS NOT NULL));
CREATE INDEX payouts_search_index ON payouts USING gin (partner_id, lower(((COALESCE(reference, ''::text) || chr(10)) || COALESCE(recipient_name, ''::text))) gin_trgm_ops) WITH (fastupdate=off) WHERE ((released_at IS NULL) AND ((verdict_at IS NOT NULL) OR (answered_at IS NOT NULL)));
CREATE INDEX payouts_status_index ON payouts USING btree (partner_id, environment, status, created_at DESC, id DESC) WHERE ((released_at IS NULL) AND ((verdict_at IS NOT NULL) OR (answered_at IS NOT NULL)) AND (status <> 'completed'::text));
CREATE UNIQUE INDEX payouts_transfer_unique ON payouts USING btree (rail, transfer_ref) WHERE (transfer_ref IS NOT NULL);
CREATE INDEX payouts_unclosed_index ON payouts USING btree (created_at) WHERE ((released_at IS NULL) AND (closed_at IS NULL));
CREATE INDEX payouts_updated_index ON payouts USING btree (partner_id, environment, updated_at) WHERE ((released_at IS NULL) AND ((verdict_at IS NOT NULL) OR (answered_at IS NOT NULL)));
CREATE INDEX payouts_wallet_index ON payouts USING btree (wallet_id);
CREATE TRIGGER payouts_changed AFTER INSERT OR DELETE ON payouts FOR EACH ROW EXECUTE FUNCTION list_payout_change();
CREATE TRIGGER payouts_changed_row AFTER UPDATE ON payouts FOR EACH ROW WHEN (old.id IS DISTINCT FROM new.id OR old.wallet_id IS DISTINCT FROM new.wallet_id OR old.partner_id IS DISTINCT FROM new.partner_id OR old.environment IS DISTINCT FROM new.environment OR old.rail IS DISTINCT FROM new.rail OR old.status IS DISTINCT FROM new.status OR old.amount_pence IS DISTINCT FROM new.amount_pence OR old.fee_pence IS DISTINCT FROM new.fee_pence OR old.fee_in_transfer_pence IS DISTINCT FROM new.fee_in_transfer_pence OR old.gbp_per_usd_nano IS DISTINCT FROM new.gbp_per_usd_nano OR old.wallet_sends_micro_usdc IS DISTINCT FROM new.wallet_sends_micro_usdc OR old.completed_at IS DISTINCT FROM new.completed_at OR old.returned_at IS DISTINCT FROM new.returned_at OR old.closed_at IS DISTINCT FROM new.closed_at OR old.released_at IS DISTINCT FROM new.released_at) EXECUTE FUNCTION list_payout_change();
CREATE TRIGGER payouts_of_closed_partner BEFORE INSERT ON payouts FOR EACH ROW EXECUTE FUNCTION skip_payout_of_closed_partner();
CREATE TRIGGER payouts_tell_attention AFTER UPDATE OF attention ON payouts FOR EACH ROW WHEN (new.attention IS NOT NULL AND new.attention IS DISTINCT FROM old.attention) EXECUTE FUNCTION tell_attention();
CREATE CONSTRAINT TRIGGER payouts_totals_delete AFTER DELETE ON payouts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (old.released_at IS NULL AND (old.verdict_at IS NOT NULL OR old.answered_at IS NOT NULL)) EXECUTE FUNCTION keep_payout_totals();
CREATE CONSTRAINT TRIGGER payouts_totals_insert AFTER INSERT ON payouts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.released_at IS NULL AND (new.verdict_at IS NOT NULL OR new.answered_at IS NOT NULL)) EXECUTE FUNCTION keep_payout_totals();
CREATE CONSTRAINT TRIGGER payouts_totals_update AFTER UPDATE ON payouts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (old.partner_id IS DISTINCT FROM new.partner_id OR old.environment IS DISTINCT FROM new.environment OR old.status IS DISTINCT FROM new.status OR old.amount_pence IS DISTINCT FROM new.amount_pence OR old.fee_pence IS DISTINCT FROM new.fee_pence OR old.account_hash IS DISTINCT FROM new.account_hash OR old.created_at IS DISTINCT FROM new.created_at OR old.completed_at IS DISTINCT FROM new.completed_at OR old.released_at IS DISTINCT FROM new.released_at OR (old.verdict_at IS NULL AND old.answered_at IS NULL) IS DISTINCT FROM (new.verdict_at IS NULL AND new.answered_at IS NULL)) EXECUTE FUNCTION keep_payout_totals();

CREATE TABLE price_lists (
  id uuid NOT NULL,
  partner_id uuid,
  valid_from timestamp with time zone NOT NULL,
  valid_until timestamp with time zone,
  payout_fixed_pence bigint NOT NULL,
  payout_basis_points bigint NOT NULL,
  bank_fixed_pence bigint NOT NULL,
  bank_basis_points bigint NOT NULL,
  monthly_account_pence bigint NOT NULL,
  verification_pence bigint NOT NULL,
  network_cost_micropounds bigint NOT NULL,
  network_markup_basis_points bigint NOT NULL,
  exception_markup_basis_points bigint NOT NULL,
  return_cost_micropounds bigint NOT NULL DEFAULT 5000000,
  made_by text,
  CONSTRAINT price_lists_pkey PRIMARY KEY (id),
  CONSTRAINT price_lists_partner_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  CONSTRAINT price_lists_prices_check CHECK (LEAST(payout_fixed_pence, payout_basis_points, bank_fixed_pence, bank_basis_points, monthly_account_pence, verification_pence, network_cost_micropounds, network_markup_basis_points, exception_markup_basis_points) >= 0),
  CONSTRAINT price_lists_return_cost_check CHECK (return_cost_micropounds >= 0),
  CONSTRAINT price_lists_validity_check CHECK (valid_until > valid_from)
);
CREATE UNIQUE INDEX price_lists_from_unique ON price_lists USING btree (partner_id, valid_from) NULLS NOT DISTINCT;
CREATE UNIQUE INDEX price_lists_open_unique ON price_lists USING btree (partner_id) NULLS NOT DISTINCT WHERE (valid_until IS NULL);
CREATE TRIGGER price_lists_guard BEFORE DELETE OR UPDATE ON price_lists FOR EACH ROW EXECUTE FUNCTION guard_price_list();
CREATE TRIGGER price_lists_keep BEFORE TRUNCATE ON price_lists FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE proof_changes (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  wallet_id uuid NOT NULL,
  payout_id uuid,
  set_id uuid,
  CONSTRAINT proof_changes_pkey PRIMARY KEY (id)
);
CREATE INDEX proof_changes_wallet_index ON proof_changes USING btree (wallet_id, id);

CREATE TABLE proof_checkpoints (
  wallet_id uuid NOT NULL,
  entry_id bigint,
  balance_micro_usdc bigint NOT NULL,
  bookings integer NOT NULL,
  verified_at timestamp with time zone NOT NULL,
  full_at timestamp with time zone NOT NULL,
  CONSTRAINT proof_checkpoints_pkey PRIMARY KEY (wallet_id),
  CONSTRAINT proof_checkpoints_wallet_fkey FOREIGN KEY (wallet_id) REFERENCES wallets(id)
);

CREATE TABLE proofs (
  wallet_id uuid NOT NULL,
  looked_at timestamp with time zone NOT NULL,
  outcome text NOT NULL,
  compared_at timestamp with time zone,
  proved_to text,
  proved_to_at timestamp with time zone,
  summed_to text,
  bank_micro_usdc bigint NOT NULL DEFAULT 0,
  accepted_micro_usdc bigint NOT NULL DEFAULT 0,
  bookings integer NOT NULL DEFAULT 0,
  CONSTRAINT proofs_pkey PRIMARY KEY (wallet_id),
  CONSTRAINT proofs_wallet_fkey FOREIGN KEY (wallet_id) REFERENCES wallets(id),
  CONSTRAINT proofs_outcome_check CHECK (outcome = ANY (ARRAY['equal'::text, 'drift'::text, 'busy'::text, 'no_answer'::text, 'no_bank'::text, 'too_long'::text, 'failed'::text, 'idle'::text]))
);

CREATE TABLE rail_pauses (
  id uuid NOT NULL,
  environment text NOT NULL,
  paused_at timestamp with time zone NOT NULL,
  paused_by text NOT NULL,
  reason text,
  resumed_at timestamp with time zone,
  resumed_by text,
  CONSTRAINT rail_pauses_pkey PRIMARY KEY (id),
  CONSTRAINT rail_pauses_environment_check CHECK (environment = ANY (ARRAY['sandbox'::text, 'live'::text])),
  CONSTRAINT rail_pauses_resumed_check CHECK ((resumed_at IS NULL) = (resumed_by IS NULL))
);
CREATE UNIQUE INDEX rail_pauses_open_unique ON rail_pauses USING btree (environment) WHERE (resumed_at IS NULL);

CREATE TABLE rate_acceptances (
  id uuid NOT NULL,
  rail text NOT NULL,
  accepted_nano bigint NOT NULL,
  previous_nano bigint NOT NULL,
  reason text NOT NULL,
  accepted_by text NOT NULL,
  accepted_at timestamp with time zone NOT NULL,
  CONSTRAINT rate_acceptances_pkey PRIMARY KEY (id),
  CONSTRAINT rate_acceptances_rail_check CHECK (rail = ANY (ARRAY['provider_production'::text, 'provider_sandbox'::text, 'simulated'::text]))
);
CREATE TRIGGER rate_acceptances_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON rate_acceptances FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE UNLOGGED TABLE rate_limits (
  bucket text NOT NULL,
  tokens_milli bigint NOT NULL,
  at timestamp with time zone NOT NULL,
  CONSTRAINT rate_limits_pkey PRIMARY KEY (bucket)
);

CREATE TABLE recipient_months (
  partner_id uuid NOT NULL,
  environment text NOT NULL,
  account_hash bytea NOT NULL,
  month date NOT NULL,
  payouts integer NOT NULL,
  completed integer NOT NULL,
  paid_pence bigint NOT NULL,
  last_created_at timestamp with time zone,
  last_completed_at timestamp with time zone,
  paid_created_at timestamp with time zone,
  CONSTRAINT recipient_months_pkey PRIMARY KEY (partner_id, environment, account_hash, month)
);

CREATE TABLE recipient_totals (
  partner_id uuid NOT NULL,
  environment text NOT NULL,
  account_hash bytea NOT NULL,
  last_created_at timestamp with time zone NOT NULL,
  last_completed_at timestamp with time zone,
  paid_created_at timestamp with time zone,
  last_paid_at timestamp with time zone NOT NULL,
  CONSTRAINT recipient_totals_pkey PRIMARY KEY (partner_id, environment, account_hash)
);
CREATE INDEX recipient_totals_list_index ON recipient_totals USING btree (partner_id, environment, last_paid_at DESC, account_hash DESC);
CREATE INDEX recipient_totals_unpaid_index ON recipient_totals USING btree (partner_id, environment, paid_created_at) WHERE (last_created_at > paid_created_at);

CREATE TABLE sealed_recipients (
  payout_id uuid NOT NULL,
  key_id text NOT NULL,
  sealed bytea NOT NULL,
  CONSTRAINT sealed_recipients_pkey PRIMARY KEY (payout_id),
  CONSTRAINT sealed_recipients_payout_fkey FOREIGN KEY (payout_id) REFERENCES payouts(id)
);

CREATE TABLE sessions (
  id uuid NOT NULL,
  member_id uuid NOT NULL,
  token_digest bytea NOT NULL,
  created_at timestamp with time zone NOT NULL,
  last_used_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  revoked_at timestamp with time zone,
  device text,
  CONSTRAINT sessions_pkey PRIMARY KEY (id),
  CONSTRAINT sessions_token_unique UNIQUE (token_digest),
  CONSTRAINT sessions_member_fkey FOREIGN KEY (member_id) REFERENCES members(id),
  CONSTRAINT sessions_device_check CHECK (length(device) <= 60)
);
CREATE INDEX sessions_expiry_index ON sessions USING btree (expires_at);
CREATE INDEX sessions_member_index ON sessions USING btree (member_id);

CREATE TABLE sweep_positions (
  stage text NOT NULL,
  after text NOT NULL,
  CONSTRAINT sweep_positions_pkey PRIMARY KEY (stage)
);

CREATE TABLE undecided_movements (
  wallet_id uuid NOT NULL,
  bank_ref text NOT NULL,
  kind text NOT NULL,
  amount_micro_usdc bigint NOT NULL,
  transfer_ref text,
  moved_at timestamp with time zone NOT NULL,
  found_at timestamp with time zone NOT NULL,
  CONSTRAINT undecided_movements_pkey PRIMARY KEY (wallet_id, bank_ref),
  CONSTRAINT undecided_movements_wallet_fkey FOREIGN KEY (wallet_id) REFERENCES wallets(id),
  CONSTRAINT undecided_movements_kind_check CHECK (kind = ANY (ARRAY['deposit'::text, 'withdrawal'::text]))
);

CREATE TABLE uninvoiced_charges (
  charge_id uuid NOT NULL,
  partner_id uuid NOT NULL,
  month date NOT NULL,
  kind text NOT NULL,
  amount_micropounds bigint NOT NULL,
  CONSTRAINT uninvoiced_charges_pkey PRIMARY KEY (charge_id)
);
CREATE INDEX uninvoiced_charges_month_index ON uninvoiced_charges USING btree (partner_id, month);
CREATE TRIGGER uninvoiced_charges_follow BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON uninvoiced_charges FOR EACH STATEMENT EXECUTE FUNCTION refuse_by_hand();

CREATE TABLE wallet_reading_failures (
  wallet_id uuid NOT NULL,
  since timestamp with time zone NOT NULL,
  failed_at timestamp with time zone NOT NULL,
  failures integer NOT NULL,
  reason text NOT NULL,
  CONSTRAINT wallet_reading_failures_pkey PRIMARY KEY (wallet_id),
  CONSTRAINT wallet_reading_failures_wallet_fkey FOREIGN KEY (wallet_id) REFERENCES wallets(id),
  CONSTRAINT wallet_reading_failures_reason_check CHECK (reason = ANY (ARRAY['no_answer'::text, 'refused'::text, 'too_long'::text, 'failed'::text]))
);

CREATE TABLE wallets (
  id uuid NOT NULL,
  partner_id uuid NOT NULL,
  environment text NOT NULL,
  rail text NOT NULL,
  chain text NOT NULL DEFAULT 'base'::text,
  address text,
  customer_ref text,
  wallet_ref text,
  balance_micro_usdc bigint NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  verification_ref text,
  funding_ref text,
  funding_sort_code text,
  funding_account_number text,
  funding_holder_name text,
  funding_bank_name text,
  history_read_to text,
  low_balance_told_at timestamp with time zone,
  CONSTRAINT wallets_pkey PRIMARY KEY (id),
  CONSTRAINT wallets_partner_unique UNIQUE (partner_id, environment),
  CONSTRAINT wallets_partner_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  CONSTRAINT wallets_balance_check CHECK (balance_micro_usdc >= 0),
  CONSTRAINT wallets_environment_check CHECK (environment = ANY (ARRAY['sandbox'::text, 'live'::text])),
  CONSTRAINT wallets_rail_check CHECK (environment = 'live'::text AND rail = 'provider_production'::text OR environment = 'sandbox'::text AND (rail = ANY (ARRAY['provider_sandbox'::text, 'simulated'::text])))
);
CREATE UNIQUE INDEX wallets_customer_unique ON wallets USING btree (environment, customer_ref) WHERE (customer_ref IS NOT NULL);
CREATE UNIQUE INDEX wallets_ref_unique ON wallets USING btree (environment, wallet_ref) WHERE (wallet_ref IS NOT NULL);
CREATE UNIQUE INDEX wallets_verification_unique ON wallets USING btree (environment, verification_ref) WHERE (verification_ref IS NOT NULL);
CREATE TRIGGER wallets_balance AFTER UPDATE ON wallets FOR EACH ROW WHEN (old.balance_micro_usdc <> new.balance_micro_usdc) EXECUTE FUNCTION refuse_other_balance();
CREATE TRIGGER wallets_opening_balance AFTER INSERT ON wallets FOR EACH ROW WHEN (new.balance_micro_usdc <> 0) EXECUTE FUNCTION refuse_other_balance();

CREATE TABLE workers (
  id text NOT NULL,
  host text NOT NULL,
  pid integer NOT NULL,
  version text NOT NULL,
  task_queues text[] NOT NULL,
  started_at timestamp with time zone NOT NULL,
  seen_at timestamp with time zone NOT NULL,
  draining_at timestamp with time zone,
  asked_by text,
  drained_at timestamp with time zone,
  ended_at timestamp with time zone,
  CONSTRAINT workers_pkey PRIMARY KEY (id),
  CONSTRAINT workers_draining_check CHECK (draining_at IS NOT NULL OR asked_by IS NULL AND drained_at IS NULL)
);

CREATE OR REPLACE FUNCTION add_partitions()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET lock_timeout TO '3s'
AS $function$
  DECLARE
    v_table text;
    v_name text;
    v_last bigint;
    v_size bigint;
    v_from bigint;
    v_added integer := 0;
    v_failed boolean := false;
  BEGIN
    IF NOT pg_try_advisory_xact_lock(1794700800051) THEN
      RETURN 0;
    END IF;
    FOREACH v_table IN ARRAY ARRAY['activity', 'payout_events'] LOOP
      v_last := coalesce(pg_sequence_last_value(pg_get_serial_sequence('' || v_table, 'id')::regclass), 0);
      v_size := greatest(100000000, v_last / 1000000000 * 100000000);
      SELECT coalesce(max((regexp_match(pg_get_expr(relpartbound, oid), 'TO \(''?(\d+)'))[1]::bigint), 0) INTO v_from
        FROM pg_class JOIN pg_inherits ON inhrelid = oid WHERE inhparent = ('' || v_table)::regclass;
      CONTINUE WHEN v_from >= v_last + 2 * v_size;
      -- Attaching reads the whole default partition while payouts wait.
      IF pg_relation_size(('' || v_table || '_default')::regclass) > 10000000 THEN
        v_failed := true;
        CONTINUE;
      END IF;
      BEGIN
        IF v_table = 'payout_events' THEN
          -- The first lock blocks no writer and ends an automatic vacuum. Attaching needs the second one, because of the
          -- foreign key. Waiting for less than the deadlock timeout fails this, and not a payout.
          SET LOCAL lock_timeout = '3s';
          LOCK TABLE payouts IN SHARE UPDATE EXCLUSIVE MODE;
          SET LOCAL lock_timeout = '300ms';
          LOCK TABLE payouts IN SHARE ROW EXCLUSIVE MODE;
        END IF;
        SET LOCAL lock_timeout = '300ms';
        WHILE v_from < v_last + 2 * v_size LOOP
          IF v_from <= v_last THEN
            v_from := (v_last / 100000000 + 2) * 100000000;
          END IF;
          v_name := v_table || '_from_' || v_from;
          EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL EXCLUDING IDENTITY)', v_name, v_table);
          IF v_table = 'payout_events' THEN
            EXECUTE format('CREATE TRIGGER payout_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %I
              FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()', v_name);
          END IF;
          EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)',
            v_table, v_name, v_from, v_from + v_size);
          v_from := v_from + v_size;
          v_added := v_added + 1;
        END LOOP;
      EXCEPTION WHEN lock_not_available OR check_violation THEN
        -- A table is locked, or a row of the default partition belongs to the new one.
        v_failed := true;
      END;
    END LOOP;
    RETURN CASE WHEN v_failed THEN -1 ELSE v_added END;
  END $function$;

CREATE OR REPLACE FUNCTION add_to_recipient(p payouts)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
  DECLARE
    v_done boolean := p.status = 'completed';
    v_completed_at timestamptz := CASE WHEN v_done THEN p.completed_at END;
    v_paid_created_at timestamptz := CASE WHEN v_done THEN p.created_at END;
  BEGIN
    INSERT INTO recipient_totals AS t (partner_id, environment, account_hash, last_created_at, last_completed_at,
        paid_created_at, last_paid_at)
      VALUES (p.partner_id, p.environment, p.account_hash, p.created_at, v_completed_at, v_paid_created_at,
        coalesce(v_completed_at, p.created_at))
      ON CONFLICT (partner_id, environment, account_hash) DO UPDATE SET
        last_created_at = greatest(t.last_created_at, excluded.last_created_at),
        last_completed_at = greatest(t.last_completed_at, excluded.last_completed_at),
        paid_created_at = CASE
          WHEN excluded.last_completed_at IS NULL OR (t.last_completed_at, t.paid_created_at)
            > (excluded.last_completed_at, excluded.paid_created_at) THEN t.paid_created_at
          ELSE excluded.paid_created_at END,
        last_paid_at = coalesce(greatest(t.last_completed_at, excluded.last_completed_at),
          greatest(t.last_created_at, excluded.last_created_at));
    INSERT INTO recipient_months AS t (partner_id, environment, account_hash, month, payouts, completed, paid_pence,
        last_created_at, last_completed_at, paid_created_at)
      VALUES (p.partner_id, p.environment, p.account_hash, london_month(p.created_at), 1, v_done::integer,
        CASE WHEN v_done THEN p.amount_pence ELSE 0 END, p.created_at, v_completed_at, v_paid_created_at)
      ON CONFLICT (partner_id, environment, account_hash, month) DO UPDATE SET
        payouts = t.payouts + 1, completed = t.completed + excluded.completed,
        paid_pence = t.paid_pence + excluded.paid_pence,
        last_created_at = greatest(t.last_created_at, excluded.last_created_at),
        last_completed_at = greatest(t.last_completed_at, excluded.last_completed_at),
        paid_created_at = CASE
          WHEN excluded.last_completed_at IS NULL OR (t.last_completed_at, t.paid_created_at)
            > (excluded.last_completed_at, excluded.paid_created_at) THEN t.paid_created_at
          ELSE excluded.paid_created_at END;
  END $function$;

CREATE OR REPLACE FUNCTION await_first_calls()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        PERFORM pg_advisory_xact_lock(hashtextextended('partner/' || NEW.id::text, 0));
        RETURN NEW;
      END
      $function$;

CREATE OR REPLACE FUNCTION await_invoice()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    INSERT INTO uninvoiced_charges (charge_id, partner_id, month, kind, amount_micropounds)
      SELECT id, partner_id, month, kind, amount_micropounds FROM added;
    RETURN NULL;
  END $function$;

CREATE OR REPLACE FUNCTION begin_submit(p_payout_id uuid, p_attempt integer, p_body text, p_at timestamp with time zone)
 RETURNS TABLE(body text, key uuid)
 LANGUAGE plpgsql
AS $function$
      DECLARE
        v_partner_id uuid;
      BEGIN
        PERFORM pg_advisory_xact_lock_shared(hashtextextended('rail/' || environment, 0)) FROM payouts WHERE id = p_payout_id;
        SELECT partner_id INTO v_partner_id FROM payouts WHERE id = p_payout_id AND attempt = p_attempt FOR UPDATE;
        PERFORM pg_advisory_xact_lock_shared(hashtextextended('partner/' || v_partner_id::text, 0));
        -- A new statement, so that it sees a pause or a suspension that was committed while the locks were awaited.
        RETURN QUERY UPDATE payouts SET bank_body = p_body, submit_started_at = p_at, updated_at = p_at
        WHERE id = p_payout_id AND attempt = p_attempt AND status = 'pending' AND submit_started_at IS NULL
          AND released_at IS NULL
          AND EXISTS (SELECT FROM partners WHERE partners.id = payouts.partner_id AND partners.status = 'active')
          AND NOT EXISTS (SELECT FROM rail_pauses pause
            WHERE pause.environment = payouts.environment AND pause.resumed_at IS NULL)
          AND EXISTS (SELECT FROM ledger_sets debit WHERE debit.wallet_id = payouts.wallet_id AND debit.cause = 'debit'
            AND debit.cause_ref = payouts.id::text || '/' || payouts.attempt::text)
        RETURNING payouts.bank_body, payouts.bank_key;
      END
      $function$;

CREATE OR REPLACE FUNCTION complete_ledger_set()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  DECLARE
    ledger_set ledger_sets;
    mistake text;
    moved bigint;
  BEGIN
    -- Looked up, not joined: a join that was planned while the ledger was small reads all of it once it is large.
    SELECT * INTO ledger_set FROM ledger_sets WHERE id = (SELECT set_id FROM written LIMIT 1);
    SELECT CASE
        WHEN bool_or(written.set_id <> ledger_set.id) THEN 'a statement must write one ledger set'
        WHEN bool_or(account.id IS NULL) THEN 'a ledger set must stay within its wallet'
        WHEN sum(written.amount_micro_usdc) <> 0 THEN 'a ledger set must sum to zero'
        WHEN bool_or((account.kind = 'wallet') <> (written.balance_micro_usdc IS NOT NULL))
          THEN 'the entry of a wallet, and no other, must carry a balance'
        WHEN count(*) <> (SELECT count(*) FROM ledger_entries WHERE set_id = ledger_set.id)
          THEN 'a ledger set must be written at once'
      END, max(written.amount_micro_usdc) FILTER (WHERE account.kind = 'wallet')
    INTO mistake, moved
    FROM written LEFT JOIN ledger_accounts account
      ON account.id = written.account_id AND account.wallet_id = ledger_set.wallet_id;
    IF mistake IS NOT NULL THEN
      RAISE EXCEPTION '%', mistake USING ERRCODE = 'check_violation';
    END IF;
    -- By addition, so that an entry made without waiting for the wallet's row does not agree with it below.
    UPDATE wallets SET balance_micro_usdc = balance_micro_usdc + moved, updated_at = ledger_set.created_at
      WHERE id = ledger_set.wallet_id AND moved IS NOT NULL;
    RETURN NULL;
  END $function$;

CREATE OR REPLACE FUNCTION guard_carried_credit()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF (SELECT sum(carried_pence - carried_in_pence) FROM invoices
        WHERE partner_id = NEW.partner_id AND status IN ('open', 'paid')) < 0 THEN
      RAISE EXCEPTION 'a later invoice has used the credit of this one' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
  END $function$;

CREATE OR REPLACE FUNCTION guard_invoice()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  DECLARE
    may_change CONSTANT text[] := '{status,paid_at,voided_at,void_reason,mailed_at}';
    charged bigint;
    credited bigint;
  BEGIN
    IF TG_OP = 'INSERT' THEN
      IF NEW.status = 'draft' THEN RETURN NEW; END IF;
      RAISE EXCEPTION 'an invoice begins as a draft' USING ERRCODE = 'restrict_violation';
    END IF;
    IF TG_OP = 'DELETE' THEN
      IF OLD.status = 'draft' THEN RETURN OLD; END IF;
      RAISE EXCEPTION 'an issued invoice stays' USING ERRCODE = 'restrict_violation';
    END IF;

    IF OLD.status = 'draft' THEN
      IF NEW.status = 'draft' THEN RETURN NEW; END IF;
      IF NEW.status <> 'open' AND (NEW.status <> 'paid' OR NEW.total_pence > 0 OR NEW.paid_at IS DISTINCT FROM NEW.issued_at) THEN
        RAISE EXCEPTION 'a draft can only be issued' USING ERRCODE = 'restrict_violation';
      END IF;
      SELECT coalesce(sum(amount_pence) FILTER (WHERE kind <> 'credit'), 0),
        coalesce(sum(amount_pence) FILTER (WHERE kind = 'credit'), 0)
        INTO charged, credited FROM invoice_lines WHERE invoice_id = NEW.id;
      IF NEW.total_pence <> greatest(charged - credited, 0) OR NEW.carried_pence <> greatest(credited - charged, 0) THEN
        RAISE EXCEPTION 'an invoice is the sum of its lines' USING ERRCODE = 'restrict_violation';
      END IF;
      RETURN NEW;
    END IF;

    IF to_jsonb(NEW) - may_change <> to_jsonb(OLD) - may_change THEN
      RAISE EXCEPTION 'an issued invoice never changes' USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.status = OLD.status THEN
      IF (NEW.paid_at, NEW.voided_at, NEW.void_reason) IS DISTINCT FROM (OLD.paid_at, OLD.voided_at, OLD.void_reason) THEN
        RAISE EXCEPTION 'an issued invoice never changes' USING ERRCODE = 'restrict_violation';
      END IF;
      RETURN NEW;
    END IF;
    -- A payment stays on record: a paid invoice becomes void only after it was marked as not paid. Nobody paid 0.00.
    IF (OLD.status, NEW.status) IN (('open', 'paid'), ('open', 'void'))
      OR ((OLD.status, NEW.status) = ('paid', 'open') AND OLD.total_pence > 0)
      OR ((OLD.status, NEW.status) = ('paid', 'void') AND OLD.total_pence = 0) THEN
      RETURN NEW;
    END IF;
    RAISE EXCEPTION 'an invoice cannot go from % to %', OLD.status, NEW.status USING ERRCODE = 'restrict_violation';
  END $function$;

CREATE OR REPLACE FUNCTION guard_invoice_line()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    PERFORM FROM invoices WHERE id = NEW.invoice_id AND status = 'draft' FOR SHARE;
    IF FOUND THEN RETURN NEW; END IF;
    RAISE EXCEPTION 'an issued invoice gets no more lines' USING ERRCODE = 'restrict_violation';
  END $function$;

CREATE OR REPLACE FUNCTION guard_invoice_number()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'INSERT' AND NEW.last_number = 1 THEN RETURN NEW; END IF;
    IF TG_OP = 'UPDATE' AND NEW.year = OLD.year AND NEW.last_number = OLD.last_number + 1 THEN RETURN NEW; END IF;
    RAISE EXCEPTION 'invoice numbers go up one by one' USING ERRCODE = 'restrict_violation';
  END $function$;

CREATE OR REPLACE FUNCTION guard_kept_charges()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF EXISTS (SELECT FROM after JOIN invoices ON invoices.id = after.invoice_id WHERE voided <> (status = 'void'))
      -- No join: PostgreSQL plans for as many rows as the first statement of the connection had.
      OR EXISTS (SELECT invoice_id, charge_id FROM after EXCEPT SELECT invoice_id, charge_id FROM before) THEN
      RAISE EXCEPTION 'a charge stays on its invoice' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
  END $function$;

CREATE OR REPLACE FUNCTION guard_price_list()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'DELETE' THEN
      IF OLD.valid_from > now() THEN RETURN OLD; END IF;
    ELSIF to_jsonb(NEW) - 'valid_until' = to_jsonb(OLD) - 'valid_until'
      AND (OLD.valid_until IS NULL OR (OLD.valid_until > now() AND NEW.valid_until IS NULL)) THEN
      RETURN NEW;
    END IF;
    RAISE EXCEPTION 'prices that have begun can only end' USING ERRCODE = 'restrict_violation';
  END $function$;

CREATE OR REPLACE FUNCTION guard_taken_charges()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  DECLARE
    released bigint;
  BEGIN
    PERFORM FROM invoices WHERE id IN (SELECT invoice_id FROM added) FOR SHARE;
    IF EXISTS (SELECT FROM added JOIN invoices ON invoices.id = added.invoice_id WHERE status <> 'draft' OR voided) THEN
      RAISE EXCEPTION 'only a draft takes charges' USING ERRCODE = 'restrict_violation';
    END IF;
    DELETE FROM uninvoiced_charges USING added WHERE uninvoiced_charges.charge_id = added.charge_id;
    GET DIAGNOSTICS released = ROW_COUNT;
    IF released <> (SELECT count(*) FROM added) THEN
      RAISE EXCEPTION 'only a charge without an invoice is taken' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
  END $function$;

CREATE OR REPLACE FUNCTION is_visible(p payouts)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
RETURN (((p).released_at IS NULL) AND (((p).verdict_at IS NOT NULL) OR ((p).answered_at IS NOT NULL)));

CREATE OR REPLACE FUNCTION keep_payout_totals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  DECLARE
    v_was boolean := TG_OP <> 'INSERT' AND is_visible(OLD);
    v_is boolean := TG_OP <> 'DELETE' AND is_visible(NEW);
    v_had boolean := coalesce(v_was AND OLD.status NOT IN ('failed', 'cancelled') AND OLD.account_hash IS NOT NULL, false);
    v_has boolean := coalesce(v_is AND NEW.status NOT IN ('failed', 'cancelled') AND NEW.account_hash IS NOT NULL, false);
  BEGIN
    IF v_had AND v_has AND (OLD.partner_id, OLD.environment, OLD.account_hash, OLD.created_at, OLD.amount_pence,
        OLD.status = 'completed', CASE WHEN OLD.status = 'completed' THEN OLD.completed_at END)
      IS NOT DISTINCT FROM (NEW.partner_id, NEW.environment, NEW.account_hash, NEW.created_at, NEW.amount_pence,
        NEW.status = 'completed', CASE WHEN NEW.status = 'completed' THEN NEW.completed_at END) THEN
      v_had := false;
      v_has := false;
    END IF;
    -- Added before it is taken away, so that a row is not deleted and made again.
    IF v_has THEN PERFORM add_to_recipient(NEW); END IF;
    IF v_had THEN
      PERFORM take_from_recipient(OLD, v_has AND (OLD.partner_id, OLD.environment, OLD.account_hash, OLD.created_at)
        = (NEW.partner_id, NEW.environment, NEW.account_hash, NEW.created_at));
    END IF;

    INSERT INTO payout_months AS t (partner_id, environment, month, shard, created, completed, paid_pence, fees_pence)
      SELECT partner_id, environment, month, shard, sum(created), sum(completed), sum(paid), sum(fees)
      FROM (
        SELECT OLD.partner_id, OLD.environment, london_month(OLD.created_at) AS month, totals_shard(OLD.id) AS shard,
          -1 AS created, 0 AS completed, 0::bigint AS paid, 0::bigint AS fees WHERE v_was
        UNION ALL
        SELECT OLD.partner_id, OLD.environment, london_month(OLD.completed_at), totals_shard(OLD.id), 0, -1,
          -OLD.amount_pence, -OLD.fee_pence WHERE v_was AND OLD.status = 'completed'
        UNION ALL
        SELECT NEW.partner_id, NEW.environment, london_month(NEW.created_at), totals_shard(NEW.id), 1, 0, 0, 0 WHERE v_is
        UNION ALL
        SELECT NEW.partner_id, NEW.environment, london_month(NEW.completed_at), totals_shard(NEW.id), 0, 1,
          NEW.amount_pence, NEW.fee_pence WHERE v_is AND NEW.status = 'completed'
      ) changes
      GROUP BY partner_id, environment, month, shard
      HAVING sum(created) <> 0 OR sum(completed) <> 0 OR sum(paid) <> 0 OR sum(fees) <> 0
      ORDER BY partner_id, environment, month, shard
      ON CONFLICT (partner_id, environment, month, shard) DO UPDATE SET created = t.created + excluded.created,
        completed = t.completed + excluded.completed, paid_pence = t.paid_pence + excluded.paid_pence,
        fees_pence = t.fees_pence + excluded.fees_pence;
    RETURN NULL;
  END $function$;

CREATE OR REPLACE FUNCTION lead_invoice_charges()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    UPDATE invoice_charges SET voided = true WHERE invoice_id = NEW.id;
    INSERT INTO uninvoiced_charges (charge_id, partner_id, month, kind, amount_micropounds)
      SELECT charges.id, charges.partner_id, charges.month, charges.kind, charges.amount_micropounds
      FROM invoice_charges JOIN charges ON charges.id = charge_id WHERE invoice_id = NEW.id;
    RETURN NULL;
  END $function$;

CREATE OR REPLACE FUNCTION list_charge_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    INSERT INTO proof_changes (wallet_id, payout_id)
      SELECT id, NEW.payout_id FROM wallets WHERE partner_id = NEW.partner_id AND environment = 'live';
    RETURN NULL;
  END $function$;

CREATE OR REPLACE FUNCTION list_event_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    INSERT INTO proof_changes (wallet_id, payout_id) SELECT wallet_id, id FROM payouts WHERE id = NEW.payout_id;
    RETURN NULL;
  END $function$;

CREATE OR REPLACE FUNCTION list_payout_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP <> 'INSERT' THEN
      INSERT INTO proof_changes (wallet_id, payout_id) VALUES (OLD.wallet_id, OLD.id);
    END IF;
    IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND (NEW.wallet_id, NEW.id) <> (OLD.wallet_id, OLD.id)) THEN
      INSERT INTO proof_changes (wallet_id, payout_id) VALUES (NEW.wallet_id, NEW.id);
    END IF;
    RETURN NULL;
  END $function$;

CREATE OR REPLACE FUNCTION list_set_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    INSERT INTO proof_changes (wallet_id, payout_id, set_id) VALUES (NEW.wallet_id, NEW.payout_id, NEW.id);
    RETURN NULL;
  END $function$;

CREATE OR REPLACE FUNCTION london_month(at timestamp with time zone)
 RETURNS date
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (date_trunc('month'::text, (at AT TIME ZONE 'Europe/London'::text)))::date;

CREATE OR REPLACE FUNCTION london_month_start(month date)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((month)::timestamp without time zone AT TIME ZONE 'Europe/London'::text);

CREATE OR REPLACE FUNCTION note_payout_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    INSERT INTO notices (partner_id, environment, kind, about, at)
    SELECT partner_id, environment, 'payout_' || NEW.kind, NEW.payout_id::text, NEW.at
    FROM payouts WHERE id = NEW.payout_id AND environment = 'live';
    RETURN NULL;
  END $function$;

CREATE OR REPLACE FUNCTION post_ledger_set(p_wallet_id uuid, p_set_id uuid, p_cause text, p_cause_ref text, p_payout_id uuid, p_bank_ref text, p_created_by text, p_at timestamp with time zone, p_kinds text[], p_amounts bigint[], OUT outcome text, OUT balance bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
  DECLARE
    delta bigint := coalesce(p_amounts[array_position(p_kinds, 'wallet')], 0);
  BEGIN
    IF delta = 0 THEN
      -- What moves beside the wallet, such as from in transit to paid out, need not wait for its row.
      SELECT balance_micro_usdc INTO balance FROM wallets WHERE id = p_wallet_id;
    ELSE
      SELECT balance_micro_usdc INTO balance FROM wallets WHERE id = p_wallet_id FOR NO KEY UPDATE;
    END IF;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'a ledger set must belong to a wallet' USING ERRCODE = 'foreign_key_violation';
    END IF;

    INSERT INTO ledger_sets (id, wallet_id, cause, cause_ref, payout_id, bank_ref, created_by, created_at)
      SELECT p_set_id, p_wallet_id, p_cause, p_cause_ref, p_payout_id, p_bank_ref, p_created_by, p_at
      WHERE balance + delta >= 0
      ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      outcome := CASE
        WHEN EXISTS (SELECT FROM ledger_sets WHERE wallet_id = p_wallet_id AND cause = p_cause AND cause_ref = p_cause_ref)
          OR EXISTS (SELECT FROM ledger_sets WHERE wallet_id = p_wallet_id AND bank_ref = p_bank_ref) THEN 'already_posted'
        WHEN balance + delta < 0 THEN 'insufficient' END;
      IF outcome IS NULL THEN
        RAISE EXCEPTION 'a ledger set must have an id of its own' USING ERRCODE = 'unique_violation';
      END IF;
      RETURN;
    END IF;

    balance := balance + delta;
    -- An account that is missing becomes NULL, which its column refuses, and the whole set with it.
    INSERT INTO ledger_entries (set_id, account_id, amount_micro_usdc, balance_micro_usdc)
      SELECT p_set_id, account.id, posting.amount, CASE posting.kind WHEN 'wallet' THEN balance END
      FROM unnest(p_kinds, p_amounts) AS posting (kind, amount)
      LEFT JOIN ledger_accounts account
        ON account.wallet_id = p_wallet_id AND account.kind = posting.kind AND account.currency = 'USDC';
    outcome := 'posted';
  END $function$;

CREATE OR REPLACE FUNCTION rebuild_payout_totals(p_partner_id uuid DEFAULT NULL::uuid)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
  BEGIN
    LOCK TABLE payouts IN SHARE MODE;
    DELETE FROM payout_months WHERE p_partner_id IS NULL OR partner_id = p_partner_id;
    DELETE FROM recipient_months WHERE p_partner_id IS NULL OR partner_id = p_partner_id;
    DELETE FROM recipient_totals WHERE p_partner_id IS NULL OR partner_id = p_partner_id;
    INSERT INTO payout_months (partner_id, environment, month, shard, created, completed, paid_pence, fees_pence)
      SELECT partner_id, environment, month, shard, sum(created), sum(completed), sum(paid), sum(fees)
      FROM (
        SELECT partner_id, environment, london_month(created_at) AS month, totals_shard(id) AS shard, 1 AS created,
          0 AS completed, 0::bigint AS paid, 0::bigint AS fees
        FROM payouts p WHERE is_visible(p) AND (p_partner_id IS NULL OR partner_id = p_partner_id)
        UNION ALL
        SELECT partner_id, environment, london_month(completed_at), totals_shard(id), 0, 1, amount_pence, fee_pence
        FROM payouts p WHERE is_visible(p) AND status = 'completed' AND (p_partner_id IS NULL OR partner_id = p_partner_id)
      ) each GROUP BY partner_id, environment, month, shard;
    INSERT INTO recipient_months (partner_id, environment, account_hash, month, payouts, completed, paid_pence,
        last_created_at, last_completed_at, paid_created_at)
      SELECT partner_id, environment, account_hash, london_month(created_at), count(*),
        count(*) FILTER (WHERE status = 'completed'),
        coalesce(sum(amount_pence) FILTER (WHERE status = 'completed'), 0), max(created_at),
        max(completed_at) FILTER (WHERE status = 'completed'),
        (array_agg(created_at ORDER BY completed_at DESC, created_at DESC) FILTER (WHERE status = 'completed'))[1]
      FROM payouts p WHERE is_visible(p) AND status NOT IN ('failed', 'cancelled') AND account_hash IS NOT NULL
        AND (p_partner_id IS NULL OR partner_id = p_partner_id)
      GROUP BY partner_id, environment, account_hash, london_month(created_at);
    INSERT INTO recipient_totals (partner_id, environment, account_hash, last_created_at, last_completed_at,
        paid_created_at, last_paid_at)
      SELECT partner_id, environment, account_hash, max(last_created_at), max(last_completed_at),
        (array_agg(paid_created_at ORDER BY last_completed_at DESC, paid_created_at DESC)
          FILTER (WHERE last_completed_at IS NOT NULL))[1],
        coalesce(max(last_completed_at), max(last_created_at))
      FROM recipient_months WHERE p_partner_id IS NULL OR partner_id = p_partner_id
      GROUP BY partner_id, environment, account_hash;
  END $function$;

CREATE OR REPLACE FUNCTION refuse_by_hand()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF pg_trigger_depth() < 2 THEN
      RAISE EXCEPTION '% follows charges and invoices', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
  END $function$;

CREATE OR REPLACE FUNCTION refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    RAISE EXCEPTION '% is append only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
  END $function$;

CREATE OR REPLACE FUNCTION refuse_empty_set()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF NOT EXISTS (SELECT FROM ledger_entries WHERE set_id = NEW.id) THEN
      RAISE EXCEPTION 'a ledger set must have entries' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
  END $function$;

CREATE OR REPLACE FUNCTION refuse_other_balance()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF NEW.balance_micro_usdc <> coalesce((
      SELECT entry.balance_micro_usdc FROM ledger_entries entry
      WHERE entry.account_id = (
        SELECT id FROM ledger_accounts WHERE wallet_id = NEW.id AND kind = 'wallet' AND currency = 'USDC')
      ORDER BY entry.id DESC LIMIT 1), 0)
    THEN
      RAISE EXCEPTION 'the balance of a wallet must be that of its last entry' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
  END $function$;

CREATE OR REPLACE FUNCTION refuse_unless_owner()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  BEGIN
    IF NOT (SELECT pg_has_role(current_user, relowner, 'USAGE') FROM pg_catalog.pg_class WHERE oid = TG_RELID) THEN
      RAISE EXCEPTION 'only the owner of % adds to it', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
  END $function$;

CREATE OR REPLACE FUNCTION skip_payout_of_closed_partner()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      DECLARE
        v_status text;
      BEGIN
        SELECT status INTO v_status FROM partners WHERE id = NEW.partner_id FOR KEY SHARE;
        RETURN CASE WHEN v_status = 'closed' THEN NULL ELSE NEW END;
      END
      $function$;

CREATE OR REPLACE FUNCTION start_submit(p_payout_id uuid, p_attempt integer, p_body text, p_at timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
      BEGIN
        PERFORM FROM payouts WHERE id = p_payout_id AND bank_key_renewals = 0 AND created_at > p_at - interval '23 hours' FOR UPDATE;
        IF NOT FOUND THEN
          RETURN NULL;
        END IF;
        RETURN (SELECT begun.body FROM begin_submit(p_payout_id, p_attempt, p_body, p_at) begun);
      END
      $function$;

CREATE OR REPLACE FUNCTION take_from_recipient(p payouts, p_stays boolean)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
  DECLARE
    v_month date := london_month(p.created_at);
    v_done boolean := p.status = 'completed';
    v_row recipient_months;
  BEGIN
    PERFORM FROM recipient_totals t WHERE t.partner_id = p.partner_id AND t.environment = p.environment
      AND t.account_hash = p.account_hash FOR UPDATE;
    UPDATE recipient_months t SET payouts = t.payouts - 1, completed = t.completed - v_done::integer,
        paid_pence = t.paid_pence - CASE WHEN v_done THEN p.amount_pence ELSE 0 END
      WHERE t.partner_id = p.partner_id AND t.environment = p.environment AND t.account_hash = p.account_hash
        AND t.month = v_month
      RETURNING * INTO v_row;
    IF v_row.payouts > 0 AND (p_stays OR p.created_at < v_row.last_created_at)
      AND (NOT v_done OR p.completed_at < v_row.last_completed_at) THEN
      RETURN;
    END IF;
    DELETE FROM recipient_months t WHERE t.partner_id = p.partner_id AND t.environment = p.environment
      AND t.account_hash = p.account_hash AND t.month = v_month AND t.payouts <= 0;
    UPDATE recipient_months t
      SET (last_created_at, last_completed_at, paid_created_at) = (
        SELECT max(created_at), max(completed_at) FILTER (WHERE status = 'completed'),
          (array_agg(created_at ORDER BY completed_at DESC, created_at DESC) FILTER (WHERE status = 'completed'))[1]
        FROM payouts WHERE partner_id = p.partner_id AND environment = p.environment AND account_hash = p.account_hash
          AND released_at IS NULL AND (verdict_at IS NOT NULL OR answered_at IS NOT NULL)
          AND status NOT IN ('failed', 'cancelled') AND created_at >= london_month_start(v_month)
          AND created_at < london_month_start((v_month + interval '1 month')::date))
      WHERE t.partner_id = p.partner_id AND t.environment = p.environment AND t.account_hash = p.account_hash
        AND t.month = v_month;
    DELETE FROM recipient_totals t WHERE t.partner_id = p.partner_id AND t.environment = p.environment
      AND t.account_hash = p.account_hash AND NOT EXISTS (SELECT FROM recipient_months m
        WHERE m.partner_id = t.partner_id AND m.environment = t.environment AND m.account_hash = t.account_hash);
    UPDATE recipient_totals t
      SET (last_created_at, last_completed_at, paid_created_at, last_paid_at) = (
        SELECT max(last_created_at), max(last_completed_at),
          (array_agg(paid_created_at ORDER BY last_completed_at DESC, paid_created_at DESC)
            FILTER (WHERE last_completed_at IS NOT NULL))[1],
          coalesce(max(last_completed_at), max(last_created_at))
        FROM recipient_months m
        WHERE m.partner_id = t.partner_id AND m.environment = t.environment AND m.account_hash = t.account_hash)
      WHERE t.partner_id = p.partner_id AND t.environment = p.environment AND t.account_hash = p.account_hash;
  END $function$;

CREATE OR REPLACE FUNCTION tell_attention()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
      BEGIN
        INSERT INTO payout_events (payout_id, at, kind, status, made_by, detail)
        VALUES (NEW.id, clock_timestamp(), 'attention', NEW.status, 'payout', NEW.attention);
        RETURN NULL;
      END $function$;

CREATE OR REPLACE FUNCTION totals_shard(payout_id uuid)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (get_byte(uuid_send(payout_id), 15) & 15);
