// Partitions the activity list and the payouts' timelines by ID, so that old rows can be archived and dropped without
// deleting them one by one. The existing table becomes the first partition and no row moves. Validating the bound
// beforehand keeps the lock short, because PostgreSQL then attaches the table without reading it. Writers continue
// between the three migrations: the bound leaves at least a hundred million IDs.
import { migration } from '../migration'

export const PartitionBounds1794700800049 = migration(
  'PartitionBounds1794700800049',
  `DO $$
  DECLARE
    v_table text;
  BEGIN
    FOREACH v_table IN ARRAY ARRAY['activity', 'payout_events'] LOOP
      EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I CHECK (id IS NOT NULL AND id < %s) NOT VALID', v_table, v_table || '_bound',
        (coalesce(pg_sequence_last_value(pg_get_serial_sequence(v_table, 'id')::regclass), 0) / 100000000 + 2) * 100000000);
    END LOOP;
  END $$`,
)

export const PartitionBoundsValid1794700800050 = migration(
  'PartitionBoundsValid1794700800050',
  'ALTER TABLE activity VALIDATE CONSTRAINT activity_bound',
  'ALTER TABLE payout_events VALIDATE CONSTRAINT payout_events_bound',
)

export const Partitions1794700800051 = migration(
  'Partitions1794700800051',

  // Blocks no reader or writer, and ends an automatic vacuum, which would hold the tables for longer than the next waits.
  'LOCK TABLE payouts, payout_events, activity IN SHARE UPDATE EXCLUSIVE MODE',
  // All waits together are shorter than PostgreSQL's deadlock timeout, so that this fails, and is tried again, before a
  // payout does.
  `SET LOCAL lock_timeout = '300ms'`,
  'LOCK TABLE payouts IN SHARE ROW EXCLUSIVE MODE',
  'LOCK TABLE payout_events, activity IN ACCESS EXCLUSIVE MODE',

  'DROP TRIGGER payout_events_changed ON payout_events',
  'DROP TRIGGER payout_events_notice ON payout_events',
  `DO $$
  DECLARE
    v_table text;
    v_first text;
    v_name text;
    v_last bigint;
    v_bound text;
    v_grant record;
  BEGIN
    FOREACH v_table IN ARRAY ARRAY['activity', 'payout_events'] LOOP
      v_first := v_table || '_from_0';
      v_last := pg_sequence_last_value(pg_get_serial_sequence(v_table, 'id')::regclass);
      SELECT (regexp_match(pg_get_constraintdef(oid), '< ''?(\\d+)'))[1] INTO STRICT v_bound FROM pg_constraint
        WHERE conrelid = v_table::regclass AND conname = v_table || '_bound';
      EXECUTE format('ALTER TABLE %I ALTER id DROP IDENTITY', v_table);
      EXECUTE format('ALTER TABLE %I RENAME TO %I', v_table, v_first);
      FOR v_name IN SELECT relname FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE indrelid = v_first::regclass LOOP
        EXECUTE format('ALTER INDEX %I RENAME TO %I', v_name, v_first || substr(v_name, length(v_table) + 1));
      END LOOP;

      EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL EXCLUDING INDEXES) PARTITION BY RANGE (id)', v_table, v_first);
      EXECUTE format('ALTER TABLE %I DROP CONSTRAINT %I', v_table, v_table || '_bound');
      EXECUTE format('ALTER TABLE %I ALTER id ADD GENERATED ALWAYS AS IDENTITY', v_table);
      IF v_last IS NOT NULL THEN
        PERFORM setval(pg_get_serial_sequence(v_table, 'id')::regclass, v_last);
      END IF;
      FOR v_grant IN SELECT privilege_type, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END AS grantee
        FROM pg_class, aclexplode(relacl) WHERE oid = v_first::regclass AND grantee <> relowner LOOP
        EXECUTE format('GRANT %s ON %I TO %s', v_grant.privilege_type, v_table, v_grant.grantee);
      END LOOP;
    END LOOP;
  END $$`,

  'ALTER TABLE activity ADD CONSTRAINT activity_pkey PRIMARY KEY (id)',
  'CREATE INDEX activity_changes_index ON activity (partner_id, at DESC, id DESC) WHERE changes',
  'CREATE INDEX activity_partner_index ON activity (partner_id, at DESC, id DESC)',
  'CREATE INDEX activity_read_index ON activity (at) WHERE NOT changes',
  `CREATE INDEX activity_sandbox_changes_index ON activity (partner_id, at DESC, id DESC)
    WHERE environment = 'sandbox' AND changes`,
  `CREATE INDEX activity_sandbox_index ON activity (partner_id, at DESC, id DESC) WHERE environment = 'sandbox'`,
  `CREATE INDEX activity_security_index ON activity (partner_id, at DESC, id DESC)
    WHERE changes AND (action ~ '^(key|login|member|partner|session|verification)[.]' OR action ~ '[.]confirm$'
      OR (action = 'account.update' AND detail ~ '(billing|contact)_email'))`,

  'ALTER TABLE payout_events ADD CONSTRAINT payout_events_pkey PRIMARY KEY (id)',
  'ALTER TABLE payout_events ADD CONSTRAINT payout_events_payout_fkey FOREIGN KEY (payout_id) REFERENCES payouts (id)',
  'CREATE INDEX payout_events_payout_index ON payout_events (payout_id, id)',
  'CREATE TRIGGER payout_events_changed AFTER INSERT ON payout_events FOR EACH ROW EXECUTE FUNCTION list_event_change()',
  `CREATE TRIGGER payout_events_notice AFTER INSERT ON payout_events FOR EACH ROW
    WHEN (NEW.kind IN ('failed', 'returned')) EXECUTE FUNCTION note_payout_event()`,
  // Such a trigger protects only the table that a statement names, so each partition has its own.
  `CREATE TRIGGER payout_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON payout_events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()`,

  `DO $$
  DECLARE
    v_table text;
    v_bound text;
  BEGIN
    FOREACH v_table IN ARRAY ARRAY['activity', 'payout_events'] LOOP
      SELECT (regexp_match(pg_get_constraintdef(oid), '< ''?(\\d+)'))[1] INTO STRICT v_bound FROM pg_constraint
        WHERE conrelid = (v_table || '_from_0')::regclass AND conname = v_table || '_bound';
      EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%s)', v_table, v_table || '_from_0', v_bound);
      EXECUTE format('ALTER TABLE %I DROP CONSTRAINT %I', v_table || '_from_0', v_table || '_bound');
      EXECUTE format('CREATE TABLE %I PARTITION OF %I DEFAULT', v_table || '_default', v_table);
    END LOOP;
  END $$`,
  `CREATE TRIGGER payout_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON payout_events_default
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()`,

  // Creates partitions for at least the next two hundred million IDs of each table. Runs as its owner, because the
  // application's role owns nothing. The sizes grow with the table, so that it has dozens of partitions and not
  // thousands. Rows without a partition go to the default one and remain there. Returns the number of new partitions, or
  // -1 if one is due that could not be created.
  `CREATE FUNCTION add_partitions() RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '3s' AS $$
  DECLARE
    v_table text;
    v_name text;
    v_last bigint;
    v_size bigint;
    v_from bigint;
    v_added integer := 0;
    v_failed boolean := false;
  BEGIN
    IF NOT pg_try_advisory_xact_lock(1794700800051) THEN
      RETURN 0;
    END IF;
    FOREACH v_table IN ARRAY ARRAY['activity', 'payout_events'] LOOP
      v_last := coalesce(pg_sequence_last_value(pg_get_serial_sequence('public.' || v_table, 'id')::regclass), 0);
      v_size := greatest(100000000, v_last / 1000000000 * 100000000);
      SELECT coalesce(max((regexp_match(pg_get_expr(relpartbound, oid), 'TO \\(''?(\\d+)'))[1]::bigint), 0) INTO v_from
        FROM pg_class JOIN pg_inherits ON inhrelid = oid WHERE inhparent = ('public.' || v_table)::regclass;
      CONTINUE WHEN v_from >= v_last + 2 * v_size;
      -- Attaching reads the whole default partition while payouts wait.
      IF pg_relation_size(('public.' || v_table || '_default')::regclass) > 10000000 THEN
        v_failed := true;
        CONTINUE;
      END IF;
      BEGIN
        IF v_table = 'payout_events' THEN
          -- The first lock blocks no writer and ends an automatic vacuum. Attaching needs the second one, because of the
          -- foreign key. Waiting for less than the deadlock timeout fails this, and not a payout.
          LOCK TABLE public.payouts IN SHARE UPDATE EXCLUSIVE MODE;
          SET LOCAL lock_timeout = '300ms';
          LOCK TABLE public.payouts IN SHARE ROW EXCLUSIVE MODE;
        END IF;
        SET LOCAL lock_timeout = '300ms';
        WHILE v_from < v_last + 2 * v_size LOOP
          IF v_from <= v_last THEN
            v_from := (v_last / 100000000 + 2) * 100000000;
          END IF;
          v_name := v_table || '_from_' || v_from;
          EXECUTE format('CREATE TABLE public.%I (LIKE public.%I INCLUDING ALL EXCLUDING IDENTITY)', v_name, v_table);
          IF v_table = 'payout_events' THEN
            EXECUTE format('CREATE TRIGGER payout_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON public.%I
              FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change()', v_name);
          END IF;
          EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION public.%I FOR VALUES FROM (%s) TO (%s)',
            v_table, v_name, v_from, v_from + v_size);
          v_from := v_from + v_size;
          v_added := v_added + 1;
        END LOOP;
      EXCEPTION WHEN lock_not_available OR check_violation THEN
        -- A table is locked, or a row of the default partition belongs to the new one.
        v_failed := true;
      END;
    END LOOP;
    RETURN CASE WHEN v_failed THEN -1 ELSE v_added END;
  END $$`,
  // It locks payouts until the transaction ends, so a role that only reads must not call it.
  'REVOKE EXECUTE ON FUNCTION add_partitions() FROM PUBLIC',
  `DO $$
  DECLARE
    v_role text;
  BEGIN
    FOR v_role IN SELECT grantee::regrole::text FROM pg_class, aclexplode(relacl)
      WHERE oid = 'activity'::regclass AND privilege_type = 'INSERT' AND grantee NOT IN (0, relowner) LOOP
      EXECUTE format('GRANT EXECUTE ON FUNCTION add_partitions() TO %s', v_role);
    END LOOP;
  END $$`,
  'SELECT add_partitions()',

  `CREATE TABLE archives (
    id uuid CONSTRAINT archives_pkey PRIMARY KEY,
    table_name text NOT NULL CONSTRAINT archives_table_check CHECK (table_name IN ('activity', 'payout_events')),
    from_id bigint NOT NULL,
    before_id bigint NOT NULL,
    row_count bigint NOT NULL,
    newest_at timestamptz,
    sha256 bytea NOT NULL CONSTRAINT archives_sha256_check CHECK (length(sha256) = 32),
    archived_at timestamptz NOT NULL,
    archived_by text NOT NULL,
    CONSTRAINT archives_range_unique UNIQUE (table_name, from_id),
    CONSTRAINT archives_range_check CHECK (from_id < before_id)
  )`,
  `CREATE TRIGGER archives_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON archives
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()`,
  // An archive explains to the audit chain and to the reconciliation why rows are missing. The application's role must
  // not be able to claim one.
  `CREATE FUNCTION refuse_unless_owner() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
  BEGIN
    IF NOT (SELECT pg_has_role(current_user, relowner, 'USAGE') FROM pg_catalog.pg_class WHERE oid = TG_RELID) THEN
      RAISE EXCEPTION 'only the owner of % adds to it', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER archives_owner BEFORE INSERT ON archives
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_unless_owner()`,
)

// The limit of 300 ms for the first table also applied to the first lock for the second one, which may wait longer.
// Changes the stored text, because some development versions of migration 51 already contain this line.
export const PartitionLocks1794700800052 = migration(
  'PartitionLocks1794700800052',
  `DO $$
  DECLARE
    v_function text := pg_get_functiondef('add_partitions()'::regprocedure);
    v_lock text := 'LOCK TABLE public.payouts IN SHARE UPDATE EXCLUSIVE MODE;';
    v_limit text := 'SET LOCAL lock_timeout = ''3s'';';
  BEGIN
    IF position(v_limit IN v_function) = 0 THEN
      EXECUTE replace(v_function, v_lock, v_limit || E'\\n          ' || v_lock);
    END IF;
  END $$`,
)
