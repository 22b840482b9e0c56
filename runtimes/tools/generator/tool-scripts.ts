/**
 * The scripts of the tool folder and of a folder of nodes: thin, plain and readable, over commands
 * of chain-node. They need bash and the basic tools. Source: generator 1, 6, 10
 */
import type { FileToWrite } from "../../folder/whole-files.ts";

/** Oldest Node.js that runs the program; `engines` of package.json says the same. */
export const LEAST_NODE = { major: 20, minor: 19 } as const;

/** Sets `home` to the folder above that of the script, and `program` to what runs chain-node. */
const FIND_PROGRAM = `home=$(CDPATH= cd "$(dirname "\${BASH_SOURCE[0]}")/.." && pwd) || exit 1

# The program of this folder or of its nodes, else the PATH's.
program=chain-node
for each in "$home"/chain-node "$home"/meta/chain-node "$home"/node*/chain-node \\
  "$home"/../meta/chain-node; do
  if [ -f "$each" ] && [ -x "$each" ]; then
    program=$each
    break
  fi
done
if ! command -v "$program" > /dev/null 2>&1; then
  echo "ERROR | chain-node is not found in $home and on the PATH: install it" >&2
  exit 127
fi`;

/**
 * scripts/install.sh: checks Node.js, links the commands, and proves that they run. Source:
 * interface 4.3; generator 11
 */
export const INSTALL_SCRIPT = `#!/usr/bin/env bash
# Checks Node.js, links the commands of this folder, and shows that they run. It uses no network.
# Administrator rights are asked for only where the folder of commands is not writable.
home=$(CDPATH= cd "$(dirname "\${BASH_SOURCE[0]}")/.." && pwd) || exit 1

say() { echo "INFO | $1" >&2; }
fail() {
  echo "ERROR | $1" >&2
  exit 1
}

wanted="Node.js ${LEAST_NODE.major}.${LEAST_NODE.minor} or newer"
next="install it from https://nodejs.org, then run this again"
if ! command -v node > /dev/null 2>&1; then
  fail "Node.js is not found: $wanted is needed; $next"
fi
version=$(node -v) || fail "node -v fails: install Node.js anew"
IFS=. read -r major minor _ <<< "\${version#v}"
least=${LEAST_NODE.major} part=${LEAST_NODE.minor}
if ((major < least || (major == least && minor < part))); then
  fail "$wanted is needed, this is $version; $next"
fi
say "Node.js $version is new enough"

# The commands that this folder has: the tool's own, and the program of nodes.
names=() files=()
for each in generator:generator chain-node:chain-node chain-node:meta/chain-node; do
  file=$home/\${each#*:} name=\${each%%:*}
  [ -f "$file" ] && [ -x "$file" ] || continue
  case " \${names[*]} " in *" $name "*) continue ;; esac
  names+=("$name")
  files+=("$file")
done

# Where commands go: where npm puts them, or the user's own.
commands=
if command -v npm > /dev/null 2>&1; then
  prefix=$(npm prefix -g 2> /dev/null) && [ -n "$prefix" ] && commands=$prefix/bin
fi
own=\${HOME:-}/.local/bin
rights=()
is_writable() { mkdir -p "$1" 2> /dev/null && [ -w "$1" ]; }
if [ -z "$commands" ]; then
  [ -n "\${HOME:-}" ] || fail "neither npm nor HOME says where commands go: set HOME"
  commands=$own
fi
if [ \${#names[@]} != 0 ] && ! is_writable "$commands"; then
  if command -v sudo > /dev/null 2>&1; then
    say "$commands is not writable: administrator rights are asked for"
    rights=(sudo)
    "\${rights[@]}" mkdir -p "$commands" || fail "$commands cannot be made"
  elif [ -n "\${HOME:-}" ] && is_writable "$own"; then
    say "$commands is not writable and there is no sudo: $own is used"
    commands=$own
  else
    fail "$commands is not writable, and there is no sudo: run this as a user who may write there"
  fi
fi

# Whether $link leads to $file or to another launcher that the tool has written.
is_ours() {
  [ -L "$link" ] || return 1
  [ "$link" -ef "$file" ] && return 0
  local line=
  { read -r _ && read -r line; } 2> /dev/null < "$link"
  [[ "$line" == '# Runs chain-node:'* ]]
}

for index in "\${!names[@]}"; do
  link=$commands/\${names[$index]} file=\${files[$index]}
  if [ -e "$link" ] && ! is_ours; then
    say "$link is another program and stays"
    continue
  fi
  "\${rights[@]}" ln -sfn "$file" "$link" || fail "$link cannot be made"
  say "$link runs $file"
done
case ":$PATH:" in
  *":$commands:"*) ;;
  *)
    path="$commands:\\$PATH"
    [ \${#names[@]} = 0 ] || say "put $commands on the PATH: export PATH=\\"$path\\""
    ;;
esac

# What was linked runs.
if [ -x "$home/generator" ]; then
  help=$("$home/generator" -h) || fail "$home/generator does not run: see above"
  case "$help" in
    'usage: generator'*) ;;
    *) fail "$home/generator -h says no usage: fetch the tool anew" ;;
  esac
  printf '%s\\n' "$help"
  exit 0
fi
for each in "\${files[@]}" "$home"/node*/chain-node; do
  [ -x "$each" ] || continue
  "$each" -v || fail "$each does not run: see above"
  exit 0
done
fail "$home has neither the tool nor a node: run this in a folder that the tool has written"
`;

/** scripts/pack.sh. Source: generator 10.3 */
export const PACK_SCRIPT = `#!/usr/bin/env bash
# Packs the nodes of a folder for other hosts, and there leaves the nodes of one host.
usage() {
  cat << 'END'
usage: pack.sh -p -d DIR         write DIR.tar.gz: all nodes with one copy of the program
       pack.sh -c -i IP -d DIR   in an unpacked DIR, remove the nodes of other hosts
Ledgers, logs and process numbers are not packed.
END
}
fail() {
  echo "ERROR | $1" >&2
  exit 1
}
wrong() {
  echo "ERROR | $1" >&2
  usage >&2
  exit 2
}

action='' folder='' address=''
while getopts pci:d:h option; do
  case $option in
    p | c) action+=$option ;;
    i) address=$OPTARG ;;
    d) folder=$OPTARG ;;
    h)
      usage
      exit 0
      ;;
    *) wrong "see the usage" ;;
  esac
done
[ "$action" = p ] || [ "$action" = c ] || wrong "one of -p and -c is wanted"
[ -n "$folder" ] || wrong "-d names the folder of the nodes"
folder=$(CDPATH= cd "$folder" 2> /dev/null && pwd) || fail "there is no such folder: $folder"
nodes=()
for each in "$folder"/node*/; do
  [ -f "$each/config.ini" ] && nodes+=("\${each%/}")
done
[ \${#nodes[@]} != 0 ] || fail "there is no node in $folder"

if [ "$action" = p ]; then
  name=\${folder##*/}
  archive=$folder.tar.gz
  # Keys are in it.
  umask 077
  trap 'rm -f "$archive.new"' EXIT
  tar -czf "$archive.new" --exclude="$name/node*/data" --exclude="$name/node*/log" \\
    --exclude="$name/node*/nohup.out" --exclude="$name/node*/node.pid" \\
    -C "\${folder%/*}/" "$name" || fail "$archive cannot be written"
  mv "$archive.new" "$archive" || fail "$archive cannot be written"
  echo "INFO | $archive has \${#nodes[@]} nodes and their keys: keep it secret" >&2
  exit 0
fi

[ -n "$address" ] || wrong "-i names the host whose nodes stay"
stay=() leave=()
for each in "\${nodes[@]}"; do
  case "\${each##*/}" in
    # Colons of an IPv6 address are dashes in names.
    node_"\${address//:/-}"_*) stay+=("$each") ;;
    *) leave+=("$each") ;;
  esac
done
[ \${#stay[@]} != 0 ] || fail "no node of $address is in $folder: nothing was removed"
for each in "\${leave[@]}"; do
  [ -f "$each/node.pid" ] && read -r pid < "$each/node.pid" && kill -0 "$pid" 2> /dev/null &&
    fail "\${each##*/} runs here (pid $pid): nothing was removed"
  [ -d "$each/data" ] && fail "\${each##*/} has ledgers: it has run here; nothing was removed"
done
for each in "\${leave[@]}"; do
  rm -rf "$each" || fail "$each cannot be removed"
  echo "INFO | \${each##*/} is removed" >&2
done
for each in "\${stay[@]}"; do
  [ -x "$each/chain-node" ] || fail "\${each##*/} has no program chain-node: pack it anew"
done
echo "INFO | \${#stay[@]} nodes of $address stay" >&2
`;

/** scripts/check_certificates.sh. Source: generator 10.2 */
export const CHECK_CERTIFICATES_SCRIPT = `#!/usr/bin/env bash
# Checks certificates: chain-node cert check does the work.
usage() {
  cat << 'END'
usage: check_certificates.sh -t CERTIFICATE        whether it is valid now
       check_certificates.sh -v CA.CRT NODE.CRT    whether the chain's CA has signed it
END
}
${FIND_PROGRAM}

case "\${1:-} $#" in
  '-t 2') exec "$program" cert check "$2" ;;
  '-v 3') exec "$program" cert check "$3" --ca "$2" ;;
  '-h 1') usage ;;
  *)
    usage >&2
    exit 2
    ;;
esac
`;

/** check_node_config.sh. Source: generator 10.2 */
export const CHECK_NODE_CONFIG_SCRIPT = `#!/usr/bin/env bash
# Checks a node of this host: chain-node doctor does the work.
${FIND_PROGRAM}

if [ "\${1:-}" != -p ] || [ $# != 2 ]; then
  echo "usage: check_node_config.sh -p NODE_DIR" >&2
  exit 2
fi
exec "$program" doctor "$2"
`;

/** monitor/monitor.sh. Source: generator 10.3 */
export const MONITOR_SCRIPT = `#!/usr/bin/env bash
# Examines the nodes of a folder once: chain-node monitor does the work, and -h lists its options.
# For cron: */1 * * * * bash /path/to/monitor.sh -o /path/to/nodes -s https://alerts.example/chain
${FIND_PROGRAM}
exec "$program" monitor "$@"
`;

/** monitor/monitor.awk: what shells can count by themselves. Source: generator 10.3 */
export const MONITOR_AWK = `#!/usr/bin/awk -f
# Counts blocks and view changes of each group in a node's log:
#   awk -f monitor.awk log/log_*.log
# chain-node monitor -m statistics tells more.
{
  group = "?"
  if (match($0, /\\[g:[0-9]+\\]/)) group = substr($0, RSTART + 3, RLENGTH - 4)
  else if (match($0, /"group":[0-9]+/)) group = substr($0, RSTART + 8, RLENGTH - 8)
}
/\\+\\+\\+/ { sealing[group]++; known[group] = 1 }
/\\^\\^\\^\\^/ { written[group]++; known[group] = 1 }
/ViewChangeWarning/ { changes[group]++; known[group] = 1 }
END {
  for (group in known)
    printf "group %s: %d proposals, %d blocks written, %d view changes\\n", \\
      group, sealing[group], written[group], changes[group]
}
`;

/** scripts/monitor.sh of a node that build_chain.sh has written. Source: generator 10.3 */
export const NODE_MONITOR_SCRIPT = `#!/usr/bin/env bash
# Examines the node of the folder once, and starts it if it does not run: chain-node monitor does
# the work. For cron: */1 * * * * bash /path/to/node0/scripts/monitor.sh
${FIND_PROGRAM}

folder=$home
[ "\${1:-}" = -d ] && [ -n "\${2:-}" ] && folder=$2 && shift 2
exec "$program" monitor -o "$folder" -R "$@"
`;

/** build_chain.sh. Source: generator 10.1 */
export const BUILD_CHAIN_SCRIPT = `#!/usr/bin/env bash
# Writes the nodes of a chain by the hosts that they go to; -h lists the options.
${FIND_PROGRAM}
export CHAIN_NODE_TOOL=$home
exec "$program" generator build-chain "$@"
`;

/** gen_agency_cert.sh. Source: generator 10.1 */
export const GEN_AGENCY_CERT_SCRIPT = `#!/usr/bin/env bash
# Makes an agency's key and certificate in the folder of its chain.
usage() {
  cat << 'END'
usage: gen_agency_cert.sh -c CHAIN_DIR -a AGENCY_NAME [-g GM_CHAIN_DIR] [-X DAYS]
END
}
${FIND_PROGRAM}

chain='' name='' national='' days=3650
while getopts c:a:g:X:h option; do
  case $option in
    c) chain=$OPTARG ;;
    a) name=$OPTARG ;;
    g) national=$OPTARG ;;
    X) days=$OPTARG ;;
    h) usage && exit 0 ;;
    *) usage >&2 && exit 2 ;;
  esac
done
if [ -z "$name" ] || [ -z "$chain$national" ]; then
  usage >&2
  exit 2
fi
make() {
  "$program" generator --generate_agency_certificate "$1" "$1" "$name" --days "$days" "\${@:2}"
}
# A national chain has the agency of its SDK ports next to the other one.
[ -n "$national" ] && [ "$chain" -ef "$national" ] && chain=
if [ -n "$chain" ]; then make "$chain" || exit; fi
if [ -n "$national" ]; then make "$national" -g || exit; fi
`;

/** gen_node_cert.sh. Source: generator 10.1 */
export const GEN_NODE_CERT_SCRIPT = `#!/usr/bin/env bash
# Makes the key and the certificate of a node in OUT/conf, or with -s those of an SDK in OUT.
usage() {
  cat << 'END'
usage: gen_node_cert.sh -c AGENCY_DIR -o OUT [-g GM_AGENCY_DIR] [-s] [-X DAYS]
AGENCY_DIR has agency.crt, agency.key and ca.crt; on a national chain those of -g are enough.
END
}
${FIND_PROGRAM}

agency='' national='' out='' kind=node days=3650
while getopts c:o:g:sRX:h option; do
  case $option in
    c) agency=$OPTARG ;;
    # It has the agency of SDK ports as well.
    g) national=$OPTARG ;;
    o) out=\${OPTARG%/} ;;
    s) kind=sdk ;;
    # Certificates are ECDSA in any case.
    R) ;;
    X) days=$OPTARG ;;
    h) usage && exit 0 ;;
    *) usage >&2 && exit 2 ;;
  esac
done
if [ -z "$out" ] || [ -z "$agency$national" ]; then
  usage >&2
  exit 2
fi
target=$out name=sdk words=("\${national:-$agency}")
[ "$kind" = node ] && target=$out/conf name=\${out##*/} words+=("\${out##*/}")
[ -n "$national" ] && words+=(-g)
if [ -e "$target" ]; then
  echo "ERROR | $target exists already: choose another folder with -o" >&2
  exit 1
fi
# Made whole under another name first.
part=$out.$$.new
trap 'rm -rf "$part"' EXIT
"$program" generator "--generate_\${kind}_certificate" "$part" "\${words[@]}" --days "$days" || exit
mkdir -p "$(dirname "$target")" && mv "$part/$name" "$target" || exit 1
echo "INFO | the files are in $target" >&2
`;

/** The scripts that the tool folder has. Source: generator 1 */
export function toolScripts(): FileToWrite[] {
  return [
    { path: "scripts/install.sh", text: INSTALL_SCRIPT, use: "script" },
    { path: "scripts/pack.sh", text: PACK_SCRIPT, use: "script" },
    { path: "scripts/check_certificates.sh", text: CHECK_CERTIFICATES_SCRIPT, use: "script" },
    { path: "scripts/check_node_config.sh", text: CHECK_NODE_CONFIG_SCRIPT, use: "script" },
    { path: "scripts/build_chain.sh", text: BUILD_CHAIN_SCRIPT, use: "script" },
    { path: "scripts/gen_agency_cert.sh", text: GEN_AGENCY_CERT_SCRIPT, use: "script" },
    { path: "scripts/gen_node_cert.sh", text: GEN_NODE_CERT_SCRIPT, use: "script" },
    { path: "scripts/monitor/monitor.sh", text: MONITOR_SCRIPT, use: "script" },
    { path: "scripts/monitor/monitor.awk", text: MONITOR_AWK, use: "text" },
  ];
}

/** The scripts that a folder of nodes has next to start_all.sh. Source: generator 6 */
export function nodesScripts(): FileToWrite[] {
  return [
    { path: "scripts/install.sh", text: INSTALL_SCRIPT, use: "script" },
    { path: "scripts/pack.sh", text: PACK_SCRIPT, use: "script" },
    { path: "monitor/monitor.sh", text: MONITOR_SCRIPT, use: "script" },
    { path: "monitor/monitor.awk", text: MONITOR_AWK, use: "text" },
  ];
}
