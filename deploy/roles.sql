-- payouts_app, the role of API, worker and ops: it reads and writes rows and owns nothing, so it cannot switch off what guards ledger
-- and audit. payouts_read, for operators who only look (docs/operations/access.md).
-- Run by the owner of the database, who migrates; again changes nothing. Then: ALTER ROLE payouts_app PASSWORD '…'.
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
-- What later migrations make, too.
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO payouts_app;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO payouts_app;

GRANT USAGE ON SCHEMA public TO payouts_read;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO payouts_read;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO payouts_read;
