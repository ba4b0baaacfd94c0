#!/bin/sh
# Run by the PostgreSQL image when its volume is new: makes the application's role, with the password of its secret.
set -eu
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --file /deploy/roles.sql
# psql reads the file itself: everybody who sees the list of processes sees an argument.
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
\set password `cat /run/secrets/app_password`
ALTER ROLE payouts_app PASSWORD :'password';
SQL
