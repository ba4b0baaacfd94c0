// Totals of payouts per month and per recipient, which triggers maintain, and the trigram index for searches.
import { migration } from '../migration'

const tables = `
  -- Taken first: no payout changes between the count and the triggers.
  LOCK TABLE payouts IN SHARE ROW EXCLUSIVE MODE;

  -- A payout is counted in one of 16 rows, chosen by its id, so that payouts of one partner seldom wait for the same row.
  CREATE TABLE payout_months (
    partner_id   uuid NOT NULL,
    environment  text NOT NULL,
    month        date NOT NULL,
    shard        integer NOT NULL,
    created      integer NOT NULL,
    completed    integer NOT NULL,
    paid_pence   bigint NOT NULL,
    fees_pence   bigint NOT NULL,
    CONSTRAINT payout_months_pkey PRIMARY KEY (partner_id, environment, month, shard)
  ) WITH (fillfactor = 50);

  -- By the month in which the payouts were created. A recipient is a bank account, known by its keyed hash.
  CREATE TABLE recipient_months (
    partner_id         uuid NOT NULL,
    environment        text NOT NULL,
    account_hash       bytea NOT NULL,
    month              date NOT NULL,
    payouts            integer NOT NULL,
    completed          integer NOT NULL,
    paid_pence         bigint NOT NULL,
    last_created_at    timestamptz,
    last_completed_at  timestamptz,
    paid_created_at    timestamptz,
    CONSTRAINT recipient_months_pkey PRIMARY KEY (partner_id, environment, account_hash, month)
  ) WITH (fillfactor = 70);

  -- paid_created_at: when the payout that completed last was created. The list shows a window of creation times.
  CREATE TABLE recipient_totals (
    partner_id         uuid NOT NULL,
    environment        text NOT NULL,
    account_hash       bytea NOT NULL,
    last_created_at    timestamptz NOT NULL,
    last_completed_at  timestamptz,
    paid_created_at    timestamptz,
    last_paid_at       timestamptz NOT NULL,
    CONSTRAINT recipient_totals_pkey PRIMARY KEY (partner_id, environment, account_hash)
  ) WITH (fillfactor = 70);
  CREATE INDEX recipient_totals_list_index
    ON recipient_totals (partner_id, environment, last_paid_at DESC, account_hash DESC);
  -- Recipients with a payout that is newer than the one that completed last: few, as most payouts complete.
  CREATE INDEX recipient_totals_unpaid_index ON recipient_totals (partner_id, environment, paid_created_at)
    WHERE last_created_at > paid_created_at;

  CREATE INDEX payouts_account_index ON payouts (partner_id, environment, account_hash, created_at DESC, id DESC)
    WHERE released_at IS NULL AND (verdict_at IS NOT NULL OR answered_at IS NOT NULL) AND account_hash IS NOT NULL;
`

const functions = `
  CREATE FUNCTION london_month(at timestamptz) RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN date_trunc('month', at AT TIME ZONE 'Europe/London')::date;

  CREATE FUNCTION london_month_start(month date) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN month::timestamp AT TIME ZONE 'Europe/London';

  CREATE FUNCTION totals_shard(payout_id uuid) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN get_byte(uuid_send(payout_id), 15) & 15;

  -- Adds one payout to its recipient. Every change of a recipient locks its row in recipient_totals first.
  CREATE FUNCTION add_to_recipient(p payouts) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    v_done boolean := p.status = 'completed';
    v_completed_at timestamptz := CASE WHEN v_done THEN p.completed_at END;
    v_paid_created_at timestamptz := CASE WHEN v_done THEN p.created_at END;
  BEGIN
    INSERT INTO recipient_totals AS t (partner_id, environment, account_hash, last_created_at, last_completed_at,
        paid_created_at, last_paid_at)
      VALUES (p.partner_id, p.environment, p.account_hash, p.created_at, v_completed_at, v_paid_created_at,
        coalesce(v_completed_at, p.created_at))
      ON CONFLICT (partner_id, environment, account_hash) DO UPDATE SET
        last_created_at = greatest(t.last_created_at, excluded.last_created_at),
        last_completed_at = greatest(t.last_completed_at, excluded.last_completed_at),
        paid_created_at = CASE
          WHEN excluded.last_completed_at IS NULL OR (t.last_completed_at, t.paid_created_at)
            > (excluded.last_completed_at, excluded.paid_created_at) THEN t.paid_created_at
          ELSE excluded.paid_created_at END,
        last_paid_at = coalesce(greatest(t.last_completed_at, excluded.last_completed_at),
          greatest(t.last_created_at, excluded.last_created_at));
    INSERT INTO recipient_months AS t (partner_id, environment, account_hash, month, payouts, completed, paid_pence,
        last_created_at, last_completed_at, paid_created_at)
      VALUES (p.partner_id, p.environment, p.account_hash, london_month(p.created_at), 1, v_done::integer,
        CASE WHEN v_done THEN p.amount_pence ELSE 0 END, p.created_at, v_completed_at, v_paid_created_at)
      ON CONFLICT (partner_id, environment, account_hash, month) DO UPDATE SET
        payouts = t.payouts + 1, completed = t.completed + excluded.completed,
        paid_pence = t.paid_pence + excluded.paid_pence,
        last_created_at = greatest(t.last_created_at, excluded.last_created_at),
        last_completed_at = greatest(t.last_completed_at, excluded.last_completed_at),
        paid_created_at = CASE
          WHEN excluded.last_completed_at IS NULL OR (t.last_completed_at, t.paid_created_at)
            > (excluded.last_completed_at, excluded.paid_created_at) THEN t.paid_created_at
          ELSE excluded.paid_created_at END;
  END $$;

  -- Each statement sees what was committed before it began, so the payouts are read after the recipient's row is locked.
  -- They are read only when this one was the latest. \`p_stays\`: it was added again with the same creation time.
  CREATE FUNCTION take_from_recipient(p payouts, p_stays boolean) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    v_month date := london_month(p.created_at);
    v_done boolean := p.status = 'completed';
    v_row recipient_months;
  BEGIN
    PERFORM FROM recipient_totals t WHERE t.partner_id = p.partner_id AND t.environment = p.environment
      AND t.account_hash = p.account_hash FOR UPDATE;
    UPDATE recipient_months t SET payouts = t.payouts - 1, completed = t.completed - v_done::integer,
        paid_pence = t.paid_pence - CASE WHEN v_done THEN p.amount_pence ELSE 0 END
      WHERE t.partner_id = p.partner_id AND t.environment = p.environment AND t.account_hash = p.account_hash
        AND t.month = v_month
      RETURNING * INTO v_row;
    IF v_row.payouts > 0 AND (p_stays OR p.created_at < v_row.last_created_at)
      AND (NOT v_done OR p.completed_at < v_row.last_completed_at) THEN
      RETURN;
    END IF;
    DELETE FROM recipient_months t WHERE t.partner_id = p.partner_id AND t.environment = p.environment
      AND t.account_hash = p.account_hash AND t.month = v_month AND t.payouts <= 0;
    UPDATE recipient_months t
      SET (last_created_at, last_completed_at, paid_created_at) = (
        SELECT max(created_at), max(completed_at) FILTER (WHERE status = 'completed'),
          (array_agg(created_at ORDER BY completed_at DESC, created_at DESC) FILTER (WHERE status = 'completed'))[1]
        FROM payouts WHERE partner_id = p.partner_id AND environment = p.environment AND account_hash = p.account_hash
          AND released_at IS NULL AND (verdict_at IS NOT NULL OR answered_at IS NOT NULL)
          AND status NOT IN ('failed', 'cancelled') AND created_at >= london_month_start(v_month)
          AND created_at < london_month_start((v_month + interval '1 month')::date))
      WHERE t.partner_id = p.partner_id AND t.environment = p.environment AND t.account_hash = p.account_hash
        AND t.month = v_month;
    DELETE FROM recipient_totals t WHERE t.partner_id = p.partner_id AND t.environment = p.environment
      AND t.account_hash = p.account_hash AND NOT EXISTS (SELECT FROM recipient_months m
        WHERE m.partner_id = t.partner_id AND m.environment = t.environment AND m.account_hash = t.account_hash);
    UPDATE recipient_totals t
      SET (last_created_at, last_completed_at, paid_created_at, last_paid_at) = (
        SELECT max(last_created_at), max(last_completed_at),
          (array_agg(paid_created_at ORDER BY last_completed_at DESC, paid_created_at DESC)
            FILTER (WHERE last_completed_at IS NOT NULL))[1],
          coalesce(max(last_completed_at), max(last_created_at))
        FROM recipient_months m
        WHERE m.partner_id = t.partner_id AND m.environment = t.environment AND m.account_hash = t.account_hash)
      WHERE t.partner_id = p.partner_id AND t.environment = p.environment AND t.account_hash = p.account_hash;
  END $$;

  CREATE FUNCTION is_visible(p payouts) RETURNS boolean LANGUAGE sql IMMUTABLE
    RETURN p.released_at IS NULL AND (p.verdict_at IS NOT NULL OR p.answered_at IS NOT NULL);

  -- Recipients first, then months in ascending order: the one lock order of all transactions.
  CREATE FUNCTION keep_payout_totals() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    v_was boolean := TG_OP <> 'INSERT' AND is_visible(OLD);
    v_is boolean := TG_OP <> 'DELETE' AND is_visible(NEW);
    v_had boolean := coalesce(v_was AND OLD.status NOT IN ('failed', 'cancelled') AND OLD.account_hash IS NOT NULL, false);
    v_has boolean := coalesce(v_is AND NEW.status NOT IN ('failed', 'cancelled') AND NEW.account_hash IS NOT NULL, false);
  BEGIN
    IF v_had AND v_has AND (OLD.partner_id, OLD.environment, OLD.account_hash, OLD.created_at, OLD.amount_pence,
        OLD.status = 'completed', CASE WHEN OLD.status = 'completed' THEN OLD.completed_at END)
      IS NOT DISTINCT FROM (NEW.partner_id, NEW.environment, NEW.account_hash, NEW.created_at, NEW.amount_pence,
        NEW.status = 'completed', CASE WHEN NEW.status = 'completed' THEN NEW.completed_at END) THEN
      v_had := false;
      v_has := false;
    END IF;
    -- Added before it is taken away, so that a row is not deleted and made again.
    IF v_has THEN PERFORM add_to_recipient(NEW); END IF;
    IF v_had THEN
      PERFORM take_from_recipient(OLD, v_has AND (OLD.partner_id, OLD.environment, OLD.account_hash, OLD.created_at)
        = (NEW.partner_id, NEW.environment, NEW.account_hash, NEW.created_at));
    END IF;

    INSERT INTO payout_months AS t (partner_id, environment, month, shard, created, completed, paid_pence, fees_pence)
      SELECT partner_id, environment, month, shard, sum(created), sum(completed), sum(paid), sum(fees)
      FROM (
        SELECT OLD.partner_id, OLD.environment, london_month(OLD.created_at) AS month, totals_shard(OLD.id) AS shard,
          -1 AS created, 0 AS completed, 0::bigint AS paid, 0::bigint AS fees WHERE v_was
        UNION ALL
        SELECT OLD.partner_id, OLD.environment, london_month(OLD.completed_at), totals_shard(OLD.id), 0, -1,
          -OLD.amount_pence, -OLD.fee_pence WHERE v_was AND OLD.status = 'completed'
        UNION ALL
        SELECT NEW.partner_id, NEW.environment, london_month(NEW.created_at), totals_shard(NEW.id), 1, 0, 0, 0 WHERE v_is
        UNION ALL
        SELECT NEW.partner_id, NEW.environment, london_month(NEW.completed_at), totals_shard(NEW.id), 0, 1,
          NEW.amount_pence, NEW.fee_pence WHERE v_is AND NEW.status = 'completed'
      ) changes
      GROUP BY partner_id, environment, month, shard
      HAVING sum(created) <> 0 OR sum(completed) <> 0 OR sum(paid) <> 0 OR sum(fees) <> 0
      ORDER BY partner_id, environment, month, shard
      ON CONFLICT (partner_id, environment, month, shard) DO UPDATE SET created = t.created + excluded.created,
        completed = t.completed + excluded.completed, paid_pence = t.paid_pence + excluded.paid_pence,
        fees_pence = t.fees_pence + excluded.fees_pence;
    RETURN NULL;
  END $$;
`

const rebuild = `
  -- Counts all payouts of a partner again, or of every partner without one. It also repairs totals that drift.
  CREATE FUNCTION rebuild_payout_totals(p_partner_id uuid DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    LOCK TABLE payouts IN SHARE MODE;
    DELETE FROM payout_months WHERE p_partner_id IS NULL OR partner_id = p_partner_id;
    DELETE FROM recipient_months WHERE p_partner_id IS NULL OR partner_id = p_partner_id;
    DELETE FROM recipient_totals WHERE p_partner_id IS NULL OR partner_id = p_partner_id;
    INSERT INTO payout_months (partner_id, environment, month, shard, created, completed, paid_pence, fees_pence)
      SELECT partner_id, environment, month, shard, sum(created), sum(completed), sum(paid), sum(fees)
      FROM (
        SELECT partner_id, environment, london_month(created_at) AS month, totals_shard(id) AS shard, 1 AS created,
          0 AS completed, 0::bigint AS paid, 0::bigint AS fees
        FROM payouts p WHERE is_visible(p) AND (p_partner_id IS NULL OR partner_id = p_partner_id)
        UNION ALL
        SELECT partner_id, environment, london_month(completed_at), totals_shard(id), 0, 1, amount_pence, fee_pence
        FROM payouts p WHERE is_visible(p) AND status = 'completed' AND (p_partner_id IS NULL OR partner_id = p_partner_id)
      ) each GROUP BY partner_id, environment, month, shard;
    INSERT INTO recipient_months (partner_id, environment, account_hash, month, payouts, completed, paid_pence,
        last_created_at, last_completed_at, paid_created_at)
      SELECT partner_id, environment, account_hash, london_month(created_at), count(*),
        count(*) FILTER (WHERE status = 'completed'),
        coalesce(sum(amount_pence) FILTER (WHERE status = 'completed'), 0), max(created_at),
        max(completed_at) FILTER (WHERE status = 'completed'),
        (array_agg(created_at ORDER BY completed_at DESC, created_at DESC) FILTER (WHERE status = 'completed'))[1]
      FROM payouts p WHERE is_visible(p) AND status NOT IN ('failed', 'cancelled') AND account_hash IS NOT NULL
        AND (p_partner_id IS NULL OR partner_id = p_partner_id)
      GROUP BY partner_id, environment, account_hash, london_month(created_at);
    INSERT INTO recipient_totals (partner_id, environment, account_hash, last_created_at, last_completed_at,
        paid_created_at, last_paid_at)
      SELECT partner_id, environment, account_hash, max(last_created_at), max(last_completed_at),
        (array_agg(paid_created_at ORDER BY last_completed_at DESC, paid_created_at DESC)
          FILTER (WHERE last_completed_at IS NOT NULL))[1],
        coalesce(max(last_completed_at), max(last_created_at))
      FROM recipient_months WHERE p_partner_id IS NULL OR partner_id = p_partner_id
      GROUP BY partner_id, environment, account_hash;
  END $$;
  SELECT rebuild_payout_totals();
`

// The triggers are deferred, so that a transaction locks the totals after every other row, whatever the order of its
// statements. It holds these locks only while it commits.
const triggers = `
  CREATE CONSTRAINT TRIGGER payouts_totals_insert AFTER INSERT ON payouts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (NEW.released_at IS NULL AND (NEW.verdict_at IS NOT NULL OR NEW.answered_at IS NOT NULL))
    EXECUTE FUNCTION keep_payout_totals();
  CREATE CONSTRAINT TRIGGER payouts_totals_delete AFTER DELETE ON payouts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.released_at IS NULL AND (OLD.verdict_at IS NOT NULL OR OLD.answered_at IS NOT NULL))
    EXECUTE FUNCTION keep_payout_totals();
  CREATE CONSTRAINT TRIGGER payouts_totals_update AFTER UPDATE ON payouts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN ((OLD.partner_id, OLD.environment, OLD.status, OLD.amount_pence, OLD.fee_pence, OLD.account_hash,
        OLD.created_at, OLD.completed_at, OLD.released_at, OLD.verdict_at IS NULL AND OLD.answered_at IS NULL)
      IS DISTINCT FROM (NEW.partner_id, NEW.environment, NEW.status, NEW.amount_pence, NEW.fee_pence, NEW.account_hash,
        NEW.created_at, NEW.completed_at, NEW.released_at, NEW.verdict_at IS NULL AND NEW.answered_at IS NULL))
    EXECUTE FUNCTION keep_payout_totals();
`

// Both extensions are trusted, so the owner of the database may create them. Partner and month are part of the index,
// so that a search reads no rows of other partners, nor all rows of the partner for a common term. Without
// fastupdate, no payout has to flush the pending list of others. The planner ignores statistics of a partial index,
// so they are created separately.
const search = `
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE EXTENSION IF NOT EXISTS btree_gin;
  CREATE INDEX payouts_search_index ON payouts USING gin (partner_id, london_month(created_at),
      lower(coalesce(reference, '') || chr(10) || coalesce(recipient_name, '')) gin_trgm_ops)
    WITH (fastupdate = off)
    WHERE released_at IS NULL AND (verdict_at IS NOT NULL OR answered_at IS NOT NULL);
  CREATE STATISTICS payouts_search_statistics
    ON lower(coalesce(reference, '') || chr(10) || coalesce(recipient_name, '')) FROM payouts;
`

const drifts = `
  ALTER TABLE drifts DROP CONSTRAINT drifts_kind_check, ADD CONSTRAINT drifts_kind_check CHECK (kind IN
    ('wallet_balance', 'suspense_balance', 'set_sum', 'payout_ledger', 'payout_row', 'payout_charge', 'payout_totals',
    'entry_without_movement', 'booking_without_movement', 'transfer_without_payout', 'transfer_amount',
    'payout_without_transfer', 'deposit_not_booked', 'deposit_amount', 'bank_balance', 'silent_payout', 'not_compared'));
`

export const PayoutTotals1794700800024 = migration(
  'PayoutTotals1794700800024',
  tables,
  functions,
  rebuild,
  triggers,
  search,
  drifts,
)
