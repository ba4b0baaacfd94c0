// The time since which a payout has needed an operator, and the contradictions of the bank that operators have resolved.
import { migration } from '../migration'

export const Attention1794700800008 = migration(
  'Attention1794700800008',
  `
      -- Whoever asks for people's attention, the timeline tells it, and so since when.
      CREATE FUNCTION tell_attention() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO payout_events (payout_id, at, kind, status, made_by, detail)
        VALUES (NEW.id, clock_timestamp(), 'attention', NEW.status, 'payout', NEW.attention);
        RETURN NULL;
      END $$;
      CREATE TRIGGER payouts_tell_attention AFTER UPDATE OF attention ON payouts
        FOR EACH ROW WHEN (NEW.attention IS NOT NULL AND NEW.attention IS DISTINCT FROM OLD.attention)
        EXECUTE FUNCTION tell_attention();

      ALTER TABLE bank_events
        ADD COLUMN attended_at timestamptz,
        ADD COLUMN attended_by text,
        ADD COLUMN note text;
      CREATE INDEX bank_events_quarantined_index ON bank_events (received_at)
        WHERE attended_at IS NULL AND outcome IN ('quarantined', 'unknown_payout');
    `,
)
