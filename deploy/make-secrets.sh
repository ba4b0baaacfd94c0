#!/bin/sh
# Creates the secret files that docker-compose.yml mounts. Does not overwrite existing files.
set -eu
folder="$(dirname "$0")/secrets"
mkdir -p "$folder"
# Other users cannot enter the folder. The files in it are world-readable, because containers do not read them as root.
chmod 700 "$folder"

random() { od -An -N"$1" -tx1 /dev/urandom | tr -d ' \n'; }
keep() {
  [ -s "$folder/$1" ] || printf '%s\n' "$2" >"$folder/$1"
  chmod 644 "$folder/$1"
}

keep postgres_password "$(random 24)"
keep temporal_postgres_password "$(random 24)"
keep app_password "$(random 24)"
keep database_owner_url "postgresql://payouts:$(cat "$folder/postgres_password")@postgres:5432/payouts"
keep database_url "postgresql://payouts_app:$(cat "$folder/app_password")@postgres:5432/payouts"
keep secret_keys "k1:$(random 32)"
keep bank_sandbox_key "sk-test-$(random 24)"
keep bank_live_key "sk-live-$(random 24)"
