# Runs a program that must not outlive its parent: sh -c "$(cat guard.sh)" guard <signal> <command> <arguments…>
#
# Input is a pipe that the parent holds open. The shell waits for two things at once: for the program's end, which ends the
# shell, and for the end of the pipe, which asks the program to stop and ends it for good when it does not listen.
# Output is one line, the program's pid; everything else goes where the shell's errors go.

signal=$1
shift

# What the program writes, such as Temporal's database, holds what only its owner may read.
umask 077

# A shell gives its background commands /dev/null as input, so the pipe is kept as descriptor 3.
exec 3<&0 </dev/null
"$@" >&2 3<&- &
program=$!
echo "$program"
exec >&2

(
  read -r _ <&3
  kill -s "$signal" "$program"
  trap 'kill "$nap"; exit' TERM
  seconds=0
  while kill -0 "$program"; do
    if [ "$seconds" -eq 20 ]; then kill -s KILL "$program"; exit; fi
    # In the background, because a shell hears a signal while it waits but not while a command of its own runs.
    sleep 1 &
    nap=$!
    wait "$nap"
    seconds=$((seconds + 1))
  done
) 2>/dev/null &
watcher=$!
exec 3<&-

wait "$program"
status=$?
{
  kill "$watcher"
  wait "$watcher"
} 2>/dev/null
exit "$status"
