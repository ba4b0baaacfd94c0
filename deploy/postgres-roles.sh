#!/bin/sh
# Run by the PostgreSQL image when its volume is new. Creates the application's role, with the password from its secret.
set -eu
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --file /deploy/roles.sql
# psql reads the file itself, because an argument would be visible in the process list.
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
\set password `cat /run/secrets/app_password`
ALTER ROLE payouts_app PASSWORD :'password';
SQL
