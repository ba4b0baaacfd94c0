// Makes a payout's first call and a pause of its rail wait for each other. After a reported pause, no first call starts.
import { migration } from '../migration'

export const FirstCalls1794700800023 = migration(
  'FirstCalls1794700800023',
  `
      -- A function, because each of its statements sees what was committed before it began: one statement alone would judge the
      -- pause as of before it waited for the row.
      CREATE FUNCTION start_submit(p_payout_id uuid, p_attempt integer, p_body text, p_at timestamptz)
      RETURNS text LANGUAGE plpgsql AS $$
      DECLARE
        v_body text;
      BEGIN
        PERFORM pg_advisory_xact_lock_shared(hashtextextended('rail/' || environment, 0)) FROM payouts WHERE id = p_payout_id;
        UPDATE payouts SET bank_body = p_body, submit_started_at = p_at, updated_at = p_at
        WHERE id = p_payout_id AND attempt = p_attempt AND status = 'pending' AND submit_started_at IS NULL
          AND released_at IS NULL
          AND NOT EXISTS (SELECT FROM rail_pauses pause
            WHERE pause.environment = payouts.environment AND pause.resumed_at IS NULL)
          AND EXISTS (SELECT FROM ledger_sets debit WHERE debit.wallet_id = payouts.wallet_id AND debit.cause = 'debit'
            AND debit.cause_ref = payouts.id::text || '/' || payouts.attempt::text)
        RETURNING bank_body INTO v_body;
        RETURN v_body;
      END
      $$;
    `,
)
