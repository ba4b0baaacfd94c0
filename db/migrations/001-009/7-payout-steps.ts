// The state of a payout between its steps, and the webhooks registered at the bank.
import { migration } from '../migration'

export const PayoutSteps1794700800007 = migration(
  'PayoutSteps1794700800007',
  `
      ALTER TABLE payouts
        ADD COLUMN verdict_details jsonb,
        ADD COLUMN customer_ref text,
        ADD COLUMN request_id text,
        ADD COLUMN attention text,
        ADD COLUMN closed_at timestamptz,
        ADD CONSTRAINT payouts_released_verdict_check CHECK (released_at IS NULL OR verdict IS NOT NULL);
      -- Closed: nothing is left to do, neither at the bank nor in the ledger. Everything else must have a workflow.
      DROP INDEX payouts_open_index;
      CREATE INDEX payouts_unclosed_index ON payouts (created_at) WHERE released_at IS NULL AND closed_at IS NULL;
      CREATE INDEX payouts_attention_index ON payouts (updated_at) WHERE attention IS NOT NULL;

      -- An account is registered at the bank once, however often it is paid.
      CREATE TABLE bank_recipients (
        id                uuid PRIMARY KEY,
        customer_ref      text NOT NULL,
        details_hash      bytea NOT NULL,
        recipient_ref     text NOT NULL,
        created_at        timestamptz NOT NULL,
        CONSTRAINT bank_recipients_details_unique UNIQUE (customer_ref, details_hash)
      );

      CREATE TABLE bank_webhooks (
        environment  text PRIMARY KEY,
        url          text NOT NULL,
        webhook_ref  text NOT NULL,
        public_key   text NOT NULL,
        created_at   timestamptz NOT NULL,
        CONSTRAINT bank_webhooks_environment_check CHECK (environment IN ('sandbox', 'live'))
      );

      ALTER TABLE wallets ADD COLUMN verification_ref text;
    `,
)
