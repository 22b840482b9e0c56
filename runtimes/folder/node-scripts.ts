/**
 * The scripts beside nodes. They need bash and the basic tools only, no ps, no awk; a process is
 * known by its number and by the folder it runs in. Source: generator 6.5, 11
 */

/** Where the program that writes a folder was started from. */
export interface ProgramPlace {
  /** The JavaScript runtime. */
  readonly runtime: string;
  /** The program's entry. */
  readonly entry: string;
}

const IS_RUNNING = `cd "$(dirname "\${BASH_SOURCE[0]}")" || exit 1
name=\${PWD##*/}
green= red= plain=
if [ -t 1 ] && [ -z "\${NO_COLOR:-}" ]; then
  green=$'\\e[32m' red=$'\\e[31m' plain=$'\\e[0m'
fi

is_running() {
  pid=
  [ -f node.pid ] && read -r pid < node.pid
  case "$pid" in '' | *[!0-9]*) return 1 ;; esac
  kill -0 "$pid" 2> /dev/null || return 1
  # Another process may have that number by now.
  [ ! -e /proc/self/cwd ] || [ "/proc/$pid/cwd" -ef . ]
}
`;

/** start.sh: exit code 0 when the node runs, and when it ran before. */
export const START_SCRIPT = `#!/usr/bin/env bash
# Starts the node of this folder and waits until it says that it is running.
${IS_RUNNING}
if is_running; then
  echo "$name is running, pid is $pid"
  exit 0
fi
touch nohup.out
before=$(wc -c < nohup.out)
nohup ./chain-node start -c config.ini >> nohup.out 2>&1 < /dev/null &
pid=$!
echo "$pid" > node.pid
for ((try = 0; try < 80; try++)); do
  sleep 0.25
  said=$(tail -c +$((before + 1)) nohup.out)
  is_running || break
  if [[ $'\\n'"$said" == *$'\\n'"running  "* ]]; then
    echo "$green$name start successfully, pid is $pid$plain"
    # Groups that could not start; the node serves the others.
    while read -r line; do
      [[ "$line" == FAILED* ]] && echo "$red$name: $line$plain"
    done <<< "$said"
    exit 0
  fi
done
if is_running; then
  echo "$red$name has not said within 20 s that it is running; see $PWD/nohup.out$plain"
else
  rm -f node.pid
  echo "$red$name has ended; the end of $PWD/nohup.out:$plain"
fi
tail -n 20 nohup.out
exit 1
`;

/** stop.sh: exit code 0 when the node has ended, and when it did not run. */
export const STOP_SCRIPT = `#!/usr/bin/env bash
# Asks the node of this folder to stop, and waits until it has.
${IS_RUNNING}
if ! is_running; then
  echo "$name is not running"
  exit 0
fi
kill "$pid"
for ((try = 0; try < 48; try++)); do
  sleep 0.25
  if ! is_running; then
    rm -f node.pid
    echo "$green$name stop successfully$plain"
    exit 0
  fi
done
echo "$red$name (pid $pid) has not ended within 12 s; see $PWD/nohup.out$plain"
exit 1
`;

/** start_all.sh or stop_all.sh: all nodes of the folder at the same time. */
export function allScript(action: "start" | "stop"): string {
  return `#!/usr/bin/env bash
# Runs ${action}.sh of every node in this folder, all at the same time.
cd "$(dirname "\${BASH_SOURCE[0]}")" || exit 1
works=()
for folder in */; do
  folder=\${folder%/}
  [ -f "$folder/config.ini" ] && [ -f "$folder/${action}.sh" ] || continue
  echo "try to ${action} $folder"
  bash "$folder/${action}.sh" &
  works+=($!)
done
code=0
for work in "\${works[@]}"; do
  wait "$work" || code=1
done
exit $code
`;
}

/**
 * `chain-node` beside a node: finds the program on this host. A node's folder may be moved to
 * another host, where the program lies elsewhere.
 */
export function launcherScript({ runtime, entry }: ProgramPlace): string {
  return `#!/bin/sh
# Runs chain-node: the one that CHAIN_NODE names, the one that wrote this folder, or the PATH's.
if [ -n "\${CHAIN_NODE:-}" ]; then
  exec "$CHAIN_NODE" "$@"
fi
runtime=${quoted(runtime)}
entry=${quoted(entry)}
if [ -f "$entry" ]; then
  [ -x "$runtime" ] || runtime=node
  exec "$runtime" "$entry" "$@"
fi
if command -v chain-node > /dev/null 2>&1; then
  exec chain-node "$@"
fi
echo "chain-node is not found: install it, or set CHAIN_NODE to its path" >&2
exit 127
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
