/** What the command line of the console says. Source: console 1, 6 */
import type { NamedKey } from "./account/chosen-account.ts";
import { HIGHEST_GROUP } from "./arguments.ts";
import { usageFault } from "./command.ts";

/** What the console is started for. */
export interface StartOptions {
  readonly groupId: number;
  /** The words of one command; none for a session. */
  readonly words: readonly string[];
  readonly asks: "version" | "help" | undefined;
  readonly named: NamedKey | undefined;
  /** `-l`: lines without keys and completion. */
  readonly isPlain: boolean;
  readonly url: string | undefined;
  readonly tokenFile: string | undefined;
  readonly configFile: string | undefined;
  readonly json: boolean;
  readonly isColored: boolean;
  readonly isTimed: boolean;
  readonly keepsGoing: boolean;
  readonly legacyRetcode: boolean;
  readonly legacyRows: boolean;
}

/** How it is started. */
export const START_USAGE = `Usage: console [groupID] [options] [command [arguments]]

Without a command: a session, or a script when standard input is a file or a pipe.

  groupID             group to begin with, 1 to ${HIGHEST_GROUP}; 1 when absent
  -pem <file>         sign with the key of a PEM file
  -p12 <file>         sign with the key of a PKCS #12 file; asks for its password
  -l                  plain lines: no completion, no keys
  --url <url>         connect to a JSON-RPC port, such as http://127.0.0.1:8545
  --token-file <file> file with the token that the node asks for to be managed over HTTP
  --config <file>     configuration; conf/config.toml when absent
  --json              print one JSON document per command
  --no-color          no colours
  --time              tell how long each command took
  --keep-going        do not stop a script at the first command that fails
  --legacy-retcode    codes as consoles of 2.6 and later print them: "code":1,"msg":"Success"
  --legacy            rows of tables as consoles of 2.x print them: {name=fruit, item_id=1}
  -v, --version       print the version
  -h, --help          print this text

Exit code: 0 done, 1 the command failed, 2 wrong usage, 3 no node was reached.
`;

const SWITCHES = {
  "--json": "json",
  "--no-color": "noColor",
  "--time": "time",
  "--keep-going": "keepGoing",
  "--legacy-retcode": "legacyRetcode",
  "--legacy": "legacyRows",
} as const;
const VALUES = { "--url": "url", "--token-file": "tokenFile", "--config": "config" } as const;
const ASKS: Readonly<Record<string, "version" | "help">> = {
  "-v": "version",
  "--version": "version",
  "-h": "help",
  "--help": "help",
};

type SwitchName = (typeof SWITCHES)[keyof typeof SWITCHES];
type ValueName = (typeof VALUES)[keyof typeof VALUES];

interface Found {
  readonly switches: Set<SwitchName>;
  readonly values: Map<ValueName, string>;
  readonly words: string[];
  asks: "version" | "help" | undefined;
  named: NamedKey | undefined;
  isPlain: boolean;
}

function valueBehind(args: readonly string[], at: number): string {
  const value = args[at + 1];
  if (value !== undefined && !value.startsWith("-")) return value;
  throw usageFault(`${args[at]} wants a value behind it: console -h shows how.`);
}

/** Options that may stand anywhere; how many words they take, 0 when it is none of them. */
function takeAnywhere(args: readonly string[], at: number, found: Found): number {
  const word = args[at] ?? "";
  if (Object.hasOwn(SWITCHES, word)) {
    found.switches.add(SWITCHES[word as keyof typeof SWITCHES]);
    return 1;
  }
  if (!Object.hasOwn(VALUES, word)) return 0;
  found.values.set(VALUES[word as keyof typeof VALUES], valueBehind(args, at));
  return 2;
}

/** Options that stand before the command. @throws ConsoleFault for an unknown one */
function takeInFront(args: readonly string[], at: number, found: Found): number {
  const word = args[at] ?? "";
  const asks = ASKS[word];
  if (asks !== undefined) {
    found.asks = asks;
    return 1;
  }
  if (word === "-l") {
    found.isPlain = true;
    return 1;
  }
  if (word === "-pem" || word === "-p12") {
    const format = word === "-pem" ? "pem" : "p12";
    found.named = { format, path: valueBehind(args, at) };
    return 2;
  }
  if (word.startsWith("-"))
    throw usageFault(`"${word}" is no option of the console: console -h lists them.`);
  return 0;
}

function scan(args: readonly string[]): Found {
  const found: Found = {
    switches: new Set(),
    values: new Map(),
    words: [],
    asks: undefined,
    named: undefined,
    isPlain: false,
  };
  const isInFront = (): boolean => found.words.every((word) => /^\d+$/.test(word));
  for (let at = 0; at < args.length; ) {
    const taken = takeAnywhere(args, at, found) || (isInFront() ? takeInFront(args, at, found) : 0);
    if (taken === 0) found.words.push(args[at] ?? "");
    at += taken || 1;
  }
  return found;
}

function groupOf(word: string): number {
  const groupId = Number(word);
  if (groupId >= 1 && groupId <= HIGHEST_GROUP) return groupId;
  throw usageFault(`"${word}" is no group: a number from 1 to ${HIGHEST_GROUP} is wanted.`);
}

/**
 * Reads the words behind the name of the program. A first word of digits is the group; what follows
 * it is the command.
 * @throws ConsoleFault with exit code 2
 */
export function readStart(args: readonly string[], env: NodeJS.ProcessEnv): StartOptions {
  const { switches, values, words, asks, named, isPlain } = scan(args);
  const [first = ""] = words;
  const hasGroup = /^\d+$/.test(first);
  const command = hasGroup ? words.slice(1) : words;
  return {
    groupId: hasGroup ? groupOf(first) : 1,
    words: command,
    asks,
    named,
    isPlain,
    url: values.get("url"),
    tokenFile: values.get("tokenFile"),
    configFile: values.get("config"),
    json: switches.has("json"),
    isColored: !switches.has("noColor") && !env["NO_COLOR"],
    isTimed: switches.has("time"),
    keepsGoing: switches.has("keepGoing"),
    legacyRetcode: switches.has("legacyRetcode"),
    legacyRows: switches.has("legacyRows"),
  };
}
