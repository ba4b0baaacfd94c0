# Runs a program that must not outlive its parent: sh -c "$(cat guard.sh)" guard <signal> <command> <arguments…>
#
# Standard input is a pipe that the parent holds open. The shell waits for the program to end or for the pipe to close.
# When the pipe closes, the shell sends the signal, and kills the program if it does not stop within 20 s.
# Standard output is one line, the program's PID. All other output goes to standard error.

signal=$1
shift

# The program's files, such as Temporal's database, must be readable by their owner only.
umask 077

# A shell gives background commands /dev/null as input, so the pipe moves to descriptor 3.
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
    # Sleeps in the background, because a shell handles signals while it waits, but not while it runs a command.
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
