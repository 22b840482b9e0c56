/** Life cycle of groups: to whom what is reported. */
// rules: console 4.5
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { ConsoleFault } from "../../../../../runtimes/tools/console/command.ts";
import { COMMANDS } from "../../../../../runtimes/tools/console/commands/all.ts";
import { readLine, runInvocation } from "../../../../../runtimes/tools/console/run-line.ts";
import { type PosedSession, posedSession } from "../../../../support/console/posed-session.ts";

const [A, B] = ["aa", "bb"].map((text) => text.repeat(64));
const NODE = "127.0.0.1:20200";
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "console-groups-"));
});

afterAll(() => rm(home, { recursive: true }));

function session(code = "0x0"): PosedSession {
  const answer = { code, message: "said" };
  const names = ["startGroup", "stopGroup", "removeGroup", "recoverGroup", "generateGroup"];
  const results = Object.fromEntries(names.map((name) => [name, answer]));
  const status = { ...answer, status: "RUNNING" };
  return posedSession({ groupId: 3, results: { ...results, queryGroupStatus: status } });
}

const run = (posed: PosedSession, line: string) => runInvocation(posed, readLine(line, COMMANDS));

async function faultOf(line: string, posed = session()): Promise<ConsoleFault> {
  const cause: unknown = await run(posed, line).then(
    () => undefined,
    (fault: unknown) => fault,
  );
  assert.ok(cause instanceof ConsoleFault, line);
  return cause;
}

test("each operation goes to the node that is named, for the current group or another", async () => {
  for (const name of ["startGroup", "stopGroup", "removeGroup", "recoverGroup"]) {
    const posed = session();
    const { text } = await run(posed, `${name} ${NODE}`);
    assert.equal(text, '{\n    "code":"0x0",\n    "message":"said"\n}');
    await run(posed, `${name} ${NODE} 7`);
    assert.deepEqual(posed.calls, [`at ${NODE}`, `${name} 3`, `at ${NODE}`, `${name} 7`]);
  }
  const { text } = await run(session(), `queryGroupStatus ${NODE}`);
  assert.match(text, /"status":"RUNNING"/);
});

test("every code but 0x0 is a failure, and printed as the node wrote it", async () => {
  const fault = await faultOf(`stopGroup ${NODE}`, session("0x4"));
  assert.deepEqual([fault.code, fault.message, fault.exitCode], [4, "said", 1]);
  assert.equal(fault.text, '{\n    "code":"0x4",\n    "message":"said"\n}');
});

/** What generateGroup is given, and the parameters that it sends. */
const GENERATED: readonly (readonly [words: string, sealers: readonly string[], free: boolean])[] =
  [
    [`${A}`, [A ?? ""], false],
    [`true ${A} ${B}`, [A ?? "", B ?? ""], true],
    // A literal false is no node ID.
    [`false ${A}`, [A ?? ""], false],
  ];
for (const [words, sealers, free] of GENERATED) {
  test(`generateGroup with "${words.slice(0, 8)}..." has ${sealers.length} sealers`, async () => {
    let sent: unknown;
    const posed = session();
    const record: PosedSession = {
      ...posed,
      nodeAt: (endpoint) =>
        Promise.resolve({
          endpoint,
          query: (_method: string, params: unknown) => {
            sent = params;
            return Promise.resolve({ code: "0x0", message: "" }) as never;
          },
        }),
    };
    await run(record, `generateGroup ${NODE} 9 1700000000000 ${words}`);
    const genesis = { timestamp: "1700000000000", sealers, enable_free_storage: free };
    assert.deepEqual(sent, [9, genesis]);
  });
}

test("generateGroup refuses what cannot be", async () => {
  const said = async (words: string) => (await faultOf(`generateGroup ${words}`)).message;
  assert.match(await said(`${NODE} 0 1 ${A}`), /groupId "0"/);
  assert.match(await said(`${NODE} 9 x ${A}`), /timestamp "x"/);
  assert.match(await said(`${NODE} 9 1 true`), /a node ID at least/);
  await assert.rejects(run(session(), `generateGroup ${NODE} 9 1 ${A}a`), {
    name: "ClientCodeFault",
    code: -51_100,
    message: "invalid node ID",
  });
  assert.match(await said(`node 9 1 ${A}`), /"node" is no endpoint/);
});

async function groupFile(text: string): Promise<string> {
  const file = join(home, "group.toml");
  await writeFile(file, text);
  return file;
}

const WHOLE = `[groupPeers]
peers = ["127.0.0.1:20200", "127.0.0.1:20201"]
[consensus]
sealerList = ["${A}", "${B}"]
[genesis]
timestamp = ""
`;

test("a group of a file is written on each node, with one timestamp for all", async () => {
  const posed = session();
  const outcome = await run(posed, `generateGroupFromFile ${await groupFile(WHOLE)} 9`);
  const blocks = outcome.text.split("* Result of ").map((part) => part.split(":\n")[0]);
  assert.deepEqual(blocks, ["", "127.0.0.1:20200", "127.0.0.1:20201"]);
  assert.deepEqual(
    posed.calls.filter((call) => call.startsWith("at")),
    ["at 127.0.0.1:20200", "at 127.0.0.1:20201"],
  );
  const { timestamp } = outcome.data as { readonly timestamp: string };
  assert.match(timestamp, /^\d{13}$/);
});

test("one node that refuses is a failure; the results of all are printed", async () => {
  const posed = session("0x8");
  const fault = await faultOf(`generateGroupFromFile ${await groupFile(WHOLE)} 9`, posed);
  assert.deepEqual([fault.code, fault.message], [8, "said"]);
  assert.equal(fault.text?.match(/\* Result of /g)?.length, 2);
});

/** Files that cannot be, and what is reported. */
const WRONG: readonly (readonly [text: string, said: RegExp])[] = [
  ["", /the section \[groupPeers\] is missing/],
  ["[groupPeers]\npeers = []", /groupPeers\.peers: a list of texts is wanted/],
  [
    '[groupPeers]\npeers = ["a"]\n[consensus]\nsealerList = ["x"]',
    /group\.toml: consensus\.sealerList: invalid node ID: "x"/,
  ],
  [WHOLE.replace("127.0.0.1:20201", "nowhere"), /"nowhere" is no endpoint/],
  [WHOLE.replace('timestamp = ""', 'timestamp = "soon"'), /timestamp "soon"/],
  ["[groupPeers", /group\.toml:1: /],
];
for (const [text, said] of WRONG) {
  test(`a file that says ${JSON.stringify(text.slice(0, 30))} is refused`, async () => {
    const { message } = await faultOf(`generateGroupFromFile ${await groupFile(text)} 9`);
    assert.match(message, said);
  });
}

test("a file that is not there is told", async () => {
  const { message } = await faultOf(`generateGroupFromFile ${join(home, "none")} 9`);
  assert.match(message, /none: the file does not exist/);
});
