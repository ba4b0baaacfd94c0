#!/bin/sh
# Creates the namespace if it does not exist. Histories are kept for 30 days. Payouts stay in our own database permanently.
set -eu
temporal operator namespace describe --namespace default >/dev/null 2>&1 ||
  temporal operator namespace create --namespace default --retention 720h
