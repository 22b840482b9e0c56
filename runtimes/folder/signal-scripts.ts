/** The scripts that have a running node read files again. Source: generator 8; groups 4 */
import { findNode } from "./node-scripts.ts";

/** Waits until the node has taken the file $signal, which it looks for ten times a second. */
const SEND_SIGNAL = `touch "$signal"
for ((try = 1; try <= 40; try++)); do
  [ -e "$signal" ] || break
  sleep 0.25
done
if [ -e "$signal" ]; then
  echo "$red$name has not taken $signal within 10 s; see $PWD/nohup.out$plain"
  exit 1
fi`;

/** scripts/load_new_groups.sh: new groups are registered; startGroup starts them. */
export const LOAD_NEW_GROUPS_SCRIPT = `#!/usr/bin/env bash
# Has the running node of this folder load the groups whose files were added to its conf folder.
${findNode("..")}
if ! is_running; then
  echo "$name is not running: start.sh starts it"
  exit 0
fi
echo "$name is loading new groups"
signal=config.ini.append_group
${SEND_SIGNAL}
# A group that was never started waits for startGroup.
for folder in "$data"/group*/; do
  id=\${folder%/} id=\${id##*/group}
  case "$id" in '' | *[!0-9]*) continue ;; esac
  [ -d "$folder" ] || continue
  [ -e "$folder/.group_status" ] || printf STOPPED > "$folder/.group_status"
done
echo "$green$name has loaded its new groups; startGroup starts them$plain"
`;

/** scripts/reload_sdk_allowlist.sh. Source: generator 8, 10.1 */
export const RELOAD_ALLOWLIST_SCRIPT = `#!/usr/bin/env bash
# Has the running node of this folder read the [sdk_allowlist] of its groups again.
${findNode("..")}
if ! is_running; then
  echo "$name is not running: start.sh starts it with the lists that are there"
  exit 0
fi
signal=config.ini.reset_allowlist
${SEND_SIGNAL}
echo "$green$name has read its SDK allow lists again$plain"
`;

/** scripts/reload_whitelist.sh: the list is checked before the node is told. */
export const RELOAD_WHITELIST_SCRIPT = `#!/usr/bin/env bash
# Checks the whitelist of config.ini and has the running node of this folder read it again.
${findNode("..")}
# Names of keys and the IDs behind them.
entry='^[[:blank:]]*(cal\\.[^=[:blank:]]*)[[:blank:]]*=[[:blank:]]*([^[:blank:]]*)[[:blank:]]*$'
keys=' ' number=0 bad=()
while IFS= read -r line || [ -n "$line" ]; do
  number=$((number + 1)) line=\${line%$'\\r'}
  [[ "$line" =~ ^[[:blank:]]*cal\\. ]] || continue
  if [[ "$line" =~ $entry ]]; then
    key=\${BASH_REMATCH[1]} id=\${BASH_REMATCH[2]}
    if [ \${#id} = 128 ] && [[ "$id" != *[!0-9a-fA-F]* ]] && [[ "$keys" != *" $key "* ]]; then
      keys="$keys$key "
      continue
    fi
  fi
  bad+=("line $number: $line")
done < config.ini
if [ \${#bad[@]} != 0 ]; then
  echo "\${red}the whitelist in $PWD/config.ini is not taken over: each line is cal.<i>=<node ID>"
  echo "with 128 hexadecimal digits, and each cal.<i> stands there once$plain"
  printf '%s\\n' "\${bad[@]}"
  exit 1
fi
if ! is_running; then
  echo "$name is not running: start.sh starts it with this whitelist"
  exit 0
fi
signal=config.ini.reset_certificate_whitelist
${SEND_SIGNAL}
echo "$green$name has read its whitelist again$plain"
`;
