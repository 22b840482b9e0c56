/** What a command says about the fault that ended it. */
import { StoreFault } from "../../../core/fault/store-fault.ts";
import { ConfigFault } from "../../formats/config/config-fault.ts";
import { FolderFault, reasonOf } from "../../folder/folder-fault.ts";
import { LedgerFileFault } from "../../shared/ledger-file/ledger-file-fault.ts";
import { CopyFault } from "../../shared/p2p/copy-fault.ts";
import { SnapshotFault } from "../../shared/snapshot/chunk.ts";
import { RequestFault } from "../client/json-rpc.ts";
import { ListenFault, type ListenProblem } from "../machine/listen-fault.ts";

/** What a user of `dev` should do about a data folder that cannot be used. */
const NEXT_STEP: Partial<Record<StoreFault["kind"], string>> = {
  foreign: "Choose another folder with --data, or run with --ephemeral.",
  locked: "Stop the other process, or choose another folder with --data.",
  version: "Use the release that wrote it, or choose another folder with --data.",
  corrupt: "Restore it from a copy, start over with --reset, or choose another folder with --data.",
  io: "Check the disk, or choose another folder with --data.",
  unwritable: "Choose a folder you may write with --data, or run with --ephemeral.",
};

/** What a user of `dev` should do about an address that cannot be listened on. */
const LISTEN_STEP: Readonly<Record<ListenProblem, string>> = {
  inUse:
    "Stop the other program, or choose another port with --port, " +
    "for SDKs with --channel-port (one port per node).",
  notAllowed: "Choose another port with --port.",
  noSuchAddress: "Choose another address with --host.",
  failed: "Choose another address with --host, or another port with --port.",
};

function withNextStep(sentence: string, next: string | undefined): string {
  const whole = sentence.endsWith(".") ? sentence : `${sentence}.`;
  return next ? `${whole} ${next}` : whole;
}

/** Who has a port that is in use, where that can be seen. */
async function listenSentence({ problem, port, message }: ListenFault): Promise<string> {
  if (problem !== "inUse" || port === undefined) return message;
  const { portHolder, processText } = await import("../machine/processes.ts");
  const holder = await portHolder(port);
  if (!holder || holder.pid === process.pid) return message;
  return message.replace("another program", () => processText(holder));
}

/** A fault of `dev`, with the option that helps. */
export async function devSentence(cause: unknown): Promise<string> {
  if (cause instanceof StoreFault) return withNextStep(cause.message, NEXT_STEP[cause.kind]);
  if (cause instanceof ListenFault)
    return withNextStep(await listenSentence(cause), LISTEN_STEP[cause.problem]);
  return plainSentence(cause);
}

/** What a host that the native store was not made for should do. Source: generator 11 */
function noStoreText(host: string): string {
  const { platform, arch } = process;
  return (
    `There is no native store for this host, ${platform}-${arch} (${host}): a node cannot keep ` +
    "its ledgers here. Install chain-node with npm on this host, with a C++ compiler: npm " +
    "compiles the store, and the node's folder finds that installation on the PATH."
  );
}

/** A fault whose message says all: of commands that read config.ini, the key to change. */
export function plainSentence(cause: unknown): string {
  const isOurs =
    cause instanceof CopyFault ||
    cause instanceof FolderFault ||
    cause instanceof LedgerFileFault ||
    cause instanceof ConfigFault ||
    cause instanceof ListenFault ||
    cause instanceof RequestFault ||
    cause instanceof SnapshotFault ||
    cause instanceof StoreFault;
  if (isOurs) return cause.message;
  const lacking = /^No native build was found for (.+)/.exec(reasonOf(cause))?.[1];
  if (lacking !== undefined) return noStoreText(lacking);
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
