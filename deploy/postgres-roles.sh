#!/bin/sh
# Run by the PostgreSQL image when its volume is new: makes the application's role, with the password of its secret.
set -eu
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --file /deploy/roles.sql
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
  --set password="$(cat /run/secrets/app_password)" <<'SQL'
ALTER ROLE payouts_app PASSWORD :'password';
SQL
