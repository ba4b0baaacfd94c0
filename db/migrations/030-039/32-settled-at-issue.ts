// An invoice for 0.00 is paid as soon as it is issued, and never opens again.
import { migration } from '../migration'

const settled = `UPDATE invoices SET status = 'paid', paid_at = issued_at WHERE status = 'open' AND total_pence = 0`

// Same as in migration 9, except for the moves of an invoice for 0.00. A draft for 0.00 may still become open,
// because workers of the previous release issue it that way during an upgrade.
const guard = `
  CREATE OR REPLACE FUNCTION guard_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
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
  END $$;
`

export const SettledAtIssue1794700800032 = migration('SettledAtIssue1794700800032', settled, guard)
