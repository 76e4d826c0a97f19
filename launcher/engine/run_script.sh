# ---- on each host ------------------------------------------------------------------------------
# `sh run.sh --host NUMBER FOLDER RUN LISTEN LINK`: a host's part of the run. It starts what its
# standard input names, tells on its standard output how that fares, and ends all of it when its
# input ends, whatever ended it.

say() { printf '%s\n' "$*"; }

await_ready() { # NUMBER PID
  describe "$1"
  while kill -0 "$2" 2>/dev/null && [ ! -e "$folder/$1.end" ]; do
    case $ready in
      started) break ;;
      line) grep -qxF -e "$text" "$logs/$log" 2>/dev/null && break ;;
      output) grep -qF -e "$text" "$logs/$log" 2>/dev/null && break ;;
      socket) grep -qF -e " $text" /proc/net/unix && break ;;
      port) grep -qE ":$text [0-9A-F]+:0000 0A" /proc/net/tcp /proc/net/tcp6 2>/dev/null && break ;;
      delay) sleep "$text" && break ;;
      joined) return ;; # the RTI tells
    esac
    sleep 0.1
  done
  [ -e "$folder/$1.end" ] || say "ready $1"
}

watch_process() { # NUMBER
  describe "$1"
  while [ "$delay" -gt 0 ]; do # in tenths of a second
    sleep 0.1
    delay=$((delay - 1))
    [ -d "$folder" ] && [ ! -e "$folder/ending" ] || return
  done
  [ ! -e "$folder/ending" ] || return
  execute "$1" >>"$logs/$log" 2>&1 </dev/null &
  child=$!
  echo "$child" >"$folder/$1.pid"
  say "started $1 $child"
  await_ready "$1" "$child" &
  wait "$child"
  code=$?
  echo "$code" >"$folder/$1.end"
  say "ended $1 $code"
}

# Each process leads a group of its own, so that its children are ended with it.
signal_processes() { # SIGNAL federates|all
  left=
  for file in "$folder"/*.pid; do
    [ -e "$file" ] || continue
    number=${file##*/}
    number=${number%.pid}
    describe "$number"
    [ "$2" = all ] || [ "$kind" = federate ] || continue
    pid=$(cat "$file")
    if kill -s "$1" -- "-$pid" 2>/dev/null; then
      left="$left $number"
    elif [ ! -e "$folder/$number.end" ] && kill -s "$1" "$pid" 2>/dev/null; then
      left="$left $number" # it does not lead its group yet
    fi
  done
  [ -n "$left" ]
}

end_processes() { # federates|all
  : >"$folder/ending"
  signal_processes TERM "$1" || return 0
  tries=$grace_tenths
  while [ "$tries" -gt 0 ] && signal_processes 0 "$1"; do
    sleep 0.1
    tries=$((tries - 1))
  done
  signal_processes KILL "$1"
}

# Those that have left their group carry the run in their environment.
end_strays() {
  for round in 1 2 3; do
    strays=$(grep -lzxF "TUTTI_SCRIPT_RUN=$run" /proc/[0-9]*/environ 2>/dev/null)
    [ -n "$strays" ] || return 0
    for file in $strays; do
      number=${file#/proc/}
      kill -s KILL "${number%/environ}" 2>/dev/null
    done
    [ "$round" = 3 ] || sleep 0.1
  done
}

leave_host() {
  trap '' HUP TERM
  end_processes all
  end_strays
  # The folder holds the key. That of this machine is the caller's, as long as there is one.
  if [ "$host" != 0 ] || ! kill -0 "$caller" 2>/dev/null; then rm -rf "$folder"; fi
}

# A cable that is cut ends nothing by itself: the caller says every two seconds that it is there.
mind_silence() { # PROCESS
  nap=
  trap 'kill $nap 2>/dev/null; exit 0' TERM
  missed=0
  while kill -0 "$1" 2>/dev/null; do
    sleep 3 &
    nap=$!
    wait "$nap"
    missed=$((missed + 3))
    if [ -e "$folder/alive" ]; then
      rm -f "$folder/alive"
      missed=0
    elif [ "$missed" -gt "$silence" ]; then
      leave_host
      kill -s KILL "$1"
      return
    fi
  done
}

serve_host() {
  trap 'exit 0' HUP TERM
  trap leave_host EXIT
  umask 077
  mkdir -p "$logs"
  say "logs $logs"
  silent=
  if [ "$host" != 0 ]; then
    mind_silence $$ >/dev/null 2>&1 &
    silent=$!
  fi
  while read -r word number; do
    case $word in
      start) watch_process "$number" & ;;
      alive) : >"$folder/alive" ;;
      end)
        end_processes federates
        say "left"
        ;;
      quit) break ;;
    esac
  done
  if [ -n "$silent" ]; then
    kill "$silent" 2>/dev/null
    wait "$silent"
  fi
}

# ---- on this machine ---------------------------------------------------------------------------

complain() { printf '%s: %s\n' "$script" "$*" >&2; }

usage() {
  cat <<TEXT
sh run.sh [SECONDS]   runs the federation execution $federation; ends it so long after all were ready
It takes its logs to TUTTI_LOGS, else to a new folder below ~/.local/state/tutti/runs.
TEXT
}

# Nothing on this machine uses the port, for TCP or UDP, and no run of Tutti is about to.
is_free() { # PORT
  if grep -q "@tutti-home-port-$1\$" /proc/net/unix; then return 1; fi
  ! cat /proc/net/tcp /proc/net/tcp6 /proc/net/udp /proc/net/udp6 2>/dev/null |
    grep -q ":$(printf %04X "$1") [0-9A-F]*:"
}

# A free port. Each script begins elsewhere in the range: the port is not held until the home listens.
choose_port() {
  ports=$((last_port - first_port + 1))
  tried=0
  while [ "$tried" -lt "$ports" ]; do
    port=$((first_port + ($$ + tried) % ports))
    if is_free "$port"; then return 0; fi
    tried=$((tried + 1))
  done
  complain "no port from $first_port to $last_port is free for the home"
  return 1
}

with_port() { # ADDRESS
  case $1 in
    *:*) echo "[$1]:$port" ;;
    *) echo "$1:$port" ;;
  esac
}

# What a host lacks is said for all hosts, and then nothing is started anywhere.
prepare_hosts() {
  prepared=yes
  check_files 0 || prepared=no
  seen_as=
  for host in $other_hosts; do
    command="umask 077; d=\$(mktemp -d \"\${TMPDIR:-/tmp}/tutti-run.XXXXXX\") || exit 1"
    command="$command; cat >\"\$d/run.sh\" && sh \"\$d/run.sh\" --check $host"
    command="$command && echo \"at \$d \${SSH_CONNECTION%% *}\" || { rm -rf \"\$d\"; exit 1; }"
    if answer=$(reach "$host" "exec sh -c '$command'" <"$script"); then
      answer=$(printf '%s\n' "$answer" | grep '^at ' | tail -n 1)
      answer=${answer#at }
      echo "${answer%% *}" >"$work/$host.folder"
      address=${home_address:-${answer##* }}
      echo "$address" >"$work/$host.sees"
      case $seen_as in
        "" | "$address") seen_as=$address ;;
        *) seen_as=0.0.0.0 ;;
      esac
    else
      complain "$(host_name "$host") cannot be used; its answer is above. Nothing was started."
      prepared=no
    fi
  done
  [ "$prepared" = yes ]
}

drop_hosts() {
  trap '' INT TERM HUP
  for host in $other_hosts; do
    [ -e "$work/$host.folder" ] && reach "$host" "rm -rf '$(cat "$work/$host.folder")'" </dev/null
  done
}

give_key() {
  [ -n "$other_hosts" ] || return 0
  "$rti" --make-key "$work/key" >/dev/null || return 1
  for host in $other_hosts; do
    reach "$host" "exec sh -c 'umask 077; cat >\"$(cat "$work/$host.folder")/key\"'" \
      <"$work/key" || return 1
  done
}

# Words for a host are appended to a file; `tail` ends with this process, however that ends, and so
# does the host's part of the run.
begin_hosts() {
  listen=
  [ -z "$other_hosts" ] || listen=$(with_port "$seen_as")
  for host in 0 $other_hosts; do
    : >"$work/$host.said"
    : >"$work/$host.heard"
    mkfifo "$work/$host.words"
  done
  for host in 0 $other_hosts; do
    begun="$begun $host"
    tail -n +1 -s 0.2 --pid=$$ -f "$work/$host.said" >"$work/$host.words" 2>/dev/null &
    tails="$tails $!"
    if [ "$host" = 0 ]; then
      {
        TUTTI_LOGS=$logs sh "$script" --host 0 "$work" "$run" "$listen" "" $$
        say over
      } <"$work/0.words" >"$work/0.heard" 2>"$work/0.errors" &
    else
      {
        there=$(cat "$work/$host.folder")
        link=$(with_port "$(cat "$work/$host.sees")")
        reach "$host" "exec sh '$there/run.sh' --host $host '$there' '$run' '' '$link' 0"
        say over
      } <"$work/$host.words" >"$work/$host.heard" 2>"$work/$host.errors" &
    fi
  done
}

tell() { # HOST WORDS
  hosts_told=$1
  shift
  printf '%s\n' "$*" >>"$work/$hosts_told.said"
}

# Marks what the hosts have told: NUMBER.ready, NUMBER.gone (with the exit code), HOST.over ...
hear() {
  for host in 0 $other_hosts; do
    while read -r word number code; do
      case $word in
        started) [ -e "$work/$number.begun" ] || : >"$work/$number.begun" ;;
        ready) : >"$work/$number.ready" ;;
        ended) echo "$code" >"$work/$number.gone" ;;
        left) : >"$work/$host.left" ;;
        logs) echo "$number${code:+ $code}" >"$work/$host.logs" ;;
        over) : >"$work/$host.over" ;;
      esac
    done <"$work/$host.heard"
  done
}

ask_who_joined() {
  asked=no
  for number in $processes; do
    [ -e "$work/$number.begun" ] || continue
    [ ! -e "$work/$number.ready" ] || continue
    describe "$number"
    [ "$ready" = joined ] || continue
    if [ "$asked" = no ]; then
      "$rti" --status --shm "$run" --json >"$work/status" 2>/dev/null || return 0
      asked=yes
    fi
    grep -qF -e "\"name\": $text" "$work/status" && : >"$work/$number.ready"
  done
}

is_ready() { # NUMBERS
  for each in $1; do [ -e "$work/$each.ready" ] || return 1; done
}

start_what_is_due() {
  for number in $processes; do
    [ ! -e "$work/$number.asked" ] || continue
    describe "$number"
    is_ready "$waits" || continue
    : >"$work/$number.asked"
    now >"$work/$number.since"
    tell "$host_of" "start $number"
  done
}

now() { date +%s%N; } # nanoseconds

# Why the run has to stop, in `reason`; nothing: it goes on.
review() {
  reason=
  pending=no
  settled=yes
  for number in $processes; do
    describe "$number"
    if [ -e "$work/$number.gone" ]; then
      code=$(cat "$work/$number.gone")
      if [ "$kind" != federate ] && [ "$kind" != node ]; then
        outcome=1
        reason="the RTI node ended with exit code $code"
      elif [ "$code" != 0 ] || [ "$kind" = node ]; then
        if [ ! -e "$work/$number.told" ]; then
          : >"$work/$number.told"
          complain "$name ended with exit code $code; its log is $log on $(host_name "$host_of")"
        fi
        [ "$outcome" = 2 ] || outcome=1
        [ "$required" = no ] || reason="$name ended with exit code $code"
      fi
      continue
    fi
    [ "$kind" != federate ] || pending=yes
    if [ ! -e "$work/$number.ready" ]; then
      settled=no
      if [ -e "$work/$number.since" ] && [ ! -e "$work/$number.late" ] &&
        [ $((($(now) - $(cat "$work/$number.since")) / 1000000000)) -ge "$patience" ]; then
        : >"$work/$number.late"
        complain "$name is not ready after $patience s; its log is $log on $(host_name "$host_of")"
        if [ "$kind" != federate ]; then
          outcome=2
          reason="$name did not get ready"
        fi
      fi
      [ ! -e "$work/$number.late" ] || settled=yes
    fi
  done
  for host in $other_hosts; do
    if [ -e "$work/$host.over" ] && [ ! -e "$work/$host.lost" ]; then
      : >"$work/$host.lost"
      outcome=1
      complain "$(host_name "$host") is lost: $(tail -n 1 "$work/$host.errors")"
      host_is_required "$host" && reason="$(host_name "$host") is lost"
      for number in $processes; do
        describe "$number"
        [ "$host_of" != "$host" ] || [ -e "$work/$number.gone" ] || echo lost >"$work/$number.gone"
      done
    fi
  done
  if [ -e "$work/0.over" ]; then
    outcome=1
    reason="what runs on this machine was ended"
  fi
  [ -z "$reason" ] || return 0
  if [ "$pending" = no ]; then
    reason="all federates have ended"
  elif grep -qxF 'stop time reached' "$logs/$home_log" 2>/dev/null; then
    reason="all federates have reached the stop time"
  elif [ "$settled" = yes ] && [ -n "$seconds" ]; then
    [ -n "$began" ] || began=$(now)
    [ $((($(now) - began) / 1000000000)) -lt "$seconds" ] || reason="$seconds s have passed"
  elif [ "$settled" = yes ] && [ -z "$began" ]; then
    began=$(now)
  fi
}

host_is_required() { # HOST
  for number in $processes; do
    describe "$number"
    [ "$host_of" = "$1" ] && [ "$kind" = federate ] && [ "$required" = yes ] &&
      [ ! -e "$work/$number.gone" ] && return 0
  done
  return 1
}

# Waits for a mark of some hosts, each tenth of a second, at most so long.
await_hosts() { # HOSTS MARK TENTHS
  tries=$3
  while [ "$tries" -gt 0 ]; do
    hear
    missing=no
    for host in $1; do
      [ -e "$work/$host.$2" ] || [ -e "$work/$host.over" ] || missing=yes
    done
    [ "$missing" = yes ] || return 0
    sleep 0.1
    tries=$((tries - 1))
  done
  return 1
}

# Federates first, then the nodes of the other hosts, the home last.
end_run() {
  trap '' INT TERM HUP
  hear
  for host in $begun; do tell "$host" end; done
  await_hosts "$begun" left $((grace_tenths + 30))
  for host in ${begun# 0}; do tell "$host" quit; done
  await_hosts "${begun# 0}" over 100 || complain "a host has not said that its part has ended"
  tell 0 quit
  await_hosts 0 over $((grace_tenths + 50))
  # shellcheck disable=SC2086 # a list of process numbers
  kill $tails 2>/dev/null
  hear
}

summary() {
  say "$federation ended: $reason"
  for number in $processes; do
    describe "$number"
    [ "$kind" = federate ] || continue
    if [ ! -e "$work/$number.begun" ]; then
      state="was not started"
    elif [ ! -e "$work/$number.gone" ]; then
      state="was ended"
    else
      state="exit code $(cat "$work/$number.gone")"
    fi
    if [ -e "$work/$number.late" ] && [ ! -e "$work/$number.ready" ]; then
      state="$state, was never ready"
      [ "$outcome" = 2 ] || outcome=1
    fi
    say "  $name: $state"
  done
  say "Logs: $logs"
  for host in $other_hosts; do
    [ -e "$work/$host.logs" ] && say "Logs of $(host_name "$host"): $(cat "$work/$host.logs")"
  done
}

close_run() {
  if [ -n "$begun" ]; then
    end_run
    summary
  else
    drop_hosts
  fi
  rm -rf "$work"
  exit "$outcome"
}

run_all() {
  outcome=2
  reason=
  tails=
  begun=
  began=
  umask 077
  work=$(mktemp -d "${TMPDIR:-/tmp}/tutti-run.XXXXXX") || exit 2
  trap close_run EXIT
  trap 'reason="it was interrupted"; exit' INT
  trap 'reason="it was asked to end"; exit' TERM HUP
  prepare_hosts || exit
  [ -z "$other_hosts" ] || choose_port || exit
  give_key || exit
  mkdir -p "$logs" || exit
  outcome=0
  begin_hosts
  ticks=0
  while :; do
    hear
    ask_who_joined
    start_what_is_due
    review
    [ -z "$reason" ] || exit
    [ $((ticks % 8)) != 0 ] || for host in $other_hosts; do tell "$host" alive; done
    ticks=$((ticks + 1))
    sleep 0.2
  done
}

script=$0
case ${1-} in
  --help | -h) usage ;;
  --check) check_files "$2" ;;
  --host)
    host=$2
    folder=$3
    run=$4
    listen=$5
    link=$6
    caller=$7
    logs=${TUTTI_LOGS:-${XDG_STATE_HOME:-$HOME/.local/state}/tutti/runs/$run}
    serve_host
    ;;
  *)
    seconds=${1:-$stop_after}
    case $seconds in
      *[!0-9]*)
        usage >&2
        exit 2
        ;;
    esac
    run=script-$(date +%Y%m%d-%H%M%S)-$$
    logs=${TUTTI_LOGS:-${XDG_STATE_HOME:-$HOME/.local/state}/tutti/runs/$run}
    run_all
    ;;
esac
