-- payouts_app is the role of the API, the worker and the ops CLI. It reads and writes rows but owns nothing, so it
-- cannot disable the triggers that protect the ledger and the audit chain. It creates partitions only through the
-- function add_partitions(), which runs as the owner, and cannot drop them or add to archives. payouts_read is for
-- operators who only read (docs/operations/access.md). Run this as the owner of the database, who also migrates it.
-- Repeating it changes nothing. Then: ALTER ROLE payouts_app PASSWORD '…'.
DO $$
BEGIN
  CREATE ROLE payouts_app LOGIN;
EXCEPTION
  WHEN duplicate_object OR unique_violation THEN NULL;
END
$$;
DO $$
BEGIN
  CREATE ROLE payouts_read NOLOGIN;
EXCEPTION
  WHEN duplicate_object OR unique_violation THEN NULL;
END
$$;

GRANT USAGE ON SCHEMA public TO payouts_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO payouts_app;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO payouts_app;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO payouts_app;
-- Also applies to the tables, sequences and functions that later migrations create.
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO payouts_app;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO payouts_app;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT EXECUTE ON FUNCTIONS TO payouts_app;

GRANT USAGE ON SCHEMA public TO payouts_read;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO payouts_read;
GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO payouts_read;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO payouts_read;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON SEQUENCES TO payouts_read;
