#!/bin/sh
# Brings the two databases of the Temporal server up to date; run before each start, and before a newer server's first.
set -eu
export SQL_PLUGIN=postgres12 SQL_HOST=temporal-postgres SQL_PORT=5432 SQL_USER=temporal
SQL_PASSWORD="$(cat /run/secrets/temporal_postgres_password)"
export SQL_PASSWORD

for name in temporal:temporal temporal_visibility:visibility; do
  database="${name%%:*}"
  schema="/etc/temporal/schema/postgresql/v12/${name##*:}/versioned"
  temporal-sql-tool --db "$database" create
  # Refused where the schema has a version already, which is as it should be.
  temporal-sql-tool --db "$database" setup-schema -v 0.0 || true
  temporal-sql-tool --db "$database" update-schema -d "$schema"
done
