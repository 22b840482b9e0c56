/** Groups of a dev chain are stopped, removed, recovered and started while transactions come in. */
// rules: groups 2, groups 3
import assert from "node:assert/strict";
import { beforeAll, test } from "vitest";
import { toPrefixedHex } from "../../../../core/bytes/hex.ts";
import { signTransaction } from "../../../../core/model/transaction.ts";
import { createNodeSuite } from "../../../../runtimes/node/machine/backends.ts";
import {
  createDevChain,
  type DevChain,
  type DevNode,
} from "../../../../runtimes/node/dev/dev-chain.ts";
import { Random } from "../../../simulation/random.ts";
import { useBuiltWorkers } from "../threads/built-workers.ts";

const suite = await createNodeSuite();
const KEY = new Uint8Array(32).fill(0x42);
const OPERATIONS = ["stopGroup", "removeGroup", "recoverGroup", "startGroup"] as const;
const ROUNDS = 60;
const PAUSE_MS = 40;
const GROUP = 1;
let nonce = 1n;

beforeAll(useBuiltWorkers);

function rawTransaction(): string {
  const fields = {
    nonce: nonce++,
    gasPrice: 1n,
    gas: 300_000_000n,
    blockLimit: 400n,
    to: null,
    value: 0n,
    input: Uint8Array.of(0x60, 0, 0x60, 0, 0xf3),
    chainId: 1n,
    groupId: 1n,
    extraData: new Uint8Array(0),
  };
  return toPrefixedHex(signTransaction(fields, KEY, suite).raw);
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Answer {
  readonly code: string | number;
  readonly message: string;
}

/** Brings the group of a node to RUNNING from wherever it is. */
async function bringUp(node: DevNode): Promise<void> {
  for (const operation of ["recoverGroup", "startGroup"]) await node.request(operation, [GROUP]);
  const { status } = (await node.request("queryGroupStatus", [GROUP])) as { status: string };
  assert.equal(status, "RUNNING");
}

async function churn(chain: DevChain): Promise<Set<string>> {
  const random = new Random(7);
  const codes = new Set<string>();
  const under: Promise<unknown>[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const operation = random.pick(OPERATIONS);
    const done = random.pick(chain.nodes).request(operation, [GROUP]) as Promise<Answer>;
    under.push(done.then(({ code }) => codes.add(`${operation} ${Number(code)}`)));
    const params = [GROUP, rawTransaction()];
    const sent = random.pick(chain.nodes).request("sendRawTransaction", params);
    under.push(sent.catch(() => undefined));
    if (random.chance(0.7)) await pause(random.below(PAUSE_MS));
  }
  await Promise.all(under);
  return codes;
}

/** A receipt that every node has. */
async function requireCommitted(chain: DevChain): Promise<void> {
  const hash = await chain.request("sendRawTransaction", [GROUP, rawTransaction()]);
  const end = performance.now() + 240_000;
  for (const node of chain.nodes) {
    let receipt: unknown;
    while (!receipt) {
      receipt = await node.request("getTransactionReceipt", [GROUP, hash]);
      assert.ok(receipt || performance.now() < end, "every node has the receipt");
      if (!receipt) await pause(100);
    }
  }
}

test("groups that stop and start at random, also all at once, come back and agree", async () => {
  const chain = await createDevChain({ nodes: 4, blockTimeMs: 0 });
  try {
    const codes = await churn(chain);
    const failed = [...codes].filter((code) => code.endsWith(" 1"));
    assert.deepEqual(failed, [], "no operation fails inside");
    assert.ok(codes.has("stopGroup 0") && codes.has("startGroup 0") && codes.has("removeGroup 0"));
    for (const node of chain.nodes) await bringUp(node);
    await requireCommitted(chain);
    const number = Number(await chain.request("getBlockNumber", [GROUP]));
    for (let at = 0; at <= number; at++) {
      const ask = chain.nodes.map((node) =>
        node.request("getBlockHashByNumber", [GROUP, String(at)]),
      );
      assert.equal(new Set(await Promise.all(ask)).size, 1, `block ${at}`);
    }
  } finally {
    await chain.close();
  }
});
