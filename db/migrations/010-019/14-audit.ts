// The audit chain: hashes of every ledger row, charge and recorded change. Each hash includes the previous one.
import { migration } from '../migration'

const chain = `
  CREATE TABLE audit_chain (
    sequence    bigint PRIMARY KEY,
    table_name  text NOT NULL,
    row_id      text NOT NULL,
    row_hash    bytea NOT NULL,
    -- sha256 of the chain hash before it and its own row hash.
    chain_hash  bytea NOT NULL,
    sealed_at   timestamptz NOT NULL,
    CONSTRAINT audit_chain_row_unique UNIQUE (table_name, row_id),
    CONSTRAINT audit_chain_table_check CHECK (table_name IN ('ledger_sets', 'ledger_entries', 'charges', 'activity')),
    CONSTRAINT audit_chain_hash_check CHECK (length(row_hash) = 32 AND length(chain_hash) = 32)
  );
  CREATE TRIGGER audit_chain_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_chain
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

  -- Charges have no number that grows: the sealer finds the young ones by their time.
  CREATE INDEX charges_created_index ON charges (created_at);
`

// Lists every column and writes times as numbers, so that neither a new column nor session settings change a hash.
const rowHashes = `
  CREATE FUNCTION audit_hash(r ledger_sets) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
    SELECT sha256(convert_to(jsonb_build_array('ledger_sets', r.id, r.wallet_id, r.cause, r.cause_ref, r.payout_id,
      r.bank_ref, r.created_by, extract(epoch FROM r.created_at))::text, 'UTF8'))
  $$;
  CREATE FUNCTION audit_hash(r ledger_entries) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
    SELECT sha256(convert_to(jsonb_build_array('ledger_entries', r.id, r.set_id, r.account_id, r.amount_micro_usdc,
      r.balance_micro_usdc)::text, 'UTF8'))
  $$;
  CREATE FUNCTION audit_hash(r charges) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
    SELECT sha256(convert_to(jsonb_build_array('charges', r.id, r.partner_id, r.kind, r.cause_ref, r.payout_id,
      r.amount_micropounds, r.month - date '2000-01-01', r.description, extract(epoch FROM r.created_at))::text, 'UTF8'))
  $$;
  CREATE FUNCTION audit_hash(r activity) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
    SELECT sha256(convert_to(jsonb_build_array('activity', r.id, r.partner_id, extract(epoch FROM r.at), r.environment,
      r.action, r.changes, r.status, r.made_by, r.detail, r.request_id)::text, 'UTF8'))
  $$;
`

export const Audit1794700800014 = migration('Audit1794700800014', chain, rowHashes)
