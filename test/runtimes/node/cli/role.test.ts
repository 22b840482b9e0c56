/** `chain-node role`: roles are changed by a transaction, and what cannot be is a sentence. */
// rules: groups 5, precompiles 7
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, test } from "vitest";
import type { GroupHealth } from "../../../../runtimes/shared/health.ts";
import type { SealerVote } from "../../../../runtimes/shared/sealer-votes.ts";
import { nodeIdOf } from "../../../support/data-node.ts";
import { FolderFault } from "../../../../runtimes/folder/folder-fault.ts";
import { createDevChain, type DevChain } from "../../../../runtimes/node/dev/dev-chain.ts";
import { RequestFault } from "../../../../runtimes/node/client/json-rpc.ts";
import { changeRole } from "../../../../runtimes/node/client/role-change.ts";
import type { Role } from "../../../../runtimes/node/client/role-guard.ts";
import { endOf, runProgram } from "../../../support/process/dev-chain-process.ts";
import { runHosted } from "../../../support/process/hosted-command.ts";
import { request, sleep } from "../../../support/process/dev-process.ts";
import { useBuiltWorkers } from "../threads/built-workers.ts";

const [SELF, OTHER] = ["aa".repeat(64), "bb".repeat(64)];
const HASH = `0x${"cc".repeat(32)}`;

let chain: DevChain;

beforeAll(async () => {
  useBuiltWorkers();
  chain = await createDevChain({ nodes: 2, blockTimeMs: 0 });
});

afterAll(() => chain.close());

function change(nodeId: string, role: Role, through = chain.rpcUrl) {
  const options = { as: role, through, group: 1, key: undefined, force: false, json: false };
  return changeRole(nodeId, options);
}

async function faultOf(work: Promise<unknown>): Promise<Error> {
  const cause = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(cause instanceof RequestFault || cause instanceof FolderFault, String(cause));
  return cause;
}

function secondNode(): string {
  return chain.nodes[1]?.nodeId ?? "";
}

test("a node becomes an observer, free, and a sealer again, each from the next block on", async () => {
  const node = secondNode();
  const observer = await change(node, "observer");
  assert.ok(observer.changed && observer.blockNumber === 1, JSON.stringify(observer));
  assert.deepEqual(await chain.request("getObserverList", [1]), [node]);
  assert.equal((await change(node, "free")).changed, true);
  assert.deepEqual(await chain.request("getObserverList", [1]), []);
  assert.equal((await change(`0x${node.toUpperCase()}`, "sealer")).changed, true);
  assert.deepEqual(((await chain.request("getSealerList", [1])) as string[]).length, 2);
  // Under load it takes a moment until the node itself has the block: it may still be a member of
  // before.
  const headOf = (url = "") => request(url, "getBlockNumber", [1]).catch(() => undefined);
  const head = await headOf(chain.rpcUrl);
  const end = performance.now() + 240_000;
  while ((await headOf(chain.nodes[1]?.rpcUrl)) !== head && performance.now() < end) {
    await sleep(50);
  }
  // A node that takes itself out cannot tell the block.
  const itself = await change(node, "free", chain.nodes[1]?.rpcUrl);
  assert.equal(itself.changed, true);
  assert.equal((await change(node, "sealer")).changed, true);
});

/**
 * A node that takes a transaction and then answers for its receipt with that code.
 *
 * @param health what it says of the group, where it is a node of this program
 */
async function answeringWith(
  code: number,
  health?: Partial<GroupHealth>,
  more: Readonly<Record<string, unknown>> = {},
): Promise<{ url: string; close: () => void }> {
  const results: Readonly<Record<string, unknown>> = {
    getSealerList: [SELF, OTHER],
    getObserverList: [],
    getNodeIDList: [SELF, OTHER],
    getClientVersion: { "Chain Id": "1", "FISCO-BCOS Version": "2.12.0" },
    getBlockNumber: "0x1",
    sendRawTransaction: HASH,
    ...more,
  };
  const server = createServer((asked, response) => {
    if (asked.method === "GET") {
      const said = JSON.stringify({ groups: [{ group: 1, ...health }] });
      return void response.writeHead(health ? 503 : 404).end(said);
    }
    let body = "";
    asked.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    asked.on("end", () => {
      const { method } = JSON.parse(body) as { readonly method: string };
      const result = results[method];
      const error = { code, message: "no more of the group" };
      const said = result === undefined ? { error } : { result };
      response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, ...said }));
    });
  });
  await new Promise<void>((resume) => server.listen(0, "127.0.0.1", resume));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

/**
 * Who is taken out, what the node reports of the receipt, and whether that shows that it is done.
 */
const LAST_WORDS = [
  { who: "itself", nodeId: SELF, code: -40_009, isDone: true },
  { who: "itself", nodeId: SELF, code: -40_001, isDone: false },
  { who: "another", nodeId: OTHER, code: -40_009, isDone: false },
  { who: "another", nodeId: OTHER, code: -40_001, isDone: false },
] as const;
for (const { who, nodeId, code, isDone } of LAST_WORDS) {
  const outcome = isDone ? "done" : "not done";
  test(`a node that takes out ${who} and says ${code} of the receipt reports that it is ${outcome}`, async () => {
    const { url, close } = await answeringWith(code);
    try {
      if (isDone) {
        const expected = { nodeId, group: 1, role: "free", changed: true, transactionHash: HASH };
        assert.deepEqual(await change(nodeId, "free", url), expected);
        return;
      }
      const { message } = await faultOf(change(nodeId, "free", url));
      assert.match(message, new RegExp(`${code}: .* transaction ${HASH}: run the command again`));
    } finally {
      close();
    }
  });
}

const votes = (...words: SealerVote["voting"][]) =>
  words.map((voting, index) => ({
    nodeId: nodeIdOf(["aa", "bb", "cc", "dd"][index] ?? ""),
    voting,
  }));

/** What stands in the way of a change, and what is reported of it before anything is sent. */
const OBSTACLES = [
  {
    what: "a group that stands still",
    role: "free",
    health: {
      stall: { cause: "2 of 4 sealers are connected", seconds: 9 },
      remedy: "start cccccccc",
      pending: 2,
    },
    says: /^group 1 has not .* 9 s: 2 of 4 .*; 2 transactions wait already\. First: start c/,
  },
  {
    what: "a group that would be without a quorum",
    role: "observer",
    health: { sealerVotes: votes("votes", "votes", "votes", "silent") },
    says: /^2 of then 3 sealers would vote, 3 are needed: .*dddddddd its data may be older/,
  },
  {
    what: "a Raft group that would be without a majority",
    role: "free",
    health: { consensus: "raft", sealerVotes: votes("votes", "votes", "missing") },
    says: /^1 of then 2 sealers would vote, 2 are needed: .*\(cccccccc is missing\)/,
  },
  {
    what: "a node that lags",
    role: "sealer",
    health: { sealerVotes: votes("votes") },
    says: /^node bbbbbbbb\.\.\. is 493 blocks behind: a sealer that lags/,
  },
] as const;
for (const { what, role, health, says } of OBSTACLES) {
  test(`${what} is told before anything is sent, unless it is forced`, async () => {
    const isSealer = role === "sealer";
    const peers = [{ nodeId: OTHER, blockNumber: 7 }];
    const { url, close } = await answeringWith(-40_001, health, {
      getSealerList: isSealer ? [SELF] : [SELF, OTHER],
      getObserverList: isSealer ? [OTHER] : [],
      getSyncStatus: { blockNumber: 500, txPoolSize: "0", peers },
    });
    try {
      const { message } = await faultOf(change(OTHER, role, url));
      assert.match(message, says);
      assert.match(message, /Nothing was sent; --force sends it all the same\.$/);
      const request = { as: role, through: url, group: 1, key: undefined, force: true };
      const forced = await faultOf(changeRole(OTHER, request));
      assert.match(forced.message, new RegExp(`The change was sent as transaction ${HASH}`));
    } finally {
      close();
    }
  });
}

test("without --key a chain that is locked refuses, and says what it takes", async () => {
  const receipt = {
    status: "0x0",
    blockNumber: "0x2",
    output: `0x${(2n ** 256n - 50_000n).toString(16)}`,
  };
  const { url, close } = await answeringWith(0, undefined, { getTransactionReceipt: receipt });
  try {
    const { message } = await faultOf(change(OTHER, "observer", url));
    assert.match(
      message,
      /permission denied \(-50000\)\. Without --key a new key signs, .* locked\./,
    );
    const list = `chain-node console 1 --url ${url} listNodeManager`;
    assert.ok(message.endsWith(`Sign with the key of an account that may: ${list}`), message);
  } finally {
    close();
  }
});

test("a role that is there already is left alone", async () => {
  const again = await change(secondNode(), "sealer");
  assert.deepEqual([again.changed, again.transactionHash], [false, undefined]);
});

test("a node that nobody reaches does not become a sealer", async () => {
  const { message } = await faultOf(change("ab".repeat(64), "sealer"));
  assert.match(message, /node abababab\.\.\. is not connected .* Start it/);
});

test("the command prints a sentence, and refuses the last sealer with code 1", async () => {
  const built = runProgram("role", secondNode(), "--as", "free", "--through", chain.rpcUrl);
  const done = await endOf(built);
  assert.deepEqual([done.code, done.stderr], [0, ""]);
  assert.match(done.stdout, /^node [0-9a-f]{8}\.\.\. is outside of group 1 from block \d+ on\n$/);
  const lastSealer = chain.nodes[0]?.nodeId ?? "";
  const last = await runHosted("role", lastSealer, "--as", "free", "--through", chain.rpcUrl);
  assert.deepEqual([last.code, last.stdout], [1, ""]);
  assert.match(last.stderr, /not changed: the last sealer cannot be removed \(-51101\)\.\n$/);
});

test("what is no node, no group and no answer is distinguished", async () => {
  const noNode = await faultOf(change("node4", "observer"));
  assert.match(noNode.message, /node4 is no node: give 128 hexadecimal digits/);
  const noPlace = await faultOf(change(secondNode(), "observer", "nowhere"));
  assert.match(noPlace.message, /nowhere is neither the URL of an RPC port nor a folder/);
  const nobody = await faultOf(change(secondNode(), "observer", "http://127.0.0.1:1"));
  assert.match(nobody.message, /127\.0\.0\.1:1 does not answer as a node: .*Does it run there\?/);
  const free = await faultOf(change(secondNode(), "sealer", chain.nodes[1]?.rpcUrl));
  assert.match(free.message, /-40009: .*Name a sealer or an observer of the group/);
});

/** Runs the command for programs, and reads its document. */
async function forPrograms(node: string, role: Role) {
  const through = ["--through", chain.rpcUrl, "--json"];
  const { code, stdout } = await runHosted("role", node, "--as", role, ...through);
  return { code, told: JSON.parse(stdout) as { readonly code: number; readonly msg: string } };
}

// rules: interface 7.5
test("--json tells the code that a client gives itself, and sends nothing", async () => {
  const head = await chain.request("getBlockNumber", [1]);
  const far = "ab".repeat(64);
  const own = chain.nodes[0]?.nodeId ?? "";
  const cases = [
    { node: "node4", role: "sealer", code: -51_100, msg: "invalid node ID" },
    { node: far, role: "sealer", code: -51_102, msg: "the node is not reachable" },
    { node: far, role: "free", code: -51_103, msg: "the node is not a group peer" },
    { node: own, role: "sealer", code: -51_104, msg: "the node is already in the sealer list" },
  ] as const;
  for (const { node, role, code, msg } of cases) {
    const { code: exitCode, told } = await forPrograms(node, role);
    assert.deepEqual([exitCode, told.code, told.msg], [1, code, msg]);
  }
  assert.equal(await chain.request("getBlockNumber", [1]), head);
  assert.equal((await forPrograms(secondNode(), "observer")).code, 0);
  const again = await forPrograms(secondNode(), "observer");
  const msg = "the node is already in the observer list";
  assert.deepEqual([again.code, again.told.code, again.told.msg], [1, -51_105, msg]);
  await change(secondNode(), "sealer");
});
