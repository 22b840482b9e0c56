/**
 * Makes a node a sealer or an observer of a group, or removes it, by a transaction to the Consensus
 * precompiled contract. Source: precompiles 7; groups 5
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { encodeCall } from "../../../core/abi/encode.ts";
import { addressOfNumber, isNodeId, toPrefixedHex } from "../../../core/bytes/hex.ts";
import type { NodeId } from "../../../core/bytes/ids.ts";
import { ClientCodeFault } from "../../../core/fault/client-codes.ts";
import { PRECOMPILED_CODES, precompiledMessage } from "../../../core/fault/precompiled-code.ts";
import { transactionStatusName } from "../../../core/fault/transaction-status.ts";
import { signTransaction } from "../../../core/model/transaction.ts";
import { readKey } from "../../folder/authority.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import { readNodeConfig } from "../../formats/config/node-config.ts";
import { createKeyPair } from "../../folder/private-key.ts";
import { SUITE_NAMES, suiteFile } from "../../formats/config/suite-files.ts";
import { createChainSuite } from "../machine/chain-suite.ts";
import { createNodeEntropy } from "../machine/entropy.ts";
import { urlOf } from "../machine/listen-url.ts";
import { ask, RequestFault } from "./json-rpc.ts";
import { type PlannedChange, requireSound, type Role } from "./role-guard.ts";

/** Which role, and through which node. */
export interface RoleRequest {
  readonly as: Role;
  /** URL of an RPC port, or the folder of a node on this host. */
  readonly through: string;
  readonly group: number;
  /** File of the key that signs; a new key is made when absent. */
  readonly key: string | undefined;
  /** Sends it whatever becomes of the group. */
  readonly force: boolean;
  /** Takes what is reported while it waits. */
  readonly tell?: (sentence: string) => void;
}

const METHODS: Readonly<Record<Role, string>> = {
  sealer: "addSealer(string)",
  observer: "addObserver(string)",
  free: "remove(string)",
};
const CONSENSUS = addressOfNumber(0x1003);
const GAS = 300_000_000n;
/** The transaction is valid for this many blocks. Source: txpool 3.2 */
const VALID_BLOCKS = 500;
const NONCE_BYTES = 16;
const RECEIPT_PATIENCE_MS = 60_000;
const POLL_MS = 200;
/** Blocks come sooner; a caller that waits longer is told for what. */
const TELL_AFTER_MS = 3_000;
/** The node that answers has no role in the group. */
const NO_ROLE = -40009;
/** It has no role there, or does not run the group. */
const NOT_A_MEMBER = new Set([-40001, NO_ROLE]);
/** On a national chain the name of a release ends so. Source: sm-suite 1 */
const NATIONAL_END = " gm";

function isNotMember(cause: unknown): boolean {
  return cause instanceof RequestFault && NOT_A_MEMBER.has(cause.code ?? 0);
}

/** A change of a role: it is in a block, or was not needed. */
export interface RoleChange {
  readonly nodeId: string;
  readonly group: number;
  readonly role: Role;
  /** False when the node had the role already. */
  readonly changed: boolean;
  /** The role is in force from the block after this one on. */
  readonly blockNumber?: number;
  readonly transactionHash?: string;
}

/** From 128 digits, or the folder of a node. */
async function nodeIdOf(text: string): Promise<NodeId> {
  const id = text.replace(/^0x/, "").toLowerCase();
  if (isNodeId(id)) return id;
  const places = SUITE_NAMES.map((suite) => suiteFile("node.nodeid", suite));
  for (const file of places.flatMap((name) => [join("conf", name), name])) {
    const found = (await readFile(join(text, file), "utf8").catch(() => "")).trim();
    if (isNodeId(found)) return found;
  }
  const said = `${text} is no node: give 128 hexadecimal digits, or a folder`;
  const cause = new ClientCodeFault("invalidNodeId");
  throw new FolderFault("argument", `${said} with conf/node.nodeid.`, { cause });
}

/** A URL as it is; for the folder of a node on this host, its RPC port. */
async function rpcUrlOf(place: string): Promise<string> {
  if (/^https?:\/\//.test(place)) return place;
  const path = join(place, "config.ini");
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text !== undefined) return urlOf(readNodeConfig(text, path).value.rpc.jsonrpc);
  const said = `${place} is neither the URL of an RPC port nor a folder with config.ini`;
  throw new FolderFault("argument", `${said}: give one with --through.`);
}

type Target = Pick<PlannedChange, "url" | "group" | "nodeId">;

/** The present role of a node. */
async function roleOf({ url, group, nodeId }: Target): Promise<Role> {
  const lists = await Promise.all(
    ["getSealerList", "getObserverList"].map((method) => ask(url, method, [group])),
  ).catch((cause: unknown) => {
    if (!(cause instanceof RequestFault) || !isNotMember(cause)) throw cause;
    const next = "Name a sealer or an observer of the group with --through.";
    throw new RequestFault(`${cause.message}. ${next}`, { cause });
  });
  const [isSealer, isObserver] = lists.map((list) => Array.isArray(list) && list.includes(nodeId));
  return isSealer ? "sealer" : isObserver ? "observer" : "free";
}

/** A sealer that cannot be reached counts for the quorum, but does not help to reach it. */
async function requireConnected({ url, group, nodeId }: Target): Promise<void> {
  const known = await ask(url, "getNodeIDList", [group]);
  if (Array.isArray(known) && known.includes(nodeId)) return;
  const said = `node ${nodeId.slice(0, 8)}... is not connected to ${url}`;
  throw new RequestFault(
    `${said}: a sealer that does not answer weakens the group. Start it, and check with ` +
      "chain-node status that it has peers.",
    { cause: new ClientCodeFault("nodeUnreachable") },
  );
}

async function signedChange({ url, group, nodeId }: Target, role: Role, keyFile?: string) {
  const entropy = createNodeEntropy();
  const [version, head] = await Promise.all([
    ask(url, "getClientVersion", []),
    ask(url, "getBlockNumber", [group]),
  ]);
  const { "Chain Id": chainId, "FISCO-BCOS Version": release } = version as Readonly<
    Record<"Chain Id" | "FISCO-BCOS Version", string>
  >;
  const suite = await createChainSuite(release.endsWith(NATIONAL_END) ? "national" : "standard");
  const { name } = suite;
  const key = keyFile === undefined ? createKeyPair(entropy, name) : await readKey(keyFile, name);
  const fields = {
    nonce: BigInt(toPrefixedHex(entropy.bytes(NONCE_BYTES))),
    gasPrice: 1n,
    gas: GAS,
    blockLimit: BigInt(Number(head) + VALID_BLOCKS),
    to: CONSENSUS,
    value: 0n,
    input: encodeCall(METHODS[role], [nodeId], suite.hash),
    chainId: BigInt(chainId),
    groupId: BigInt(group),
    extraData: new Uint8Array(0),
  };
  const { raw } = signTransaction(fields, key.privateKey, suite);
  return toPrefixedHex(raw);
}

interface Receipt {
  readonly status: string;
  readonly output: string;
  readonly blockNumber: string;
}

async function receiptOf(
  { url, group }: Target,
  hash: string,
  tell: RoleRequest["tell"],
): Promise<Receipt> {
  const begin = performance.now();
  let isTold = false;
  for (;;) {
    const receipt = await ask(url, "getTransactionReceipt", [group, hash]);
    if (receipt !== null) return receipt as Receipt;
    const waited = performance.now() - begin;
    if (waited > RECEIPT_PATIENCE_MS) {
      const said = `no block within ${RECEIPT_PATIENCE_MS / 1_000} s has transaction ${hash}`;
      const next =
        "It still waits in the pool, and changes the role once blocks come again: do not send " +
        "another one, see with chain-node status what the group lacks";
      throw new RequestFault(`${said}. ${next}.`);
    }
    if (!isTold && waited > TELL_AFTER_MS) {
      tell?.(`transaction ${hash} is sent; no block has it yet, waiting for up to 60 s`);
      isTold = true;
    }
    await new Promise((resume) => setTimeout(resume, POLL_MS));
  }
}

/** Whether the node that was asked has just been removed itself, and no longer answers. */
async function isTakenOut(cause: unknown, { url, group, nodeId }: Target): Promise<boolean> {
  if (!(cause instanceof RequestFault) || cause.code !== NO_ROLE) return false;
  const known = await ask(url, "getNodeIDList", [group]);
  return Array.isArray(known) && known[0] === nodeId;
}

/** A change that was not seen in a block must not be taken for done. */
function unseen(cause: unknown, hash: string): unknown {
  if (!(cause instanceof RequestFault) || !isNotMember(cause)) return cause;
  const said = `${cause.message}. The change was sent as transaction ${hash}`;
  const next = "run the command again with --through another member, to see whether it is done";
  return new RequestFault(`${said}: ${next}.`, { cause });
}

function requireSuccess({ status, output }: Receipt, isNew: boolean, at: Target): void {
  const number = Number(status);
  if (number !== 0) {
    const name = transactionStatusName(number);
    throw new RequestFault(`the change of role failed with status ${status} (${name}).`);
  }
  const code = Number(BigInt.asIntN(256, BigInt(output)));
  if (code === 1) return;
  const text = precompiledMessage(code) ?? "the contract did nothing";
  const next = code === PRECOMPILED_CODES.permissionDenied.code ? ` ${lockedText(isNew, at)}` : "";
  throw new RequestFault(`the role was not changed: ${text} (${code}).${next}`);
}

/** A chain is open until somebody was given a permission. Source: precompiles 11 */
function lockedText(isNew: boolean, { url, group }: Target): string {
  const who = isNew
    ? "Without --key a new key signs, which works only while the chain is open: it is locked"
    : "The account of --key may not change roles";
  const list = `chain-node console ${group} --url ${url} listNodeManager`;
  return `${who}. Sign with the key of an account that may: ${list}`;
}

/**
 * Gives a node a role and waits for the block with it.
 * @throws FolderFault argument, RequestFault; with a ClientCodeFault as its cause where the
 *   interface has a code for it
 */
export async function changeRole(node: string, options: RoleRequest): Promise<RoleChange> {
  const { as: role, through, group, key, force, tell } = options;
  const target = { nodeId: await nodeIdOf(node), group, url: await rpcUrlOf(through) };
  const { nodeId, url } = target;
  const before = await roleOf(target);
  if (before === role) return { nodeId, group, role, changed: false };
  if (role === "sealer" && !force) await requireConnected(target);
  if (!force) await requireSound({ ...target, before, after: role });
  const raw = await signedChange(target, role, key);
  const transactionHash = String(await ask(url, "sendRawTransaction", [group, raw]));
  const receipt = await receiptOf(target, transactionHash, tell).catch(async (cause: unknown) => {
    if (role === "free" && (await isTakenOut(cause, target))) return undefined;
    throw unseen(cause, transactionHash);
  });
  if (!receipt) return { nodeId, group, role, changed: true, transactionHash };
  requireSuccess(receipt, key === undefined, target);
  const blockNumber = Number(receipt.blockNumber);
  return { nodeId, group, role, changed: true, blockNumber, transactionHash };
}
