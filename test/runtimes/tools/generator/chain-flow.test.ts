// rules: interface 4.3, generator 9.1, generator 9.2, generator 8, generator 6.5, generator 13
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { deploymentIni, nodeAt } from "../../../support/generator/tool.ts";
import { portsInRow } from "../../../support/process/ports.ts";
import { endWithUs } from "../../../support/runner/own-children.ts";
import { ROOT } from "../../../support/runner/root.ts";
import { TAKES_ALL_CASES } from "../../../support/runner/cases.ts";
import { compiledIn } from "../../../support/console/console-chain.ts";
import { keepAnswers, lendAnswers } from "../../../support/runner/kept-answers.ts";
import { inFull } from "../../../support/runner/in-full.ts";

/** Ports of a node. */
const PORTS = 3;
/** A program of the name that users type. */
const GENERATOR = `node ${join(ROOT, "dist/node/generator.js")}`;

let home: string;
let tool: string;
let first: number;
const started: string[] = [];

/**
 * A file as the reference's tool leaves it: `key = value`, no comments, the sections in its order,
 * and a line with a tab behind values that came with a line feed. Source: generator 6.1, 6.3
 */
function inReferenceStyle(text: string, order: readonly string[]): string {
  const sections = new Map<string, string[]>();
  let lines: string[] = [];
  for (const raw of text.split("\n")) {
    const line = raw.trim();
    const [, name] = /^\[(\w+)\]$/.exec(line) ?? [];
    const [, key = "", value = ""] = /^([^;=]+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined) {
      lines = [];
      sections.set(name, lines);
    } else if (key !== "") {
      lines.push(`${key} = ${value}`);
      if (/^(node\.\d+|timestamp)$/.test(key)) lines.push("\t");
    }
  }
  const names = [...order, ...[...sections.keys()].filter((name) => !order.includes(name))];
  return names
    .map((name) => [`[${name}]`, ...(sections.get(name) ?? []), ""].join("\n"))
    .join("\n");
}

/**
 * Makes the group's files of a node those that a reference node has written itself, down to blanks
 * and comments; in the genesis node IDs, number and time are this chain's. No whole folder of a
 * reference node was recorded.
 */
function toRecordedGroup(folder: string): void {
  const recorded = (name: string) =>
    readFileSync(join(ROOT, "test/data/golden", `generated_group.3.${name}.txt`), "utf8");
  const path = join(folder, "conf/group.1.genesis");
  const own = new Map(
    readFileSync(path, "utf8")
      .match(/\S+=\S+/g)
      ?.map((line) => line.split("=") as [string, string]),
  );
  const genesis = recorded("genesis").replace(
    /(\bnode\.\d|\bid|timestamp)=.*/g,
    (_, key: string) => `${key}=${own.get(key)}`,
  );
  writeFileSync(path, genesis);
  writeFileSync(join(folder, "conf/group.1.ini"), recorded("ini"));
}

/** Makes the files of a node what the reference's tool writes. */
function toReferenceStyle(folder: string): void {
  const rewrite = (name: string, order: readonly string[]): void => {
    const path = join(folder, name);
    writeFileSync(path, inReferenceStyle(readFileSync(path, "utf8"), order));
  };
  rewrite("config.ini", []);
  rewrite("conf/group.1.genesis", ["group", "consensus", "state", "tx", "evm"]);
  rewrite("conf/group.1.ini", []);
}

/** Types a line into a shell; gives what it prints. */
function type(line: string, cwd: string): Promise<string> {
  const env = { ...process.env, HOME: home, NO_COLOR: "1" };
  const child = spawn("bash", ["-c", line], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  endWithUs(child);
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (bytes: Buffer) => {
    stdout += bytes.toString();
  });
  child.stderr.on("data", (bytes: Buffer) => {
    stderr += bytes.toString();
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(stdout);
      else reject(new Error(`${line} ended with ${code}:\n${stdout}\n${stderr}`));
    });
  });
}

const base = (index: number): number => first + index * PORTS;

function writeIni(folder: string, indexes: readonly number[], extra = ""): void {
  mkdirSync(folder, { recursive: true });
  const text = deploymentIni(indexes.map((index) => nodeAt(base(index))));
  writeFileSync(join(folder, "node_deployment.ini"), `${text}${extra}`);
}

async function ask(index: number, method: string, params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const url = `http://127.0.0.1:${base(index) + 2}`;
  const answer = (await (await fetch(url, { method: "POST", body })).json()) as {
    readonly result?: unknown;
    readonly error?: unknown;
  };
  if (answer.error !== undefined) throw new Error(JSON.stringify(answer.error));
  return answer.result;
}

/** Asks until the answer fits. */
async function until<T>(question: () => Promise<T>, fits: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await question();
    if (fits(answer)) return answer;
    await new Promise((resume) => setTimeout(resume, 100));
  }
}

/** Where a node is; -1 while it has not heard that it belongs to the group. */
async function headOf(index: number): Promise<number> {
  const head = await ask(index, "getBlockNumber", [1]).catch((cause: Error) => {
    if (cause.message.includes("-40009")) return -1;
    throw cause;
  });
  return Number(head);
}

function nodeDir(work: string, agency: string, index: number): string {
  return join(tool, work, agency, "node", `node_127.0.0.1_${base(index)}`);
}

function idOf(folder: string): string {
  return readFileSync(join(folder, "conf/node.nodeid"), "utf8").trim();
}

async function startAll(folder: string): Promise<void> {
  started.push(folder);
  const said = await type("bash ./start_all.sh", folder);
  assert.match(said, /start successfully/);
  assert.doesNotMatch(said, /FAILED/);
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "generator-chain-"));
  tool = join(home, "tool");
  first = await portsInRow(6 * PORTS);
  await type(`${GENERATOR} --create_tool_folder ./tool`, home);
  writeIni(join(tool, "tmp_one_click/agencyA"), [0, 1]);
  writeIni(join(tool, "tmp_one_click/agencyB"), [2, 3]);
});

afterAll(async () => {
  for (const folder of started) await type("bash ./stop_all.sh", folder).catch(() => undefined);
  await rm(home, { recursive: true, force: true });
});

test("two agencies build a chain and start it", async () => {
  const said = await type("bash ./one_click_generator.sh -b ./tmp_one_click", tool);
  assert.match(said, /run one_click_generator successful!\n$/);
  assert.deepEqual(readdirSync(join(tool, "meta")), ["README.txt"]);
  toRecordedGroup(nodeDir("tmp_one_click", "agencyB", 2));
  toReferenceStyle(nodeDir("tmp_one_click", "agencyB", 3));
  const agencies = ["agencyA", "agencyB"];
  await Promise.all(agencies.map((name) => startAll(join(tool, "tmp_one_click", name, "node"))));
  const sealers = await ask(0, "getSealerList", [1]);
  assert.equal((sealers as readonly string[]).length, 4);
});

/** Whether each node of both agencies has written the line that health checks search for. */
async function untilAlive(group: number): Promise<void> {
  for (const index of [0, 1, 2, 3]) {
    const folder = nodeDir("tmp_one_click", index < 2 ? "agencyA" : "agencyB", index);
    const look = `grep -h '+++' log/log_* | grep -c '\\[g:${group}\\]' || true`;
    await until(
      () => type(look, folder),
      (count) => Number(count) > 0,
    );
  }
}

test("before any transaction the logs say that consensus is alive", async () => {
  await untilAlive(1);
  assert.equal(await headOf(0), 0);
});

const agencyTool = () => join(tool, "tmp_one_click/agencyA/generator-agency");
const console = (words: string) => type(`bash ./console/console.sh 1 ${words}`, agencyTool());

test("a console of the agency deploys and calls", async () => {
  await type("./generator --download_console ./", agencyTool());
  const compiled = compiledIn(join(agencyTool(), "console"));
  await lendAnswers(compiled);
  assert.match(await console("deploy HelloWorld"), /contract address: *0x[0-9a-f]{40}/);
  assert.match(await console("call HelloWorld latest get"), /Hello, World!/);
  await keepAnswers(compiled);
});

// What an expansion writes is in one-click.test.ts; network-up.test.ts adds a node while nodes run.
inFull("the console registers new nodes, as observer and as sealer", async () => {
  // A new node of an agency of the chain, and a new agency.
  const expand = join(tool, "tmp_expand");
  writeIni(join(expand, "agencyA"), [4]);
  writeIni(join(expand, "agencyC"), [5]);
  for (const name of ["ca.crt", "ca.key", "peers.txt", "group.1.genesis"]) {
    cpSync(join(tool, "tmp_one_click", name), join(expand, name));
  }
  const cert = "agencyA/agency_cert";
  cpSync(join(tool, "tmp_one_click", cert), join(expand, cert), { recursive: true });
  await type("bash ./one_click_generator.sh -e ./tmp_expand", tool);
  assert.equal(readFileSync(join(expand, "peers.txt"), "utf8").trim().split("\n").length, 6);
  await Promise.all(["agencyA", "agencyC"].map((name) => startAll(join(expand, name, "node"))));
  const [observer, sealer] = [
    nodeDir("tmp_expand", "agencyA", 4),
    nodeDir("tmp_expand", "agencyC", 5),
  ];
  await until(
    async () => (await ask(0, "getNodeIDList", [1])) as readonly string[],
    (known) => known.includes(idOf(observer)) && known.includes(idOf(sealer)),
  );
  const lines = [
    `addObserver ${idOf(observer)}`,
    `addObserver ${idOf(sealer)}`,
    "getObserverList",
    `addSealer ${idOf(sealer)}`,
    `addSealer ${idOf(observer)}`,
    "getBlockNumber",
    "exit",
    // Nobody is there to read it.
    "getNothing",
  ];
  const session = `bash start.sh 1 <<'END'\n${lines.join("\n")}\nEND`;
  const shown = await type(session, join(agencyTool(), "console"));
  assert.equal(shown.match(/"code":0,\n +"msg":"success"/g)?.length, 4, shown);
  const observers = [observer, sealer].map(idOf).sort();
  assert.deepEqual(shown.match(/\b[0-9a-f]{128}\b/g)?.sort(), observers);
  const head = Number(/^\d+$/m.exec(shown)?.[0]);
  assert.ok(head > 0, shown);
  for (const index of [4, 5])
    await until(
      () => headOf(index),
      (number) => number >= head,
    );
  assert.equal(((await ask(5, "getSealerList", [1])) as readonly string[]).length, 6);
});

// network-up.test.ts adds a group while nodes run; what the tool writes for it is in flow.test.ts.
inFull("a new group is loaded by running nodes, started, stopped and removed", async () => {
  const members = [
    ["agencyA", 0],
    ["agencyA", 1],
    ["agencyB", 2],
    ["agencyB", 3],
  ] as const;
  const lines = members.map(([, index]) => `node${index}=127.0.0.1:${base(index)}`);
  const text = `[group]\ngroup_id=2\n[nodes]\n${lines.join("\n")}\n`;
  writeFileSync(join(tool, "conf/group_genesis.ini"), text);
  for (const agency of ["agencyA", "agencyB"]) {
    await type(`cp ./tmp_one_click/${agency}/generator-agency/meta/cert_* ./meta`, tool);
  }
  await type("./generator --create_group_genesis ./group", tool);
  const joinGroup = async ([agency, index]: (typeof members)[number]): Promise<void> => {
    const folder = nodeDir("tmp_one_click", agency, index);
    await type(`./generator --add_group ./group/group.2.genesis ${folder}`, tool);
    assert.match(await type(`bash ${folder}/scripts/load_new_groups.sh`, tool), /has loaded/);
    const { code } = (await ask(index, "startGroup", [2])) as { readonly code: string };
    assert.ok(["0x0", "0x3"].includes(code), code);
  };
  await Promise.all(members.map(joinGroup));
  for (const [, index] of members) {
    assert.deepEqual(await ask(index, "getGroupList", []), [1, 2]);
    assert.equal(((await ask(index, "getSealerList", [2])) as readonly string[]).length, 4);
  }
  await untilAlive(2);
  for (const [, index] of members) {
    for (const method of ["stopGroup", "removeGroup"]) {
      assert.equal(((await ask(index, method, [2])) as { readonly code: string }).code, "0x0");
    }
    assert.deepEqual(await ask(index, "getGroupList", []), [1]);
  }
  await type("rm -f meta/cert_* meta/group*", tool);
});

// What the script says and the node reads is in tool-scripts.test.ts and channel/limits.test.ts.
inFull("a changed whitelist is checked and taken over by a running node", async () => {
  const folder = nodeDir("tmp_one_click", "agencyA", 0);
  const config = join(folder, "config.ini");
  const text = readFileSync(config, "utf8");
  const list = (id: string) => writeFileSync(config, text.replace(";cal.0=", `cal.0=${id}`));
  list("1234");
  const script = `bash ${folder}/scripts/reload_whitelist.sh`;
  await assert.rejects(type(script, tool), /line \d+: +cal\.0=1234/);
  list(idOf(nodeDir("tmp_one_click", "agencyA", 1)));
  assert.match(await type(script, tool), /has read its whitelist again/);
  writeFileSync(config, text);
  await type(script, tool);
});

test("all nodes are at one head, and stop", async () => {
  const nodes = TAKES_ALL_CASES ? [0, 1, 2, 3, 4, 5] : [0, 1, 2, 3];
  const head = await until(
    async () => Promise.all(nodes.map(headOf)),
    (heads) => new Set(heads).size === 1,
  );
  assert.ok((head[0] ?? 0) >= (TAKES_ALL_CASES ? 4 : 1));
  const stopped = started.map((folder) => type("bash ./stop_all.sh", folder));
  for (const said of await Promise.all(stopped)) assert.match(said, /stop successfully/);
  for (const folder of started) {
    for (const name of readdirSync(folder)) assert.ok(!existsSync(join(folder, name, "node.pid")));
  }
});
