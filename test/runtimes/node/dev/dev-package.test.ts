/** The package's export as its users have it: built, by name, in a process of their own. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { endLeftovers, endOf, run } from "../../../support/process/dev-chain-process.ts";
import { sign, word } from "../../../support/channel/outside-client.ts";
import { ROOT } from "../../../support/runner/root.ts";
import { inFull } from "../../../support/runner/in-full.ts";

let home: string;
let scripts = 0;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "chain-user-"));
  await mkdir(join(home, "node_modules"));
  await mkdir(join(home, "tmp"));
  await symlink(ROOT, join(home, "node_modules", "chain-node"));
});

afterAll(async () => {
  endLeftovers();
  await rm(home, { recursive: true, force: true });
});

/** Runs a user's script to its own end; gives what it put into `told`. */
async function tell(body: string): Promise<Record<string, unknown>> {
  const file = join(home, `script${++scripts}.mjs`);
  const head = 'import { createDevChain } from "chain-node";\nconst told = {};\n';
  await writeFile(file, `${head}${body}\nconsole.log(JSON.stringify(told));\n`);
  const env = { ...process.env, TMPDIR: join(home, "tmp") };
  const { code, stdout, stderr } = await endOf(run(process.execPath, [file], { cwd: home, env }));
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  return JSON.parse(stdout) as Record<string, unknown>;
}

test("a chain of three answers, fails with a code, and leaves nothing behind", async () => {
  const told = await tell(`
    import { readdirSync } from "node:fs";
    import { tmpdir } from "node:os";
    const folders = () => readdirSync(tmpdir());
    const chain = await createDevChain({ nodes: 3, blockTimeMs: 20 });
    told.during = folders().length;
    told.shape = [chain.chainId, chain.groupId, chain.accounts.length, chain.nodes.length];
    told.first = chain.nodes[0].rpcUrl === chain.rpcUrl;
    const number = (node) => node.request("getBlockNumber", [1]);
    told.numbers = await Promise.all(chain.nodes.map(number));
    told.ids = await chain.request("getNodeIDList", [1]);
    told.nodeIds = chain.nodes.map(({ nodeId }) => nodeId);
    const refused = await chain.request("getBlockNumber", [99]).catch((error) => error);
    told.refused = [refused instanceof Error, refused.code, refused.message];
    await chain.close();
    told.ports = await Promise.all(
      chain.nodes.map(({ rpcUrl }) => fetch(rpcUrl).then(() => "open", () => "closed")),
    );
    const second = await chain.close().then(() => "ended", (error) => error.message);
    told.second = second;
    told.left = folders();
  `);
  assert.deepEqual(told["shape"], [1, 1, 10, 3]);
  assert.equal(told["first"], true);
  assert.deepEqual(told["numbers"], ["0x0", "0x0", "0x0"]);
  assert.deepEqual((told["ids"] as string[]).sort(), (told["nodeIds"] as string[]).sort());
  assert.deepEqual(told["refused"], [true, -40001, "GroupID does not exist"]);
  assert.deepEqual(told["ports"], ["closed", "closed", "closed"]);
  assert.equal(told["second"], "ended");
  assert.deepEqual([told["during"], told["left"]], [1, []]);
});

// The one before examines all temporary folders; the others run in parallel.
// Tests of this run have many chains side by side.
inFull("two chains run side by side and do not know each other", async () => {
  const told = await tell(`
    import { readdirSync } from "node:fs";
    const variants = [{}, { nodes: 1, channel: true }];
    const [left, right] = await Promise.all(variants.map((variant) => createDevChain(variant)));
    told.sdk = [left.sdk === undefined, readdirSync(right.sdk).includes("sdk.crt")];
    told.channel = /^127\\.0\\.0\\.1:\\d+$/.test(right.nodes[0].channel);
    told.sizes = [left.nodes.length, right.nodes.length];
    told.urls = new Set([...left.nodes, ...right.nodes].map(({ rpcUrl }) => rpcUrl)).size;
    const peers = async (chain) => (await chain.request("getPeers", [1])).length;
    told.peers = await Promise.all([left, right].map(peers));
    told.accounts = left.accounts[0].address === right.accounts[0].address;
    await left.close();
    told.after = await right.request("getBlockNumber", [1]);
    await right.close();
  `);
  const { sdk, channel, ...others } = told;
  assert.deepEqual([sdk, channel], [[true, true], true]);
  const expected = { sizes: [4, 1], urls: 5, peers: [3, 0], accounts: true, after: "0x0" };
  assert.deepEqual(others, expected);
});

test.concurrent("a data folder is kept, and a chain reopened on it goes on at the same height", async () => {
  const transaction = sign({
    privateKey: `0x${word(1)}`,
    nonce: 1n,
    blockLimit: 500n,
    data: "0x00",
  });
  const told = await tell(`
    const dataDir = ${JSON.stringify(join(home, "kept", "deep"))};
    const block = async (chain) => {
      const number = Number(await chain.request("getBlockNumber", [1]));
      return [number, await chain.request("getBlockHashByNumber", [1, String(number)])];
    };
    const first = await createDevChain({ nodes: 2, dataDir, blockTimeMs: 10 });
    const hash = await first.request("sendRawTransaction", [1, ${JSON.stringify(transaction.raw)}]);
    while (!(await first.request("getTransactionReceipt", [1, hash])))
      await new Promise((resolve) => setTimeout(resolve, 20));
    told.before = await block(first);
    const twice = await createDevChain({ nodes: 2, dataDir }).catch((error) => error);
    told.twice = [twice.kind, twice.message.includes("in use by another process")];
    await first.close();
    const wrong = await createDevChain({ nodes: 5, dataDir }).catch((error) => error);
    told.wrong = wrong.message.includes("a chain of 2 nodes, not 5");
    const second = await createDevChain({ nodes: 2, dataDir });
    told.after = await block(second);
    told.receipt = (await second.nodes[1].request("getTransactionReceipt", [1, hash])).blockNumber;
    await second.close();
  `);
  assert.equal((told["before"] as unknown[])[0], 1);
  assert.deepEqual(told["after"], told["before"]);
  assert.equal(told["receipt"], "0x1");
  assert.deepEqual(told["twice"], ["locked", true]);
  assert.equal(told["wrong"], true);
  assert.ok(existsSync(join(home, "kept", "deep", "chain-node.json")));
});

// dev-refusals.test.ts leaves a folder of somebody else alone.
inFull("an ephemeral chain never removes a folder that it was refused", async () => {
  const told = await tell(`
    import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
    const dataDir = ${JSON.stringify(join(home, "photos"))};
    mkdirSync(dataDir);
    writeFileSync(dataDir + "/holiday.jpg", "precious");
    const refused = await createDevChain({ dataDir, ephemeral: true }).catch((error) => error);
    told.refused = refused.kind;
    told.left = readdirSync(dataDir);
    const own = ${JSON.stringify(join(home, "own"))};
    const chain = await createDevChain({ nodes: 1, dataDir: own, ephemeral: true });
    told.during = readdirSync(own).includes("chain-node.json");
    await chain.close();
  `);
  assert.deepEqual(told, { refused: "foreign", left: ["holiday.jpg"], during: true });
  assert.ok(!(await readdir(home)).includes("own"));
});

// dev-refusals.test.ts has the numbers of the command.
inFull("numbers that no chain can have are refused before anything is made", async () => {
  const told = await tell(`
    const times = [{ blockTimeMs: -1 }, { blockTimeMs: 1000 }];
    told.errors = [];
    for (const options of [{ nodes: 0 }, { nodes: 17 }, { nodes: 1.5 }, ...times])
      told.errors.push(await createDevChain(options).then(() => "made", (error) => error.message));
  `);
  assert.deepEqual(told["errors"], [
    "nodes must be a whole number from 1 to 16, not 0",
    "nodes must be a whole number from 1 to 16, not 17",
    "nodes must be a whole number from 1 to 16, not 1.5",
    "blockTimeMs must be a whole number from 0 to 999, not -1",
    "blockTimeMs must be a whole number from 0 to 999, not 1000",
  ]);
});
