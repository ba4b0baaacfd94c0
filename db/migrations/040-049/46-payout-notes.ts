// Notes that people write on a payout. The text is sealed. Only the retention of personal data deletes a note, and only
// a rotation of the secret keys rewrites its seal.
import { migration } from '../migration'

export const PayoutNotes1794700800046 = migration(
  'PayoutNotes1794700800046',
  `CREATE TABLE payout_notes (
    id uuid NOT NULL,
    payout_id uuid NOT NULL,
    at timestamptz NOT NULL,
    made_by text NOT NULL,
    key_id text NOT NULL,
    sealed bytea NOT NULL,
    CONSTRAINT payout_notes_pkey PRIMARY KEY (id),
    CONSTRAINT payout_notes_payout_fkey FOREIGN KEY (payout_id) REFERENCES payouts (id)
  );
  CREATE INDEX payout_notes_payout_index ON payout_notes (payout_id, id);
  CREATE TRIGGER payout_notes_append_only BEFORE UPDATE OF id, payout_id, at, made_by OR TRUNCATE ON payout_notes
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()`,
)
