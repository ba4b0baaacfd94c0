// The billing data of partners, and invoices that cannot change once they are issued.
import { migration } from '../migration'

// In a live database, payouts lock these tables in other orders. So this takes all locks at once or none: it gives
// way to a blocking transaction before PostgreSQL's deadlock check, after one second, could abort a payout.
const locks = `
  DO $$
  BEGIN
    SET LOCAL lock_timeout = '100ms';
    FOR attempt IN 1..600 LOOP
      BEGIN
        LOCK TABLE partners, price_lists, charges, invoices, invoice_lines, invoice_charges, invoice_numbers
          IN ACCESS EXCLUSIVE MODE;
        SET LOCAL lock_timeout = 0;
        RETURN;
      EXCEPTION WHEN lock_not_available THEN
        PERFORM pg_sleep(0.1);
      END;
    END LOOP;
    RAISE EXCEPTION 'the tables of billing were in use all the time' USING ERRCODE = 'lock_not_available';
  END $$;
`

const partners = `
  ALTER TABLE partners
    ADD COLUMN live_opened_at timestamptz,
    ADD COLUMN closed_at timestamptz,
    ADD COLUMN billing_address text,
    ADD COLUMN billed_until date,
    ADD CONSTRAINT partners_billed_check CHECK (extract(day FROM billed_until) = 1);

  UPDATE partners SET closed_at = updated_at WHERE status = 'closed';
  UPDATE partners SET live_opened_at = coalesce(
      (SELECT min(at) FROM activity WHERE partner_id = partners.id AND action = 'partner.approve'),
      (SELECT updated_at FROM wallets WHERE partner_id = partners.id AND environment = 'live' AND wallet_ref IS NOT NULL),
      updated_at)
    WHERE verification_status = 'approved';
  UPDATE partners SET billed_until =
    (SELECT max(period) FROM invoices WHERE partner_id = partners.id AND status IN ('open', 'paid'));
`

const prices = `
  CREATE FUNCTION guard_price_list() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' THEN
      IF OLD.valid_from > now() THEN RETURN OLD; END IF;
    ELSIF to_jsonb(NEW) - 'valid_until' = to_jsonb(OLD) - 'valid_until'
      AND (OLD.valid_until IS NULL OR (OLD.valid_until > now() AND NEW.valid_until IS NULL)) THEN
      RETURN NEW;
    END IF;
    RAISE EXCEPTION 'prices that have begun can only end' USING ERRCODE = 'restrict_violation';
  END $$;
  CREATE TRIGGER price_lists_guard BEFORE UPDATE OR DELETE ON price_lists
    FOR EACH ROW EXECUTE FUNCTION guard_price_list();
  CREATE TRIGGER price_lists_keep BEFORE TRUNCATE ON price_lists FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
`

const verifications = `
  -- Partners that were approved before it was charged; the list of their opening, or their first where that began later.
  INSERT INTO charges (id, partner_id, kind, cause_ref, amount_micropounds, month, created_at)
    SELECT gen_random_uuid(), partners.id, 'verification', 'verification', verification_pence * 10000,
      date_trunc('month', live_opened_at AT TIME ZONE 'Europe/London')::date, now()
    FROM partners CROSS JOIN LATERAL (
      SELECT verification_pence FROM price_lists
      WHERE partner_id = partners.id AND (valid_until IS NULL OR valid_until > live_opened_at)
      ORDER BY valid_from LIMIT 1
    ) AS prices
    WHERE live_opened_at IS NOT NULL AND verification_pence > 0
      AND NOT EXISTS (SELECT FROM charges WHERE partner_id = partners.id AND kind = 'verification');
`

// Earlier releases did not store all of this data for an invoice. Missing data is marked as missing, and no amount
// changes.
const oldInvoices = `
  ALTER TABLE invoices
    ADD COLUMN carried_in_pence bigint NOT NULL DEFAULT 0,
    ADD COLUMN document jsonb,
    ADD COLUMN void_reason text;
  UPDATE invoices SET
    due_at = coalesce(due_at, issued_at + interval '14 days'),
    paid_at = CASE status WHEN 'paid' THEN coalesce(paid_at, issued_at) END,
    voided_at = CASE status WHEN 'void' THEN coalesce(voided_at, issued_at) END,
    void_reason = CASE status WHEN 'void' THEN concat('not recorded', ', paid on ' || (paid_at AT TIME ZONE 'Europe/London')::date) END,
    document = jsonb_build_object(
      'seller', jsonb_build_object('name', 'Not recorded', 'addressLines', '[]'::jsonb, 'email', '', 'companyNumber', NULL,
        'vat', NULL, 'paymentLines', '[]'::jsonb),
      'buyer', jsonb_build_object('name', (SELECT name FROM partners WHERE id = partner_id), 'addressLines', '[]'::jsonb)),
    -- Nobody is mailed now what was issued then.
    mailed_at = coalesce(mailed_at, issued_at)
    WHERE status <> 'draft';
  UPDATE invoice_lines SET quantity = 1, unit_amount_micropounds = amount_pence * 10000
    WHERE amount_pence <> round(quantity * unit_amount_micropounds::numeric / 10000);
`

const invoices = `
  ALTER TABLE invoices
    DROP CONSTRAINT invoices_total_check,
    ADD CONSTRAINT invoices_total_check CHECK (total_pence >= 0 AND carried_pence >= 0 AND carried_in_pence >= 0),
    DROP CONSTRAINT invoices_issued_check,
    ADD CONSTRAINT invoices_issued_check CHECK (status = 'draft' OR
      (number IS NOT NULL AND issued_at IS NOT NULL AND due_at IS NOT NULL AND document IS NOT NULL)),
    ADD CONSTRAINT invoices_paid_check CHECK ((status = 'paid') = (paid_at IS NOT NULL)),
    ADD CONSTRAINT invoices_void_check CHECK
      ((status = 'void') = (voided_at IS NOT NULL) AND (status = 'void') = (void_reason IS NOT NULL));

  ALTER TABLE invoice_lines ADD CONSTRAINT invoice_lines_rounding_check
    CHECK (amount_pence = round(quantity * unit_amount_micropounds::numeric / 10000));
`

const issuedInvoices = `
  CREATE FUNCTION guard_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
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
      IF NEW.status NOT IN ('draft', 'open') THEN
        RAISE EXCEPTION 'a draft can only be issued' USING ERRCODE = 'restrict_violation';
      END IF;
      IF NEW.status = 'open' THEN
        SELECT coalesce(sum(amount_pence) FILTER (WHERE kind <> 'credit'), 0),
          coalesce(sum(amount_pence) FILTER (WHERE kind = 'credit'), 0)
          INTO charged, credited FROM invoice_lines WHERE invoice_id = NEW.id;
        IF NEW.total_pence <> greatest(charged - credited, 0) OR NEW.carried_pence <> greatest(credited - charged, 0) THEN
          RAISE EXCEPTION 'an invoice is the sum of its lines' USING ERRCODE = 'restrict_violation';
        END IF;
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
    -- From paid back to open undoes a mistake; a paid one is void only after that, so that no payment is forgotten.
    ELSIF (OLD.status, NEW.status) NOT IN (('open', 'paid'), ('paid', 'open'), ('open', 'void')) THEN
      RAISE EXCEPTION 'an invoice can not go from % to %', OLD.status, NEW.status USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER invoices_guard BEFORE INSERT OR UPDATE OR DELETE ON invoices
    FOR EACH ROW EXECUTE FUNCTION guard_invoice();
  CREATE TRIGGER invoices_keep BEFORE TRUNCATE ON invoices FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

  -- Credit is carried in a pot: what invoices put in, less what later ones took out.
  CREATE FUNCTION guard_carried_credit() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF (SELECT sum(carried_pence - carried_in_pence) FROM invoices
        WHERE partner_id = NEW.partner_id AND status IN ('open', 'paid')) < 0 THEN
      RAISE EXCEPTION 'a later invoice has used the credit of this one' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER invoices_carry AFTER UPDATE ON invoices
    FOR EACH ROW WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION guard_carried_credit();
`

const uninvoiced = `
  -- The charges that no invoice has, so that billing costs what is billed, however long a partner's past is. With all that
  -- is summed, so that usage does not look each of them up.
  CREATE TABLE uninvoiced_charges (
    charge_id           uuid PRIMARY KEY,
    partner_id          uuid NOT NULL,
    month               date NOT NULL,
    kind                text NOT NULL,
    amount_micropounds  bigint NOT NULL
  );
  CREATE INDEX uninvoiced_charges_month_index ON uninvoiced_charges (partner_id, month);
  INSERT INTO uninvoiced_charges (charge_id, partner_id, month, kind, amount_micropounds)
    SELECT id, partner_id, month, kind, amount_micropounds FROM charges
    WHERE NOT EXISTS (SELECT FROM invoice_charges WHERE charge_id = charges.id AND NOT voided);

  -- Only the triggers of charges and invoices write it: inside one of them another trigger is the second.
  CREATE FUNCTION refuse_by_hand() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF pg_trigger_depth() < 2 THEN
      RAISE EXCEPTION '% follows charges and invoices', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER uninvoiced_charges_follow BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON uninvoiced_charges
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_by_hand();

  CREATE FUNCTION await_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO uninvoiced_charges (charge_id, partner_id, month, kind, amount_micropounds)
      SELECT id, partner_id, month, kind, amount_micropounds FROM added;
    RETURN NULL;
  END $$;
  CREATE TRIGGER charges_await AFTER INSERT ON charges REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION await_invoice();
`

const linesAndCharges = `
  CREATE FUNCTION guard_invoice_line() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM FROM invoices WHERE id = NEW.invoice_id AND status = 'draft' FOR SHARE;
    IF FOUND THEN RETURN NEW; END IF;
    RAISE EXCEPTION 'an issued invoice gets no more lines' USING ERRCODE = 'restrict_violation';
  END $$;
  CREATE TRIGGER invoice_lines_guard BEFORE INSERT ON invoice_lines FOR EACH ROW EXECUTE FUNCTION guard_invoice_line();
  CREATE TRIGGER invoice_lines_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON invoice_lines
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

  -- For all rows of a statement at once, where migration 4 looked at each: an invoice may take a hundred thousand.
  DROP TRIGGER invoice_charges_follow ON invoice_charges;
  DROP FUNCTION follow_invoice();
  CREATE FUNCTION guard_taken_charges() RETURNS trigger LANGUAGE plpgsql AS $$
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
  END $$;
  CREATE TRIGGER invoice_charges_take AFTER INSERT ON invoice_charges REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION guard_taken_charges();

  CREATE FUNCTION guard_kept_charges() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT FROM after JOIN invoices ON invoices.id = after.invoice_id WHERE voided <> (status = 'void'))
      -- No join: PostgreSQL plans for as many rows as the first statement of the connection had.
      OR EXISTS (SELECT invoice_id, charge_id FROM after EXCEPT SELECT invoice_id, charge_id FROM before) THEN
      RAISE EXCEPTION 'a charge stays on its invoice' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER invoice_charges_stay AFTER UPDATE ON invoice_charges REFERENCING OLD TABLE AS before NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION guard_kept_charges();
  CREATE TRIGGER invoice_charges_keep BEFORE DELETE OR TRUNCATE ON invoice_charges
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

  CREATE OR REPLACE FUNCTION lead_invoice_charges() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE invoice_charges SET voided = true WHERE invoice_id = NEW.id;
    INSERT INTO uninvoiced_charges (charge_id, partner_id, month, kind, amount_micropounds)
      SELECT charges.id, charges.partner_id, charges.month, charges.kind, charges.amount_micropounds
      FROM invoice_charges JOIN charges ON charges.id = charge_id WHERE invoice_id = NEW.id;
    RETURN NULL;
  END $$;
`

const numbers = `
  CREATE FUNCTION guard_invoice_number() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'INSERT' AND NEW.last_number = 1 THEN RETURN NEW; END IF;
    IF TG_OP = 'UPDATE' AND NEW.year = OLD.year AND NEW.last_number = OLD.last_number + 1 THEN RETURN NEW; END IF;
    RAISE EXCEPTION 'invoice numbers go up one by one' USING ERRCODE = 'restrict_violation';
  END $$;
  CREATE TRIGGER invoice_numbers_guard BEFORE INSERT OR UPDATE ON invoice_numbers
    FOR EACH ROW EXECUTE FUNCTION guard_invoice_number();
  CREATE TRIGGER invoice_numbers_keep BEFORE DELETE OR TRUNCATE ON invoice_numbers
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
`

export const Invoices1794700800009 = migration(
  'Invoices1794700800009',
  locks,
  partners,
  prices,
  verifications,
  oldInvoices,
  invoices,
  issuedInvoices,
  uninvoiced,
  linesAndCharges,
  numbers,
)
