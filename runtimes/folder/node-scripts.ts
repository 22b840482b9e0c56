/**
 * The scripts next to nodes. They need bash and the basic tools only, no ps, no awk; a process is
 * known by its number and by the folder it runs in. Source: generator 6.5, 11
 */

/** Where the program that writes a folder was started from. */
export interface ProgramPlace {
  /** The JavaScript runtime. */
  readonly runtime: string;
  /** The program's entry. */
  readonly entry: string;
}

/**
 * Which process is the node: the one of node.pid, else the one that has taken the ledgers, however
 * it was started. The number in the lock is true only of a process that has the lock file open.
 * @param home the node's folder as seen from that of the script: `.` or `..`
 */
export function findNode(home: "." | ".."): string {
  return `CDPATH= cd "$(dirname "\${BASH_SOURCE[0]}")${home === "." ? "" : "/.."}" || exit 1
${NODE_PROCESS}`;
}

/** In the node's folder: who it is, and whether it runs. */
const NODE_PROCESS = `name=\${PWD##*/}
green= red= plain=
if [ -t 1 ] && [ -z "\${NO_COLOR:-}" ]; then
  green=$'\\e[32m' red=$'\\e[31m' plain=$'\\e[0m'
fi

# Where config.ini keeps the ledgers.
data=data
while IFS=$'= \\t' read -r key value || [ -n "$key" ]; do
  value=\${value%$'\\r'}
  [ "$key" = group_data_path ] && [ -n "\${value%/}" ] && data=\${value%/}
done 2> /dev/null < config.ini

# Whether process $pid is there; it may be somebody else's.
is_alive() {
  case "$pid" in '' | *[!0-9]*) return 1 ;; esac
  kill -0 "$pid" 2> /dev/null || [ -d "/proc/$pid" ]
}

# Whether process $pid has taken the ledgers of this folder.
holds_ledgers() {
  local open holder place inode
  for open in "/proc/$pid/fd/"*; do
    [ "$open" -ef "$data/lock/LOCK" ] && return 0
  done
  [ -r /proc/locks ] && [ -f "$data/lock/LOCK" ] || return 1
  read -r inode _ <<< "$(ls -i "$data/lock/LOCK")"
  while read -r _ _ _ _ holder place _; do
    [ "$holder" = "$pid" ] && [ "\${place##*:}" = "$inode" ] && return 0
  done < /proc/locks
  return 1
}

# Sets pid.
is_running() {
  pid=
  [ -f node.pid ] && read -r pid < node.pid
  # Another process may have that number by now.
  is_alive && { [ ! -e /proc/self/cwd ] || [ "/proc/$pid/cwd" -ef . ]; } && return 0
  pid=
  [ -f "$data/lock/owner" ] && read -r pid < "$data/lock/owner"
  is_alive && holds_ledgers
}
`;

/** start.sh: exit code 0 when the node runs, and when it ran before. */
export const START_SCRIPT = `#!/usr/bin/env bash
# Starts the node of this folder and waits until it says that it is running.
${findNode(".")}
if is_running; then
  echo "$name is running, pid is $pid"
  exit 0
fi
touch nohup.out
before=$(wc -c < nohup.out)
nohup ./chain-node start -c config.ini >> nohup.out 2>&1 < /dev/null &
pid=$!
echo "$pid" > node.pid
# Several nodes that start at once on a small machine take their time.
for ((try = 1; try <= 240; try++)); do
  sleep 0.25
  ((try % 40)) || echo "$name is starting, $((try / 4)) s so far" >&2
  said=$(tail -c +$((before + 1)) nohup.out)
  is_running || break
  if [[ $'\\n'"$said" == *$'\\n'"running  "* ]]; then
    echo "$green$name start successfully, pid is $pid$plain"
    # Warnings, and groups that could not start; the node serves the others.
    while IFS= read -r line; do
      if [[ "$line" == FAILED* || "$line" =~ ^[0-9TZ:.-]+\\ (warning|error) ]]; then
        echo "$red$name: $line$plain"
      fi
    done <<< "$said"
    exit 0
  fi
done
if is_running; then
  echo "$red$name has not said within 60 s that it is running; $PWD/nohup.out says:$plain"
else
  rm -f node.pid
  said=$(tail -c +$((before + 1)) nohup.out)
  echo "$red$name has ended; $PWD/nohup.out says:$plain"
fi
tail -n 20 <<< "$said"
exit 1
`;

/** stop.sh: exit code 0 when the node has ended, and when it did not run. */
export const STOP_SCRIPT = `#!/usr/bin/env bash
# Asks the node of this folder to stop, and waits until it has.
${findNode(".")}
if ! is_running; then
  if [ ! -e /proc/self/fd ] && is_alive; then
    # This system does not show which files a process has open.
    echo "\${red}whether $name is running is unknown: there is no node.pid, and process $pid"
    echo "took its ledgers last; look at it, and end it with: kill $pid$plain"
    exit 1
  fi
  rm -f node.pid
  echo "$name is not running"
  exit 0
fi
if ! kill "$pid" 2> /dev/null; then
  echo "$red$name (pid $pid) is another user's process; stop it as that user$plain"
  exit 1
fi
for ((try = 1; try <= 240; try++)); do
  sleep 0.25
  ((try % 40)) || echo "$name is stopping, $((try / 4)) s so far" >&2
  if ! is_running; then
    rm -f node.pid
    echo "$green$name stop successfully$plain"
    exit 0
  fi
done
echo "$red$name (pid $pid) has not ended within 60 s; see $PWD/nohup.out."
echo "stop.sh once more ends it without waiting for what it writes$plain"
exit 1
`;

/** All nodes of the folder, in the order of their names. */
const EACH_NODE = `CDPATH= cd "$(dirname "\${BASH_SOURCE[0]}")" || exit 1
code=0
folders=()
works=()`;

/** The head of a loop over all nodes, in which `folder` has a script. */
function nodesWith(script: string): string {
  return `for folder in */; do
  folder=\${folder%/}
  [ -f "$folder/config.ini" ] || continue
  if [ ! -f "$folder/${script}" ]; then
    echo "$folder has no ${script}: copy the scripts of another node of this folder into it"
    code=1
    continue
  fi`;
}

/** start_all.sh: all nodes of the folder at the same time; a table of them at the end. */
export const START_ALL_SCRIPT = `#!/usr/bin/env bash
# Runs start.sh of every node in this folder, all at the same time, and sums up.
${EACH_NODE}

# The value of a key ($2) of a section ($1) in config.ini of $folder.
value_of() {
  local section= key value
  while IFS=$'= \\t' read -r key value || [ -n "$key" ]; do
    value=\${value%$'\\r'}
    case "$key" in
      '['*) section=\${key%$'\\r'} ;;
      "$2") [ "$section" = "[$1]" ] && echo "$value" && return ;;
    esac
  done < "$folder/config.ini"
  echo -
}

${nodesWith("start.sh")}
  echo "try to start $folder"
  bash "$folder/start.sh" > "$folder/.start_all.out" 2>&1 &
  works+=($!)
  folders+=("$folder")
done
if [ \${#folders[@]} = 0 ]; then
  echo "there is no node in $PWD"
  exit 1
fi
rows=()
for index in "\${!folders[@]}"; do
  folder=\${folders[$index]}
  state=running
  wait "\${works[$index]}" || { state=FAILED code=1; }
  said=$(cat "$folder/.start_all.out")
  rm -f "$folder/.start_all.out"
  echo "$said"
  pid=-
  [ "$state" = running ] && [[ "$said" =~ pid\\ is\\ ([0-9]+) ]] && pid=\${BASH_REMATCH[1]}
  [[ "$state $said" == running*": FAILED "* ]] && state='running, a group FAILED'
  rpc=$(value_of rpc jsonrpc_listen_port) channel=$(value_of rpc channel_listen_port)
  rows+=("$(printf '%-16s %8s %6s %8s %6s  %s' \\
    "$folder" "$pid" "$rpc" "$channel" "$(value_of p2p listen_port)" "$state")")
done
echo
printf '%-16s %8s %6s %8s %6s  %s\\n' node pid rpc channel p2p state
printf '%s\\n' "\${rows[@]}"
exit $code
`;

/** stop_all.sh: all nodes of the folder at the same time. */
export const STOP_ALL_SCRIPT = `#!/usr/bin/env bash
# Runs stop.sh of every node in this folder, all at the same time.
${EACH_NODE}
${nodesWith("stop.sh")}
  echo "try to stop $folder"
  bash "$folder/stop.sh" &
  works+=($!)
  folders+=("$folder")
done
for index in "\${!works[@]}"; do
  wait "\${works[$index]}" && continue
  echo "\${folders[$index]} has not been stopped"
  code=1
done
exit $code
`;

/**
 * How glibc keeps memory for a node. By itself it gives each of a dozen threads memory of its own
 * and keeps ever larger pieces, so that a node at a steady load grows for hours although it holds
 * no more. Other C libraries do not read this.
 */
export const NODE_ENVIRONMENT = {
  MALLOC_ARENA_MAX: "2",
  /** Naming it also stops the size from growing above which memory is given back at once. */
  MALLOC_TRIM_THRESHOLD_: "131072",
} as const;

const SET_ENVIRONMENT = Object.entries(NODE_ENVIRONMENT)
  .map(([name, value]) => `export ${name}="\${${name}:-${value}}"`)
  .join("\n");

/** The folder that a launcher looks for: the program with all that it needs but Node.js. */
export const PROGRAM_FOLDER = "chain-node.d";
/** Below a package, and below {@link PROGRAM_FOLDER}: what the launchers run. */
export const PROGRAM_ENTRY = "dist/node/main.js";
/** What {@link PROGRAM_FOLDER} is called while another one takes its place. */
export const FORMER_ENDING = ".old";

/** Sets `home` to the folder of the script, behind links to it. */
const FIND_HOME = `self=$0
case "$self" in */*) ;; *) self=./$self ;; esac
while [ -h "$self" ] && target=$(readlink "$self"); do
  case "$target" in /*) self=$target ;; *) self=\${self%/*}/$target ;; esac
done
home=\${self%/*}`;

/**
 * Before the program's first line SIGUSR1 would open the engine's inspector. Of an address that no
 * host has (RFC 5737), it cannot.
 */
const NO_INSPECTOR = "--inspect-port=192.0.2.1:65535";

/** Tells a program that a launcher runs where there is an installation on this host: its entry. */
export const INSTALLED_VARIABLE = "CHAIN_NODE_INSTALLED";

/** What a launcher runs, and where it looks besides. */
export interface LauncherOptions {
  /** The command of chain-node that it is, such as `console`; the program itself when absent. */
  readonly command?: string;
  /** Folders that may hold the program folder, from the script's own; that and the one above. */
  readonly places?: readonly string[];
  /** A variable that the program finds the absolute path of the script's folder in. */
  readonly tells?: string;
}

/** How every launcher begins, whatever version has written it. */
const LAUNCHER_HEAD = `#!/bin/sh
# Runs chain-node:`;

/** Whether a text is that of a launcher, of this version or another. */
export function isLauncher(text: string): boolean {
  return text.startsWith(LAUNCHER_HEAD);
}

/**
 * `chain-node` next to a node: finds the program on this host. A node's folder may be moved to
 * another host, where the program lies elsewhere; a program folder next to the nodes of an agency
 * is preferred to an installation, so that replacing that folder upgrades them all. Needs sh and
 * Node.js and no other program. Source: generator 11
 */
export function launcherScript(place: ProgramPlace, options: LauncherOptions = {}): string {
  const { command, places = ["", "/.."], tells } = options;
  const given = command === undefined ? '"$@"' : `${command} "$@"`;
  const folders = places.map((folder) => `"$home${folder}/${PROGRAM_FOLDER}"`).join(" ");
  return `${LAUNCHER_HEAD} the one that CHAIN_NODE names;
# ${PROGRAM_FOLDER} next to this file, or one level up; the installation that wrote this file; or
# the PATH's.
${SET_ENVIRONMENT}
${FIND_HOME}
${tells === undefined ? "" : `${tells}=$(CDPATH= cd "$home" && pwd) || exit 1\nexport ${tells}\n`}
if [ -n "\${CHAIN_NODE:-}" ]; then
  program=$CHAIN_NODE
  if ! command -v "$program" > /dev/null 2>&1; then
    echo "CHAIN_NODE names $program, which is no program" >&2
    exit 127
  fi
  # What it runs may be a launcher as well.
  unset CHAIN_NODE
  exec "$program" ${given}
fi
runtime=${quoted(place.runtime)}
entry=${quoted(place.entry)}
[ -x "$runtime" ] || runtime=node
# What it has besides the program, such as compilers, can be used too.
[ -f "$entry" ] && export ${INSTALLED_VARIABLE}="$entry"

# Runs the program whose entry is $1.
run() {
  file=$1
  shift
  if ! command -v "$runtime" > /dev/null 2>&1; then
    echo "Node.js is not found: install it, or put its folder on the PATH" >&2
    exit 127
  fi
  exec "$runtime" ${NO_INSPECTOR} "$file" "$@"
}

for folder in ${folders}; do
  # The former one serves while another takes its place.
  for each in "$folder" "$folder${FORMER_ENDING}"; do
    [ -f "$each/${PROGRAM_ENTRY}" ] && run "$each/${PROGRAM_ENTRY}" ${given}
  done
done
[ -f "$entry" ] && run "$entry" ${given}
# The PATH's may be a link to this file.
if [ -z "\${CHAIN_NODE_SOUGHT:-}" ] && command -v chain-node > /dev/null 2>&1; then
  export CHAIN_NODE_SOUGHT=1
  exec chain-node ${given}
fi
echo "chain-node is not found: put ${PROGRAM_FOLDER} next to $home or into it," >&2
echo "install chain-node, or set CHAIN_NODE to its path" >&2
exit 127
`;
}

/** A text as one word of a command that people copy; in quotes only where a shell needs them. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : quoted(text);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
