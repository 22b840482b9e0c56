/** The commands that look at nodes again and again, and at certificates. Source: generator 10 */
import { InvalidArgumentError } from "commander";
import {
  type CommandRow,
  HIGHEST_GROUP,
  JSON_LINE,
  type ValueKind,
  wholeNumber,
} from "./command-line.ts";

const MOST_MINUTES = 60;
const USUAL_MINUTES = 10;
const MOST_CONNECTIONS = 1_000;

const GROUPS: ValueKind = {
  allowed: "group IDs, separated by commas",
  read(text) {
    const kind = wholeNumber(1, HIGHEST_GROUP);
    return text
      .split(/[\s,]+/)
      .filter((part) => part !== "")
      .map((part) => kind.read(part));
  },
};

const HTTP_URL: ValueKind = {
  allowed: "a URL that begins with http:// or https://",
  read(text) {
    if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
    throw new InvalidArgumentError("A URL that begins with http:// or https:// is wanted.");
  },
};

/** `chain-node monitor`: the flags are those of the classic monitor.sh. */
export const MONITOR: CommandRow = {
  name: "monitor",
  help: "look at the nodes of a folder once, as from cron; exit code 1 when something is found",
  examples: [
    "monitor -o nodes -c 3 -s https://alerts.example/chain -r duty",
    "monitor -o nodes -m statistics -d 30",
  ],
  options: [
    { flags: "-o, --nodes <folder>", required: true, help: "folder of a node, or of several" },
    {
      flags: "-m, --mode <mode>",
      choices: ["monitor", "statistics"],
      fallback: "monitor",
      help: "look for trouble, or count what the logs tell of blocks and views",
    },
    {
      flags: "-s, --server <url>",
      kind: HTTP_URL,
      help: "where findings are posted as JSON; nowhere when absent",
    },
    { flags: "-r, --receiver <name>", help: "who is meant, in what is posted" },
    { flags: "-f, --file <file>", help: "file that the output is appended to as well" },
    { flags: "-g, --groups <groups>", kind: GROUPS, help: "groups to look at; all when absent" },
    {
      flags: "-d, --minutes <minutes>",
      kind: wholeNumber(1, MOST_MINUTES),
      fallback: USUAL_MINUTES,
      help: "how much of the logs statistics count",
    },
    {
      flags: "-c, --connections <count>",
      kind: wholeNumber(0, MOST_CONNECTIONS),
      fallback: 1,
      help: "least connections of each group",
    },
    { flags: "-R, --restart", help: "start a node that does not run by its start.sh" },
    {
      flags: "-p, --program <name>",
      help: "taken for scripts that give it: a node's process is known by its folder",
    },
    JSON_LINE,
  ],
  work: async () => (await import("./watch/monitor.ts")).runMonitor,
};

/** `chain-node cert check`. */
export const CERT_CHECK: CommandRow = {
  name: "cert check",
  help: "check the dates of a certificate and who signed it; exit code 1 when it is not valid",
  argument: { name: "<file>", help: "the certificate, in PEM, with its agency's behind it" },
  examples: [
    "cert check mychain/node0/conf/node.crt",
    "cert check mychain/node0/conf/node.crt --ca mychain/cert/ca.crt",
  ],
  options: [
    { flags: "--ca <file>", help: "the chain's ca.crt: check the signatures too" },
    JSON_LINE,
  ],
  work: async () => (await import("./chain/cert-check.ts")).runCertCheck,
};
