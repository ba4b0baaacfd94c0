// Sessions, the emailed codes for sign-in and confirmation, and the outbox for mails.
import { migration } from '../migration'

const sessions = `
  CREATE TABLE sessions (
    id            uuid PRIMARY KEY,
    member_id     uuid NOT NULL,
    token_digest  bytea NOT NULL,
    created_at    timestamptz NOT NULL,
    last_used_at  timestamptz NOT NULL,
    expires_at    timestamptz NOT NULL,
    revoked_at    timestamptz,
    CONSTRAINT sessions_member_fkey FOREIGN KEY (member_id) REFERENCES members (id),
    CONSTRAINT sessions_token_unique UNIQUE (token_digest)
  );
  CREATE INDEX sessions_member_index ON sessions (member_id);
  CREATE INDEX sessions_expiry_index ON sessions (expires_at);
`

const codes = `
  CREATE TABLE codes (
    id             uuid PRIMARY KEY,
    purpose        text NOT NULL,
    -- An email, or for a confirm code the id of the member who asked for it.
    subject        text NOT NULL,
    -- What a confirm code confirms, as a keyed hash.
    bound_to       bytea,
    digest         bytea NOT NULL,
    digest_key_id  text NOT NULL,
    tries          integer NOT NULL DEFAULT 0,
    created_at     timestamptz NOT NULL,
    expires_at     timestamptz NOT NULL,
    used_at        timestamptz,
    -- The payout that it confirmed, or the partner that it opened.
    used_for       uuid,
    -- What a sign-up said, until it is used.
    sealed         bytea,
    sealed_key_id  text,
    CONSTRAINT codes_purpose_check CHECK (purpose IN ('sign_in', 'sign_up', 'confirm')),
    CONSTRAINT codes_tries_check CHECK (tries BETWEEN 0 AND 5)
  );
  CREATE INDEX codes_subject_index ON codes (subject, created_at);
  CREATE INDEX codes_expiry_index ON codes (expires_at);
`

const mails = `
  CREATE TABLE mails (
    id           uuid PRIMARY KEY,
    kind         text NOT NULL,
    -- The whole mail, because a code and an address are in it; wiped when it was sent or given up.
    sealed       bytea,
    key_id       text NOT NULL,
    tries        integer NOT NULL DEFAULT 0,
    next_try_at  timestamptz NOT NULL,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    sent_at      timestamptz,
    CONSTRAINT mails_kind_check CHECK (kind IN ('sign_in', 'sign_up', 'invitation', 'confirm'))
  );
  CREATE INDEX mails_due_index ON mails (next_try_at) WHERE sealed IS NOT NULL;
`

export const Sessions1794700800010 = migration('Sessions1794700800010', sessions, codes, mails)
