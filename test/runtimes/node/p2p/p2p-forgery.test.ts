// A certified peer that sends what nobody signed: the node recovers every signature for itself.
// rules: sync 4, txpool 3.1
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "vitest";
import { hexBytes, idBytes } from "../../../../core/bytes/hex.ts";
import type { Hash } from "../../../../core/bytes/ids.ts";
import { headerHash } from "../../../../core/model/header.ts";
import { transactionsRoot } from "../../../../core/model/roots.ts";
import {
  decodeTransaction,
  encodeTransaction,
  recoverSender,
} from "../../../../core/model/transaction.ts";
import { NEWEST_VERSION } from "../../../../core/model/version.ts";
import type { Incoming } from "../../../../core/ports/network.ts";
import { encodeTransactions } from "../../../../core/sync/gossip.ts";
import {
  decodeSyncBlock,
  decodeSyncMessage,
  encodeSyncBlock,
  encodeSyncMessage,
  type SyncBlockParts,
} from "../../../../core/sync/sync-message.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import { request, sleep, waitForReceipt } from "../../../support/process/dev-process.ts";
import { initProcessChain, type NodeProcess } from "../../../support/process/node-processes.ts";
import { identityOf, posedNetwork } from "../../../support/process/posed-network.ts";
import { createSender } from "../../../support/sender.ts";

const LIMIT_MS = 240_000;
const GROUP = 1;
const suite = await createNodeSuite();
const rules = { suite, version: NEWEST_VERSION };
const sign = createSender(suite);

async function waitFor<Value>(what: string, look: () => Value | undefined): Promise<Value> {
  for (const end = performance.now() + LIMIT_MS; ; await sleep(20)) {
    const value = look();
    if (value !== undefined) return value;
    assert.ok(performance.now() < end, `in vain: ${what}`);
  }
}

/** Connects to a node with the key and the certificate of another one. */
async function pose(as: NodeProcess, to: NodeProcess) {
  const heard: Incoming[] = [];
  const network = await posedNetwork(as, to);
  await network.start({
    message: (message) => void heard.push(message),
    peerUp: () => undefined,
    peerDown: () => undefined,
  });
  const peer = await waitFor("the session", () => network.peers()[0]?.nodeId);
  const send = (kind: "blocks" | "transactions", bytes: Uint8Array) =>
    network.send(peer, { groupId: GROUP, kind, bytes });
  const hear = (type: "requestRange" | "blocks") =>
    waitFor(type, () => {
      const found = heard.flatMap(({ kind, bytes }) => {
        const message = kind === "blocks" ? decodeSyncMessage(bytes) : undefined;
        return message?.type === type ? [message] : [];
      });
      return found[0];
    });
  return { send, hear, close: () => network.stop() };
}

/** Block 1 as a node serves it. */
async function fetchBlock(as: NodeProcess, from: NodeProcess): Promise<SyncBlockParts> {
  const peer = await pose(as, from);
  try {
    peer.send("blocks", encodeSyncMessage({ type: "requestRange", from: 1, count: 1 }));
    const message = await peer.hear("blocks");
    const parts = message.type === "blocks" && decodeSyncBlock(message.blocks[0] ?? hexBytes(""));
    assert.ok(parts);
    return parts;
  } finally {
    await peer.close();
  }
}

/** The transaction with another signature. */
function withSignature(raw: Uint8Array, change: (signature: Uint8Array) => void): Uint8Array {
  const decoded = decodeTransaction(raw, suite);
  assert.ok(decoded.ok);
  const signature = decoded.transaction.signature.slice();
  change(signature);
  return encodeTransaction(decoded.transaction, signature);
}

/** Well formed, and made by no key: there is no point of the curve with such an r. */
function nobodys(raw: Uint8Array): Uint8Array {
  for (let r = 1; ; r++) {
    const changed = withSignature(raw, (signature) => signature.fill(0, 0, 31).fill(r, 31, 32));
    const decoded = decodeTransaction(changed, suite);
    if (decoded.ok && recoverSender(decoded.transaction, suite) === undefined) return changed;
  }
}

/** Recovers another sender than the one that signed. */
const anothers = (raw: Uint8Array) =>
  withSignature(raw, (signature) => {
    signature[64] = 1 - (signature[64] ?? 0);
  });

function hashOfRaw(raw: Uint8Array): Hash {
  const decoded = decodeTransaction(raw, suite);
  assert.ok(decoded.ok);
  return decoded.transaction.hash;
}

/** The block with other transactions, right in root and hash, and sealed by all sealers. */
async function reseal(parts: SyncBlockParts, raws: Uint8Array[], nodes: readonly NodeProcess[]) {
  const items = raws.map((raw) => ({ raw, hash: hashOfRaw(raw) }));
  const header = { ...parts.header, transactionsRoot: transactionsRoot(items, rules) };
  const digest = idBytes(headerHash(header, suite));
  const keys = new Map<string, Uint8Array>();
  for (const node of nodes) keys.set(node.nodeId, (await identityOf(node)).key.privateKey);
  const seals = header.sealerList.map((sealer, index) => ({
    index,
    signature: suite.sign(digest, keys.get(sealer) ?? hexBytes("")),
  }));
  return { header, seals, transactions: raws };
}

interface Offer {
  readonly as: NodeProcess;
  readonly to: NodeProcess;
  readonly parts: SyncBlockParts;
}

/** A node without any block is offered block 1; examines it before the node ends. */
async function offer({ as, to, parts }: Offer, look: () => Promise<void>): Promise<void> {
  await rm(join(to.folder, "data"), { recursive: true, force: true });
  await to.start();
  const genesis = await request(to.url, "getBlockHashByNumber", [GROUP, "0"]);
  const peer = await pose(as, to);
  try {
    const latestHash = headerHash(parts.header, suite);
    const status = { type: "status", number: 1, genesisHash: genesis as Hash, latestHash } as const;
    peer.send("blocks", encodeSyncMessage(status));
    await peer.hear("requestRange");
    peer.send("blocks", encodeSyncMessage({ type: "blocks", blocks: [encodeSyncBlock(parts)] }));
    await look();
  } finally {
    await peer.close();
    await to.end("SIGTERM");
  }
}

test("a block with a signature of nobody is refused, no matter who certifies it", async () => {
  const chain = await initProcessChain({ nodes: 2, hosted: true });
  const [honest, victim] = chain.nodes;
  assert.ok(honest && victim);
  try {
    await Promise.all(chain.nodes.map((node) => node.start()));
    const { raw, hash } = sign({ head: 0 });
    await request(honest.url, "sendRawTransaction", [GROUP, raw]);
    await Promise.all(chain.nodes.map(({ url }) => waitForReceipt(url, hash, LIMIT_MS)));
    await victim.end("SIGTERM");
    const parts = await fetchBlock(victim, honest);
    await honest.end("SIGTERM");

    const [own] = parts.transactions;
    assert.ok(own);
    const isRefused = async () => {
      await waitFor("the refusal", () => /offence.*badBlock/.test(victim.errors()) || undefined);
      assert.equal(await victim.blockNumber(), 0);
    };
    const offered = { as: honest, to: victim };
    const unsigned = await reseal(parts, [nobodys(own)], chain.nodes);
    await offer({ ...offered, parts: unsigned }, isRefused);
    const foreign = { ...parts, transactions: [anothers(own)] };
    await offer({ ...offered, parts: foreign }, isRefused);
    // The same way leads to the true block.
    await offer({ ...offered, parts }, async () => {
      await waitForReceipt(victim.url, hash, LIMIT_MS);
      assert.equal(await victim.blockNumber(), 1);
    });
  } finally {
    await chain.close();
  }
});

test("a packet with a signature of nobody brings nothing into the pool", async () => {
  const chain = await initProcessChain({ nodes: 2, hosted: true });
  const [honest, victim] = chain.nodes;
  assert.ok(honest && victim);
  try {
    await victim.start();
    const peer = await pose(honest, victim);
    const pending = async () => Number(await request(victim.url, "getPendingTxSize", [GROUP]));
    const [first, second] = [sign({ head: 0 }), sign({ head: 0 })].map(({ raw }) =>
      hexBytes(raw.slice(2)),
    );
    assert.ok(first && second);
    peer.send("transactions", encodeTransactions("push", [second, nobodys(first)]));
    await sleep(500);
    assert.equal(await pending(), 0);
    // One that another key signed is another transaction: its sender is what the signature says.
    peer.send("transactions", encodeTransactions("push", [anothers(first)]));
    for (const end = performance.now() + LIMIT_MS; (await pending()) < 1; await sleep(20))
      assert.ok(performance.now() < end, "in vain: a packet of good transactions");
    await peer.close();
  } finally {
    await chain.close();
  }
});
