#!/bin/sh
# A worker in shell: worker.sh QUEUE. Takes jobs until one says "stop", prints the body of each that
# it has done, and fails those that begin with "bad".
set -eu
queue=$1
broker() { redis-cli -p "${RUNG_PORT:-6379}" "$@"; }

while :; do
  # Three lines: the queue, the receipt, the body; nothing when no job came in time.
  entry=$(broker Q.TAKE "$queue" BLOCK 5000 LEASE 30000 WORKER "shell-$$")
  [ -n "$entry" ] || continue
  receipt=$(printf '%s\n' "$entry" | sed -n 2p)
  body=$(printf '%s\n' "$entry" | sed -n '3,$p')
  case $body in
    bad*) broker Q.NACK "$queue" "$receipt" ERR "cannot do that" >/dev/null ;;
    *) echo "$body" && broker Q.ACK "$queue" "$receipt" >/dev/null ;;
  esac
  [ "$body" != stop ] || exit 0
done
