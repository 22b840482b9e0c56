/** Groups of a chain that is kept: every runtime that hosts a chain runs this. */
import assert from "node:assert/strict";
import { toPrefixedHex } from "../../core/bytes/hex.ts";
import { signTransaction } from "../../core/model/transaction.ts";
import { createNodeSuite } from "../../runtimes/node/machine/backends.ts";

/** A chain with a way to each node. */
export interface GroupedChain {
  readonly nodes: readonly {
    readonly nodeId: string;
    request(method: string, params: readonly unknown[]): Promise<unknown>;
  }[];
  /** To the first node. */
  request(method: string, params: readonly unknown[]): Promise<unknown>;
  /** Ends it; its data stay. */
  close(): Promise<void>;
}

/** Where a chain of four nodes is kept. */
export interface GroupedPlace {
  open(): Promise<GroupedChain>;
  /** Examines the data while the chain is closed: group 1 is STOPPED, group 2 RUNNING. */
  look?(): Promise<void>;
}

const suite = await createNodeSuite();
const KEY = new Uint8Array(32).fill(0x42);
const WAIT_MS = 240_000;
let nonce = 1n;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Every node performs an operation with success. */
async function onAll(chain: GroupedChain, operation: string, ...params: unknown[]): Promise<void> {
  for (const node of chain.nodes) {
    const { code } = (await node.request(operation, params)) as { code: string };
    assert.equal(code, "0x0", operation);
  }
}

async function commitIn(chain: GroupedChain, groupId: number): Promise<void> {
  const fields = {
    nonce: nonce++,
    gasPrice: 1n,
    gas: 300_000_000n,
    blockLimit: 400n,
    to: null,
    value: 0n,
    input: Uint8Array.of(0x60, 0, 0x60, 0, 0xf3),
    chainId: 1n,
    groupId: BigInt(groupId),
    extraData: new Uint8Array(0),
  };
  const raw = toPrefixedHex(signTransaction(fields, KEY, suite).raw);
  const hash = await chain.request("sendRawTransaction", [groupId, raw]);
  const end = performance.now() + WAIT_MS;
  while (!(await chain.request("getTransactionReceipt", [groupId, hash]))) {
    assert.ok(performance.now() < end, `a block of group ${groupId}`);
    await pause(20);
  }
}

async function statusOf(chain: GroupedChain, groupId: number): Promise<string> {
  const answer = await chain.request("queryGroupStatus", [groupId]);
  return (answer as { status: string }).status;
}

/** Generates, stops, starts, removes and recovers, with a restart in between. */
export async function groupsContract(place: GroupedPlace): Promise<void> {
  let chain = await place.open();
  try {
    const sealers = chain.nodes.map(({ nodeId }) => nodeId);
    await onAll(chain, "generateGroup", 2, { timestamp: "1700000000000", sealers });
    await onAll(chain, "startGroup", 2);
    assert.deepEqual(await chain.request("getGroupList", []), [1, 2]);
    await commitIn(chain, 2);
    await commitIn(chain, 1);
    const block = await chain.request("getBlockHashByNumber", [2, "1"]);
    await onAll(chain, "stopGroup", 1);
    await commitIn(chain, 2);
    await chain.close();

    await place.look?.();
    chain = await place.open();
    assert.deepEqual([await statusOf(chain, 1), await statusOf(chain, 2)], ["STOPPED", "RUNNING"]);
    assert.equal(await chain.request("getBlockHashByNumber", [2, "1"]), block);
    await commitIn(chain, 2);
    await onAll(chain, "removeGroup", 2);
    await onAll(chain, "startGroup", 1);
    await commitIn(chain, 1);
    await onAll(chain, "recoverGroup", 2);
    await onAll(chain, "startGroup", 2);
    assert.equal(await chain.request("getBlockHashByNumber", [2, "1"]), block);
    await commitIn(chain, 2);
  } finally {
    await chain.close();
  }
}
