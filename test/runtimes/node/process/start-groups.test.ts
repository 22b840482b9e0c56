/** What `chain-node start` says when groups of its folder cannot run. */
// rules: groups 2
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { plainSentence } from "../../../../runtimes/node/cli/fault-sentence.ts";
import { runProgram } from "../../../support/process/dev-chain-process.ts";
import { readyLine } from "../../../../runtimes/node/cli/start-command.ts";
import { request } from "../../../support/process/dev-process.ts";
import { createHouse } from "../../../support/process/hosted-nodes.ts";
import { initProcessChain, type ProcessChain } from "../../../support/process/node-processes.ts";
import { TAKES_ALL_CASES } from "../../../support/runner/cases.ts";
import { inFull } from "../../../support/runner/in-full.ts";

let chain: ProcessChain;
let folder: string;
const house = createHouse("standard");

beforeAll(async () => {
  chain = await initProcessChain({ nodes: 1, groups: "1:pbft,2:pbft" });
  folder = chain.nodes[0]?.folder ?? assert.fail();
});

afterAll(async () => {
  await house.close();
  await chain?.close();
});

interface ReadyLine {
  readonly rpc: string;
  readonly groups: readonly number[];
  readonly failed: readonly { readonly group: number | null; readonly cause: string }[];
}

/** What the node reports when it is ready; it runs while the work does. */
async function withNode(work: (line: ReadyLine) => Promise<void> | void): Promise<void> {
  const node = await house.start(join(folder, "config.ini"));
  try {
    await work(JSON.parse(readyLine(node.started)) as ReadyLine);
  } finally {
    await node.end("SIGTERM");
  }
}

function requireWhole({ groups, failed }: ReadyLine): void {
  assert.deepEqual([groups, failed], [[1, 2], []]);
}

/** Breaks the settings of a group; what is returned repairs them. */
async function breakGroup(groupId: number): Promise<() => Promise<void>> {
  const path = join(folder, `conf/group.${groupId}.ini`);
  const text = await readFile(path, "utf8");
  await writeFile(path, text.replace("[consensus]", "[consensus]\nttl=many"));
  return () => writeFile(path, text);
}

test("a group that fails is named, the others run, and a repaired one comes back", async () => {
  const repair = await breakGroup(2);
  await withNode(async ({ groups, failed, rpc }) => {
    assert.deepEqual(groups, [1]);
    assert.equal(failed[0]?.group, 2);
    assert.match(failed[0]?.cause ?? "", /conf\/group\.2\.ini, line \d+, \[consensus\] ttl/);
    const query = (await request(rpc, "queryGroupStatus", [2])) as Record<string, string>;
    assert.equal(query["status"], "STOPPED");
    assert.match(query["message"] ?? "", /ttl = "many" is not allowed/);
  });
  await repair();
  await withNode(requireWhole);
});

test("the screen names the failed group in a line of its own", async () => {
  const repair = await breakGroup(2);
  const node = runProgram("start", "-c", join(folder, "config.ini"));
  while (!node.stdout().includes("send startGroup")) {
    assert.equal(node.child.exitCode, null, node.stderr());
    await new Promise((resume) => setTimeout(resume, 20));
  }
  node.child.kill("SIGTERM");
  const { code, stdout } = await node.ended;
  await repair();
  assert.equal(code, 0);
  assert.match(stdout, /^running {2}node0 of agency/);
  assert.match(stdout, /^groups {3}1$/m);
  assert.match(stdout, /^FAILED {3}group 2: .*conf\/group\.2\.ini, line \d+, \[consensus\] ttl/m);
});

test("a node of which no group can start says every cause", async () => {
  const repairs = [await breakGroup(1), await breakGroup(2)];
  const refused = await house.start(join(folder, "config.ini"), 1).then(
    () => assert.fail("it started"),
    (fault: unknown) => fault,
  );
  for (const repair of repairs) await repair();
  const said = plainSentence(refused);
  assert.match(said, /^no group of this node can start$/m);
  for (const id of [1, 2])
    assert.match(said, new RegExp(`^group ${id}: .*group\\.${id}\\.ini`, "m"));
  await withNode(requireWhole);
});

/** Puts words in place of those of both groups. */
async function setWords(...words: readonly [first: string, second: string]): Promise<void> {
  for (const [index, word] of words.entries())
    await writeFile(join(folder, `data/group${index + 1}/.group_status`), word);
}

/** What each word lets a group do is in core/node/group. */
for (const word of TAKES_ALL_CASES ? ["STOPPED", "DELETED"] : ["STOPPED"]) {
  test(`a broken group keeps no node from its start that has one which is ${word}`, async () => {
    await setWords("RUNNING", word);
    const repair = await breakGroup(1);
    await withNode(async ({ groups, failed, rpc }) => {
      assert.deepEqual([groups, failed.map(({ group }) => group)], [[], [1]]);
      if (word === "DELETED") await request(rpc, "recoverGroup", [2]);
      const { code } = (await request(rpc, "startGroup", [2])) as { readonly code: string };
      assert.equal(code, "0x0");
      assert.deepEqual(await request(rpc, "getGroupList", []), [2]);
    });
    await repair();
    await withNode(requireWhole);
  });
}

// The words of groups are read in core/node/group.
inFull(
  "a word that nobody knows keeps no node from its start that has a stopped group",
  async () => {
    await setWords("nonsense", "STOPPED");
    await withNode(({ groups, failed }) => {
      assert.deepEqual([groups, failed.map(({ group }) => group)], [[], [1]]);
    });
    await setWords("RUNNING", "RUNNING");
    await withNode(requireWhole);
  },
);

test("what is left of a cut generation keeps no node from its start", async () => {
  await setWords("STOPPED", "STOPPED");
  const draft = join(folder, "data/group5/.group_status.new");
  await mkdir(join(folder, "data/group5"));
  await writeFile(draft, "");
  await withNode(({ groups, failed }) => assert.deepEqual([groups, failed], [[], []]));
  await assert.rejects(readFile(draft), { code: "ENOENT" });
  await setWords("RUNNING", "RUNNING");
  await withNode(requireWhole);
});

// What startGroup answers is in core/node/group/group-operations.test.ts.
inFull("a flaw in config.ini changes no answer of startGroup", async () => {
  const path = join(folder, "config.ini");
  const text = await readFile(path, "utf8");
  await withNode(async ({ rpc }) => {
    await writeFile(path, text.replace(/jsonrpc_listen_port=\d+/, "jsonrpc_listen_port=none"));
    const codes: string[] = [];
    for (const [operation, groupId] of [
      ["startGroup", 1],
      ["startGroup", 9],
      ["stopGroup", 2],
      ["startGroup", 2],
    ] as const) {
      const answer = (await request(rpc, operation, [groupId])) as { readonly code: string };
      codes.push(answer.code);
    }
    await writeFile(path, text);
    assert.deepEqual(codes, ["0x3", "0xb", "0x0", "0x0"]);
  });
});

/** Status and beginning of the live view of group 2. */
async function lookAt(rpc: string): Promise<readonly [status: number, beginning: string]> {
  const ending = new AbortController();
  const response = await fetch(`${rpc}/live?group=2`, { signal: ending.signal });
  const first = await response.body?.getReader().read();
  ending.abort();
  return [
    response.status,
    Buffer.from(first?.value ?? [])
      .toString()
      .slice(0, 22),
  ];
}

// server/live-end.test.ts and http-app.test.ts have who may watch.
inFull("this machine may watch a node unless its configuration says otherwise", async () => {
  await withNode(async ({ rpc }) => {
    assert.deepEqual(await lookAt(rpc), [200, 'data: {"type":"hello",']);
  });
  const path = join(folder, "config.ini");
  const text = await readFile(path, "utf8");
  await writeFile(path, text.replace("[rpc]", "[rpc]\nlive_view=off"));
  await withNode(async ({ rpc }) => {
    assert.deepEqual(await lookAt(rpc), [403, "rpc.live_view is off\n"]);
  });
  await writeFile(path, text);
});
