// Partners, their prices, members and API keys.
import { migration } from '../migration'

const partners = `
  CREATE TABLE partners (
    id                   uuid PRIMARY KEY,
    slug                 text NOT NULL,
    name                 text NOT NULL,
    status               text NOT NULL DEFAULT 'active',
    logo_url             text,
    brand_color          text,
    contact_email        text,
    billing_email        text,
    verification_status  text NOT NULL DEFAULT 'not_started',
    provider_status      text,
    continue_url         text,
    terms_url            text,
    screening            text NOT NULL DEFAULT 'in_review',
    enabled_countries    text[] NOT NULL DEFAULT '{GB}',
    min_payout_pence     bigint NOT NULL DEFAULT 100,
    max_payout_pence     bigint NOT NULL DEFAULT 2000000,
    rate_limit_sandbox   integer,
    rate_limit_live      integer,
    created_at           timestamptz NOT NULL,
    updated_at           timestamptz NOT NULL,
    CONSTRAINT partners_slug_unique UNIQUE (slug),
    CONSTRAINT partners_slug_check CHECK (slug ~ '^[a-z0-9-]{2,40}$'),
    CONSTRAINT partners_status_check CHECK (status IN ('active', 'suspended', 'closed')),
    CONSTRAINT partners_verification_check CHECK (verification_status IN
      ('not_started', 'pending', 'action_required', 'in_review', 'approved', 'rejected')),
    CONSTRAINT partners_screening_check CHECK (screening IN ('clear', 'in_review', 'blocked')),
    CONSTRAINT partners_limits_check CHECK
      (min_payout_pence >= 100 AND min_payout_pence <= max_payout_pence AND max_payout_pence <= 2000000)
  );
`

const priceLists = `
  CREATE TABLE price_lists (
    id                               uuid PRIMARY KEY,
    partner_id                       uuid,
    valid_from                       timestamptz NOT NULL,
    valid_until                      timestamptz,
    payout_fixed_pence               bigint NOT NULL,
    payout_basis_points              bigint NOT NULL,
    bank_fixed_pence                 bigint NOT NULL,
    bank_basis_points                bigint NOT NULL,
    monthly_account_pence            bigint NOT NULL,
    verification_pence               bigint NOT NULL,
    network_cost_micropounds         bigint NOT NULL,
    network_markup_basis_points      bigint NOT NULL,
    exception_markup_basis_points    bigint NOT NULL,
    CONSTRAINT price_lists_partner_fkey FOREIGN KEY (partner_id) REFERENCES partners (id),
    CONSTRAINT price_lists_validity_check CHECK (valid_until > valid_from),
    CONSTRAINT price_lists_prices_check CHECK (least(payout_fixed_pence, payout_basis_points, bank_fixed_pence,
      bank_basis_points, monthly_account_pence, verification_pence, network_cost_micropounds,
      network_markup_basis_points, exception_markup_basis_points) >= 0)
  );
  CREATE UNIQUE INDEX price_lists_open_unique ON price_lists (partner_id) NULLS NOT DISTINCT WHERE valid_until IS NULL;
  CREATE UNIQUE INDEX price_lists_from_unique ON price_lists (partner_id, valid_from) NULLS NOT DISTINCT;

  -- The standard list: a new partner's own list is a copy of it.
  INSERT INTO price_lists VALUES ('00000000-0000-7000-8000-000000000001', NULL, '2026-01-01T00:00:00Z', NULL,
    99, 100, 50, 50, 1500, 3900, 18000, 1000, 2000);
`

const members = `
  CREATE TABLE members (
    id             uuid PRIMARY KEY,
    partner_id     uuid NOT NULL,
    email          text NOT NULL,
    name           text,
    role           text NOT NULL,
    last_login_at  timestamptz,
    created_at     timestamptz NOT NULL,
    CONSTRAINT members_partner_fkey FOREIGN KEY (partner_id) REFERENCES partners (id),
    CONSTRAINT members_email_unique UNIQUE (partner_id, email),
    CONSTRAINT members_email_check CHECK (email = lower(email)),
    CONSTRAINT members_role_check CHECK (role IN ('admin', 'viewer'))
  );
  CREATE INDEX members_email_index ON members (email);
`

const apiKeys = `
  CREATE TABLE api_keys (
    id             uuid PRIMARY KEY,
    partner_id     uuid NOT NULL,
    environment    text NOT NULL,
    key_prefix     text NOT NULL,
    label          text,
    digest         bytea NOT NULL,
    digest_key_id  text NOT NULL,
    created_by     text NOT NULL,
    created_at     timestamptz NOT NULL,
    last_used_at   timestamptz,
    revoked_at     timestamptz,
    revoked_by     text,
    CONSTRAINT api_keys_partner_fkey FOREIGN KEY (partner_id) REFERENCES partners (id),
    CONSTRAINT api_keys_digest_unique UNIQUE (digest),
    CONSTRAINT api_keys_prefix_unique UNIQUE (partner_id, key_prefix),
    CONSTRAINT api_keys_environment_check CHECK (environment IN ('sandbox', 'live')),
    CONSTRAINT api_keys_label_check CHECK (char_length(label) <= 60)
  );
  CREATE INDEX api_keys_partner_index ON api_keys (partner_id, created_at);
`

export const Partners1794700800001 = migration('Partners1794700800001', partners, priceLists, members, apiKeys)
