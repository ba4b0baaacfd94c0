// Wallets and the double-entry ledger. The database itself enforces that it is balanced, append-only and never below
// zero.
import { migration } from '../migration'

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
    bank_ref    text,
    created_by  text NOT NULL,
    created_at  timestamptz NOT NULL,
    CONSTRAINT ledger_sets_wallet_fkey FOREIGN KEY (wallet_id) REFERENCES wallets (id),
    CONSTRAINT ledger_sets_cause_unique UNIQUE (wallet_id, cause, cause_ref),
    CONSTRAINT ledger_sets_cause_check CHECK (cause ~ '^[a-z_]+$')
  );
  -- Whatever our cause for it, what the bank did once is booked once.
  CREATE UNIQUE INDEX ledger_sets_bank_unique ON ledger_sets (wallet_id, bank_ref) WHERE bank_ref IS NOT NULL;
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
    CONSTRAINT ledger_entries_set_unique UNIQUE (set_id, account_id),
    CONSTRAINT ledger_entries_amount_check CHECK (amount_micro_usdc <> 0),
    CONSTRAINT ledger_entries_balance_check CHECK (balance_micro_usdc >= 0)
  );
  CREATE INDEX ledger_entries_account_index ON ledger_entries (account_id, id);
`

const appendOnly = `
  CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION '% is append only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
  END $$;
  CREATE TRIGGER ledger_accounts_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_accounts
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
  CREATE TRIGGER ledger_sets_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_sets
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
  CREATE TRIGGER ledger_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
`

const wholeSets = `
  -- One statement writes one whole set, so a set can be judged when that statement ends. A wallet's balance follows its entry
  -- here and nowhere else.
  CREATE FUNCTION complete_ledger_set() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    ledger_set ledger_sets;
    mistake text;
    moved bigint;
  BEGIN
    -- Looked up, not joined: a join that was planned while the ledger was small reads all of it once it is large.
    SELECT * INTO ledger_set FROM ledger_sets WHERE id = (SELECT set_id FROM written LIMIT 1);
    SELECT CASE
        WHEN bool_or(written.set_id <> ledger_set.id) THEN 'a statement must write one ledger set'
        WHEN bool_or(account.id IS NULL) THEN 'a ledger set must stay within its wallet'
        WHEN sum(written.amount_micro_usdc) <> 0 THEN 'a ledger set must sum to zero'
        WHEN bool_or((account.kind = 'wallet') <> (written.balance_micro_usdc IS NOT NULL))
          THEN 'the entry of a wallet, and no other, must carry a balance'
        WHEN count(*) <> (SELECT count(*) FROM ledger_entries WHERE set_id = ledger_set.id)
          THEN 'a ledger set must be written at once'
      END, max(written.amount_micro_usdc) FILTER (WHERE account.kind = 'wallet')
    INTO mistake, moved
    FROM written LEFT JOIN ledger_accounts account
      ON account.id = written.account_id AND account.wallet_id = ledger_set.wallet_id;
    IF mistake IS NOT NULL THEN
      RAISE EXCEPTION '%', mistake USING ERRCODE = 'check_violation';
    END IF;
    -- By addition, so that an entry made without waiting for the wallet's row does not agree with it below.
    UPDATE wallets SET balance_micro_usdc = balance_micro_usdc + moved, updated_at = ledger_set.created_at
      WHERE id = ledger_set.wallet_id AND moved IS NOT NULL;
    RETURN NULL;
  END $$;
  CREATE TRIGGER ledger_entries_complete AFTER INSERT ON ledger_entries
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION complete_ledger_set();

  CREATE FUNCTION refuse_empty_set() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NOT EXISTS (SELECT FROM ledger_entries WHERE set_id = NEW.id) THEN
      RAISE EXCEPTION 'a ledger set must have entries' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
  END $$;
  CREATE CONSTRAINT TRIGGER ledger_sets_entries AFTER INSERT ON ledger_sets DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION refuse_empty_set();
`

const balances = `
  CREATE FUNCTION refuse_other_balance() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NEW.balance_micro_usdc <> coalesce((
      SELECT entry.balance_micro_usdc FROM ledger_entries entry
      WHERE entry.account_id = (
        SELECT id FROM ledger_accounts WHERE wallet_id = NEW.id AND kind = 'wallet' AND currency = 'USDC')
      ORDER BY entry.id DESC LIMIT 1), 0)
    THEN
      RAISE EXCEPTION 'the balance of a wallet must be that of its last entry' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER wallets_opening_balance AFTER INSERT ON wallets
    FOR EACH ROW WHEN (NEW.balance_micro_usdc <> 0) EXECUTE FUNCTION refuse_other_balance();
  CREATE TRIGGER wallets_balance AFTER UPDATE ON wallets
    FOR EACH ROW WHEN (OLD.balance_micro_usdc <> NEW.balance_micro_usdc) EXECUTE FUNCTION refuse_other_balance();
`

const postLedgerSet = `
  -- A function, because each of its statements sees what was committed while the one before it waited for the wallet. One
  -- statement that locks the row and then updates it starts twice from an old version of that row, and deadlocks with others
  -- that do the same while a foreign key is being checked.
  CREATE FUNCTION post_ledger_set(p_wallet_id uuid, p_set_id uuid, p_cause text, p_cause_ref text, p_payout_id uuid,
    p_bank_ref text, p_created_by text, p_at timestamptz, p_kinds text[], p_amounts bigint[],
    OUT outcome text, OUT balance bigint)
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

    INSERT INTO ledger_sets (id, wallet_id, cause, cause_ref, payout_id, bank_ref, created_by, created_at)
      SELECT p_set_id, p_wallet_id, p_cause, p_cause_ref, p_payout_id, p_bank_ref, p_created_by, p_at
      WHERE balance + delta >= 0
      ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      outcome := CASE
        WHEN EXISTS (SELECT FROM ledger_sets WHERE wallet_id = p_wallet_id AND cause = p_cause AND cause_ref = p_cause_ref)
          OR EXISTS (SELECT FROM ledger_sets WHERE wallet_id = p_wallet_id AND bank_ref = p_bank_ref) THEN 'already_posted'
        WHEN balance + delta < 0 THEN 'insufficient' END;
      IF outcome IS NULL THEN
        RAISE EXCEPTION 'a ledger set must have an id of its own' USING ERRCODE = 'unique_violation';
      END IF;
      RETURN;
    END IF;

    balance := balance + delta;
    -- An account that is missing becomes NULL, which its column refuses, and the whole set with it.
    INSERT INTO ledger_entries (set_id, account_id, amount_micro_usdc, balance_micro_usdc)
      SELECT p_set_id, account.id, posting.amount, CASE posting.kind WHEN 'wallet' THEN balance END
      FROM unnest(p_kinds, p_amounts) AS posting (kind, amount)
      LEFT JOIN ledger_accounts account
        ON account.wallet_id = p_wallet_id AND account.kind = posting.kind AND account.currency = 'USDC';
    outcome := 'posted';
  END $$;
`

export const Ledger1794700800002 = migration(
  'Ledger1794700800002',
  wallets,
  ledgerAccounts,
  ledgerSets,
  ledgerEntries,
  appendOnly,
  wholeSets,
  balances,
  postLedgerSet,
)
