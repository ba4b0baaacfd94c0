// Append-only charges, and the invoices that contain them.
import { migration } from '../migration'

const charges = `
  CREATE TABLE charges (
    id                  uuid PRIMARY KEY,
    partner_id          uuid NOT NULL,
    kind                text NOT NULL,
    cause_ref           text NOT NULL,
    payout_id           uuid,
    amount_micropounds  bigint NOT NULL,
    month               date NOT NULL,
    description         text,
    created_at          timestamptz NOT NULL,
    CONSTRAINT charges_partner_fkey FOREIGN KEY (partner_id) REFERENCES partners (id),
    CONSTRAINT charges_payout_fkey FOREIGN KEY (payout_id) REFERENCES payouts (id),
    CONSTRAINT charges_cause_unique UNIQUE (partner_id, kind, cause_ref),
    CONSTRAINT charges_kind_check CHECK (kind IN
      ('payout_fee', 'network_fee', 'exception', 'monthly_account', 'verification', 'credit')),
    CONSTRAINT charges_amount_check CHECK (amount_micropounds >= 0),
    CONSTRAINT charges_month_check CHECK (extract(day FROM month) = 1)
  );
  CREATE INDEX charges_month_index ON charges (partner_id, month);
  CREATE TRIGGER charges_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON charges
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
`

const invoices = `
  CREATE TABLE invoices (
    id             uuid PRIMARY KEY,
    partner_id     uuid NOT NULL,
    period         date NOT NULL,
    number         text,
    status         text NOT NULL,
    total_pence    bigint NOT NULL,
    carried_pence  bigint NOT NULL DEFAULT 0,
    issued_at      timestamptz,
    due_at         timestamptz,
    paid_at        timestamptz,
    voided_at      timestamptz,
    mailed_at      timestamptz,
    created_at     timestamptz NOT NULL,
    CONSTRAINT invoices_partner_fkey FOREIGN KEY (partner_id) REFERENCES partners (id),
    CONSTRAINT invoices_number_unique UNIQUE (number),
    CONSTRAINT invoices_status_check CHECK (status IN ('draft', 'open', 'paid', 'void')),
    CONSTRAINT invoices_period_check CHECK (extract(day FROM period) = 1),
    CONSTRAINT invoices_total_check CHECK (total_pence >= 0 AND carried_pence >= 0),
    CONSTRAINT invoices_issued_check CHECK (status = 'draft' OR (number IS NOT NULL AND issued_at IS NOT NULL))
  );
  CREATE UNIQUE INDEX invoices_month_unique ON invoices (partner_id, period) WHERE status <> 'void';
`

const invoiceLines = `
  CREATE TABLE invoice_lines (
    id                       uuid PRIMARY KEY,
    invoice_id               uuid NOT NULL,
    position                 integer NOT NULL,
    kind                     text NOT NULL,
    description              text NOT NULL,
    quantity                 integer NOT NULL,
    unit_amount_micropounds  bigint NOT NULL,
    amount_pence             bigint NOT NULL,
    CONSTRAINT invoice_lines_invoice_fkey FOREIGN KEY (invoice_id) REFERENCES invoices (id),
    CONSTRAINT invoice_lines_position_unique UNIQUE (invoice_id, position),
    CONSTRAINT invoice_lines_kind_check CHECK (kind IN
      ('payout_fees', 'monthly_account', 'business_verification', 'network_fees', 'bank_exceptions', 'credit')),
    CONSTRAINT invoice_lines_amount_check CHECK (quantity >= 0 AND unit_amount_micropounds >= 0 AND amount_pence >= 0)
  );
`

const invoiceCharges = `
  CREATE TABLE invoice_charges (
    invoice_id  uuid NOT NULL,
    charge_id   uuid NOT NULL,
    voided      boolean NOT NULL DEFAULT false,
    CONSTRAINT invoice_charges_pkey PRIMARY KEY (invoice_id, charge_id),
    CONSTRAINT invoice_charges_invoice_fkey FOREIGN KEY (invoice_id) REFERENCES invoices (id),
    CONSTRAINT invoice_charges_charge_fkey FOREIGN KEY (charge_id) REFERENCES charges (id)
  );
  CREATE UNIQUE INDEX invoice_charges_charge_unique ON invoice_charges (charge_id) WHERE NOT voided;

  -- Always what its invoice says, whoever writes it: a charge is free for another invoice only when this one is void.
  CREATE FUNCTION follow_invoice() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    SELECT status = 'void' INTO NEW.voided FROM invoices WHERE id = NEW.invoice_id FOR SHARE;
    RETURN NEW;
  END $$;
  CREATE TRIGGER invoice_charges_follow BEFORE INSERT OR UPDATE ON invoice_charges
    FOR EACH ROW EXECUTE FUNCTION follow_invoice();

  CREATE FUNCTION lead_invoice_charges() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE invoice_charges SET voided = (NEW.status = 'void') WHERE invoice_id = NEW.id;
    RETURN NULL;
  END $$;
  CREATE TRIGGER invoices_lead AFTER UPDATE ON invoices
    FOR EACH ROW WHEN ((OLD.status = 'void') <> (NEW.status = 'void')) EXECUTE FUNCTION lead_invoice_charges();
`

const invoiceNumbers = `
  CREATE TABLE invoice_numbers (
    year         integer PRIMARY KEY,
    last_number  integer NOT NULL,
    CONSTRAINT invoice_numbers_check CHECK (last_number BETWEEN 0 AND 999999)
  );
`

export const Billing1794700800004 = migration(
  'Billing1794700800004',
  charges,
  invoices,
  invoiceLines,
  invoiceCharges,
  invoiceNumbers,
)
