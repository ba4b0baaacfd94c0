// Wallets and the double-entry ledger, which the database itself keeps balanced, append only and never below zero.
import type { MigrationInterface, QueryRunner } from 'typeorm'

export class Ledger1794700800002 implements MigrationInterface {
  name = 'Ledger1794700800002'

  async up(runner: QueryRunner): Promise<void> {
    for (const part of [wallets, ledgerAccounts, ledgerSets, ledgerEntries, appendOnly, balanced, postLedgerSet])
      await runner.query(part)
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward.')
  }
}

const wallets = `
  CREATE TABLE wallets (
    id                  uuid PRIMARY KEY,
    partner_id          uuid NOT NULL,
    environment         text NOT NULL,
    rail                text NOT NULL,
    chain               text NOT NULL DEFAULT 'base',
    address             text,
    customer_ref        text,
    wallet_ref          text,
    balance_micro_usdc  bigint NOT NULL DEFAULT 0,
    created_at          timestamptz NOT NULL,
    updated_at          timestamptz NOT NULL,
    CONSTRAINT wallets_partner_fkey FOREIGN KEY (partner_id) REFERENCES partners (id),
    CONSTRAINT wallets_partner_unique UNIQUE (partner_id, environment),
    CONSTRAINT wallets_environment_check CHECK (environment IN ('sandbox', 'live')),
    CONSTRAINT wallets_rail_check CHECK ((environment = 'live' AND rail = 'provider_production')
      OR (environment = 'sandbox' AND rail IN ('provider_sandbox', 'simulated'))),
    CONSTRAINT wallets_balance_check CHECK (balance_micro_usdc >= 0)
  );
`

const ledgerAccounts = `
  CREATE TABLE ledger_accounts (
    id         uuid PRIMARY KEY,
    wallet_id  uuid NOT NULL,
    kind       text NOT NULL,
    currency   text NOT NULL DEFAULT 'USDC',
    CONSTRAINT ledger_accounts_wallet_fkey FOREIGN KEY (wallet_id) REFERENCES wallets (id),
    CONSTRAINT ledger_accounts_kind_unique UNIQUE (wallet_id, kind, currency),
    CONSTRAINT ledger_accounts_kind_check CHECK (kind IN
      ('wallet', 'in_transit', 'paid_out', 'top_ups', 'exchange_difference', 'suspense')),
    CONSTRAINT ledger_accounts_currency_check CHECK (currency = 'USDC')
  );
`

const ledgerSets = `
  CREATE TABLE ledger_sets (
    id          uuid PRIMARY KEY,
    wallet_id   uuid NOT NULL,
    cause       text NOT NULL,
    cause_ref   text NOT NULL,
    payout_id   uuid,
    created_by  text NOT NULL,
    created_at  timestamptz NOT NULL,
    CONSTRAINT ledger_sets_wallet_fkey FOREIGN KEY (wallet_id) REFERENCES wallets (id),
    CONSTRAINT ledger_sets_cause_unique UNIQUE (wallet_id, cause, cause_ref),
    CONSTRAINT ledger_sets_cause_check CHECK (cause ~ '^[a-z_]+$')
  );
  CREATE INDEX ledger_sets_payout_index ON ledger_sets (payout_id) WHERE payout_id IS NOT NULL;
`

const ledgerEntries = `
  CREATE TABLE ledger_entries (
    id                  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    set_id              uuid NOT NULL,
    account_id          uuid NOT NULL,
    amount_micro_usdc   bigint NOT NULL,
    balance_micro_usdc  bigint,
    CONSTRAINT ledger_entries_set_fkey FOREIGN KEY (set_id) REFERENCES ledger_sets (id),
    CONSTRAINT ledger_entries_account_fkey FOREIGN KEY (account_id) REFERENCES ledger_accounts (id),
    CONSTRAINT ledger_entries_amount_check CHECK (amount_micro_usdc <> 0),
    CONSTRAINT ledger_entries_balance_check CHECK (balance_micro_usdc >= 0)
  );
  CREATE INDEX ledger_entries_account_index ON ledger_entries (account_id, id);
  CREATE INDEX ledger_entries_set_index ON ledger_entries (set_id);
`

const appendOnly = `
  CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION '% is append only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
  END $$;
  CREATE TRIGGER ledger_sets_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_sets
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
  CREATE TRIGGER ledger_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
`

const balanced = `
  -- A set is written by one statement, so its balance can be judged when that statement ends.
  CREATE FUNCTION refuse_unbalanced() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (
      SELECT FROM written JOIN ledger_accounts ON ledger_accounts.id = written.account_id
      GROUP BY written.set_id, ledger_accounts.currency HAVING sum(written.amount_micro_usdc) <> 0
    ) THEN
      RAISE EXCEPTION 'a ledger set must sum to zero' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER ledger_entries_balanced AFTER INSERT ON ledger_entries
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION refuse_unbalanced();
`

const postLedgerSet = `
  -- A function, because each of its statements sees what was committed while the one before it waited for the wallet. One
  -- statement that locks the row and then updates it starts twice from an old version of that row, and deadlocks with others
  -- that do the same while a foreign key is being checked.
  CREATE FUNCTION post_ledger_set(p_wallet_id uuid, p_set_id uuid, p_cause text, p_cause_ref text, p_payout_id uuid,
    p_created_by text, p_at timestamptz, p_kinds text[], p_amounts bigint[], OUT outcome text, OUT balance bigint)
  LANGUAGE plpgsql AS $$
  DECLARE
    delta bigint := coalesce(p_amounts[array_position(p_kinds, 'wallet')], 0);
  BEGIN
    IF delta = 0 THEN
      -- What moves beside the wallet, such as from in transit to paid out, need not wait for its row.
      SELECT balance_micro_usdc INTO balance FROM wallets WHERE id = p_wallet_id;
    ELSE
      SELECT balance_micro_usdc INTO balance FROM wallets WHERE id = p_wallet_id FOR NO KEY UPDATE;
    END IF;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'a ledger set must belong to a wallet' USING ERRCODE = 'foreign_key_violation';
    END IF;

    INSERT INTO ledger_sets (id, wallet_id, cause, cause_ref, payout_id, created_by, created_at)
      SELECT p_set_id, p_wallet_id, p_cause, p_cause_ref, p_payout_id, p_created_by, p_at WHERE balance + delta >= 0
      ON CONFLICT (wallet_id, cause, cause_ref) DO NOTHING;
    IF NOT FOUND THEN
      outcome := CASE WHEN EXISTS (SELECT FROM ledger_sets
        WHERE wallet_id = p_wallet_id AND cause = p_cause AND cause_ref = p_cause_ref)
        THEN 'already_posted' ELSE 'insufficient' END;
      RETURN;
    END IF;

    balance := balance + delta;
    IF delta <> 0 THEN
      UPDATE wallets SET balance_micro_usdc = balance, updated_at = p_at WHERE id = p_wallet_id;
    END IF;
    -- An account that is missing becomes NULL, which its column refuses, and the whole set with it.
    INSERT INTO ledger_entries (set_id, account_id, amount_micro_usdc, balance_micro_usdc)
      SELECT p_set_id, account.id, posting.amount, CASE posting.kind WHEN 'wallet' THEN balance END
      FROM unnest(p_kinds, p_amounts) AS posting (kind, amount)
      LEFT JOIN ledger_accounts account
        ON account.wallet_id = p_wallet_id AND account.kind = posting.kind AND account.currency = 'USDC';
    outcome := 'posted';
  END $$;
`
