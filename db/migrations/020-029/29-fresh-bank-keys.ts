// Allows first calls to the bank only for active partners, and repeats one under a new bank key if it provably sent
// nothing.
import { migration } from '../migration'

export const FreshBankKeys1794700800029 = migration(
  'FreshBankKeys1794700800029',
  `
      ALTER TABLE payouts ADD COLUMN bank_key_renewals integer NOT NULL DEFAULT 0,
        -- Only a call that was started has an unknown outcome. Workers of earlier versions would note a withdrawn one.
        ADD CONSTRAINT payouts_unknown_check CHECK (verdict IS DISTINCT FROM 'unknown' OR submit_started_at IS NOT NULL);

      -- Returns the body and the bank key to call with, or no row when no call may start. The key comes from the row: another
      -- run may have replaced the one that the caller read before.
      CREATE FUNCTION begin_submit(p_payout_id uuid, p_attempt integer, p_body text, p_at timestamptz)
      RETURNS TABLE (body text, key uuid) LANGUAGE plpgsql AS $$
      DECLARE
        v_partner_id uuid;
      BEGIN
        PERFORM pg_advisory_xact_lock_shared(hashtextextended('rail/' || environment, 0)) FROM payouts WHERE id = p_payout_id;
        SELECT partner_id INTO v_partner_id FROM payouts WHERE id = p_payout_id AND attempt = p_attempt FOR UPDATE;
        PERFORM pg_advisory_xact_lock_shared(hashtextextended('partner/' || v_partner_id::text, 0));
        -- A new statement, so that it sees a pause or a suspension that was committed while the locks were awaited.
        RETURN QUERY UPDATE payouts SET bank_body = p_body, submit_started_at = p_at, updated_at = p_at
        WHERE id = p_payout_id AND attempt = p_attempt AND status = 'pending' AND submit_started_at IS NULL
          AND released_at IS NULL
          AND EXISTS (SELECT FROM partners WHERE partners.id = payouts.partner_id AND partners.status = 'active')
          AND NOT EXISTS (SELECT FROM rail_pauses pause
            WHERE pause.environment = payouts.environment AND pause.resumed_at IS NULL)
          AND EXISTS (SELECT FROM ledger_sets debit WHERE debit.wallet_id = payouts.wallet_id AND debit.cause = 'debit'
            AND debit.cause_ref = payouts.id::text || '/' || payouts.attempt::text)
        RETURNING payouts.bank_body, payouts.bank_key;
      END
      $$;

      -- Workers of earlier versions call this one during an upgrade. They use the key that they read before, so they must not
      -- call for a payout whose key was replaced. They do not know that a late payout is being cancelled, so they must not send it.
      CREATE OR REPLACE FUNCTION start_submit(p_payout_id uuid, p_attempt integer, p_body text, p_at timestamptz)
      RETURNS text LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM FROM payouts WHERE id = p_payout_id AND bank_key_renewals = 0 AND created_at > p_at - interval '23 hours' FOR UPDATE;
        IF NOT FOUND THEN
          RETURN NULL;
        END IF;
        RETURN (SELECT begun.body FROM begin_submit(p_payout_id, p_attempt, p_body, p_at) begun);
      END
      $$;

      -- A suspension waits for the first calls that are under way. When it is reported, each payout has made its first call or waits.
      CREATE FUNCTION await_first_calls() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_advisory_xact_lock(hashtextextended('partner/' || NEW.id::text, 0));
        RETURN NEW;
      END
      $$;
      CREATE TRIGGER partners_await_first_calls BEFORE UPDATE OF status ON partners
        FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION await_first_calls();
    `,
)
