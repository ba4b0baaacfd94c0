// Closed partners, and credits that a second operator has to confirm.
import { migration } from '../migration'

export const Closing1794700800027 = migration(
  'Closing1794700800027',
  `
      -- Until when the admins of a closed partner may sign in and read.
      ALTER TABLE partners ADD COLUMN readable_until timestamptz;

      -- A claim judges the partner by the snapshot of its own statement, which may be older than a closing. Here the row is read
      -- again under a lock that a closing waits for: either it sees the new payout, or this sees the closing.
      CREATE FUNCTION skip_payout_of_closed_partner() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        v_status text;
      BEGIN
        SELECT status INTO v_status FROM partners WHERE id = NEW.partner_id FOR KEY SHARE;
        RETURN CASE WHEN v_status = 'closed' THEN NULL ELSE NEW END;
      END
      $$;
      CREATE TRIGGER payouts_of_closed_partner BEFORE INSERT ON payouts
        FOR EACH ROW EXECUTE FUNCTION skip_payout_of_closed_partner();

      ALTER TABLE held_deposits
        -- The credit that waits for a second operator. requested_as and resolved_as name the login and the database role.
        ADD COLUMN requested_micro_usdc bigint,
        ADD COLUMN requested_by text,
        ADD COLUMN requested_as text,
        ADD COLUMN requested_at timestamptz,
        ADD COLUMN request_note text,
        ADD COLUMN resolved_as text,
        ADD CONSTRAINT held_deposits_request_check CHECK
          (num_nonnulls(requested_micro_usdc, requested_by, requested_as, requested_at, request_note) IN (0, 5)),
        ADD CONSTRAINT held_deposits_requested_check CHECK (requested_micro_usdc > 0),
        ADD CONSTRAINT held_deposits_two_operators_check CHECK
          (outcome <> 'credited' OR lower(resolved_by) <> lower(requested_by));
    `,
)
