#!/bin/sh
# Creates the namespace if it does not exist. Temporal keeps histories for 30 days. Our own database keeps payouts
# permanently.
set -eu
temporal operator namespace describe --namespace default >/dev/null 2>&1 ||
  temporal operator namespace create --namespace default --retention 720h
