#!/bin/sh
# Makes the namespace once. Histories are kept for 30 days; payouts live in our own database for ever.
set -eu
temporal operator namespace describe --namespace default >/dev/null 2>&1 ||
  temporal operator namespace create --namespace default --retention 720h
