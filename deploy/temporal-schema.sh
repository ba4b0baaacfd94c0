#!/bin/sh
# Migrates the Temporal server's two databases. Runs before each start, including the first start of a newer server.
set -eu
export SQL_PLUGIN=postgres12 SQL_HOST=temporal-postgres SQL_PORT=5432 SQL_USER=temporal
SQL_PASSWORD="$(cat /run/secrets/temporal_postgres_password)"
export SQL_PASSWORD

for name in temporal:temporal temporal_visibility:visibility; do
  database="${name%%:*}"
  schema="/etc/temporal/schema/postgresql/v12/${name##*:}/versioned"
  temporal-sql-tool --db "$database" create
  # Fails if the schema already has a version, which is expected.
  temporal-sql-tool --db "$database" setup-schema -v 0.0 || true
  temporal-sql-tool --db "$database" update-schema -d "$schema"
done
