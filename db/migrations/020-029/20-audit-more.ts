// Extends the audit chain: it seals ledger accounts, stores the position before which no row can appear, and keeps
// verification results.
import { migration } from '../migration'

const accounts = `
  ALTER TABLE audit_chain DROP CONSTRAINT audit_chain_table_check;
  ALTER TABLE audit_chain ADD CONSTRAINT audit_chain_table_check
    CHECK (table_name IN ('ledger_sets', 'ledger_entries', 'charges', 'activity', 'ledger_accounts'));
  -- The last link of a table, also of one that seldom grows.
  CREATE INDEX audit_chain_table_index ON audit_chain (table_name, sequence);
`

const progress = `
  CREATE TABLE audit_progress (
    id           integer PRIMARY KEY,
    -- Whatever may lie before the rows up to this link has been sealed: the sealer looks only behind them.
    passed_to    bigint NOT NULL,
    -- The next such link, as soon as every transaction with a lower number than next_before is over and was sealed.
    next_to      bigint NOT NULL,
    next_before  bigint NOT NULL,
    next_at      timestamptz NOT NULL,
    CONSTRAINT audit_progress_one_check CHECK (id = 1)
  );
  -- What was sealed an hour ago is as good: a sealer that begins with the first row of a grown ledger would not end in time.
  INSERT INTO audit_progress (id, passed_to, next_to, next_before, next_at)
    SELECT 1, sequence, sequence, 0, sealed_at FROM audit_chain WHERE sealed_at < now() - interval '1 hour'
    ORDER BY sequence DESC LIMIT 1;
`

const verifications = `
  CREATE TABLE audit_verifications (
    id           uuid PRIMARY KEY,
    verified_at  timestamptz NOT NULL,
    links        bigint NOT NULL,
    head         bytea NOT NULL,
    -- The first fault; null where the chain held.
    fault        text,
    sequence     bigint,
    table_name   text,
    row_id       text,
    CONSTRAINT audit_verifications_fault_check CHECK (fault IN ('row_changed', 'row_missing', 'row_unsealed', 'link_changed',
      'link_missing', 'head_missing'))
  );
  CREATE INDEX audit_verifications_time_index ON audit_verifications (verified_at);
  CREATE TRIGGER audit_verifications_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_verifications
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
`

export const AuditMore1794700800020 = migration('AuditMore1794700800020', accounts, progress, verifications)
