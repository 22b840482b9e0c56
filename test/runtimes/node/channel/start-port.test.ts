// The port of SDKs of a node that was started from its folder: files, lists, limits, the end.
// rules: channel-protocol 2.2, 6, 10
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { MESSAGE_TYPE } from "../../../../core/channel/frame.ts";
import { ChannelLink, linkTarget } from "../../../support/channel/channel-link.ts";
import { request, startProgram } from "../../../support/process/dev-process.ts";
import { initProcessChain, type ProcessChain } from "../../../support/process/node-processes.ts";

let chain: ProcessChain;
let folder: string;
let program: Awaited<ReturnType<typeof startProgram>>;
let endpoint: string;
let rpc: string;

beforeAll(async () => {
  chain = await initProcessChain({ nodes: 1 });
  folder = chain.nodes[0]?.folder ?? assert.fail();
  program = await startProgram(["start", "-c", join(folder, "config.ini"), "--json"]);
  const ready = JSON.parse(program.line) as { readonly channel: string; readonly rpc: string };
  endpoint = ready.channel;
  rpc = ready.rpc;
});

afterAll(async () => {
  await program?.end("SIGTERM");
  await chain?.close();
});

function connect(): Promise<ChannelLink> {
  return ChannelLink.open(linkTarget(endpoint, join(folder, "..", "agency", "sdk")));
}

/** The answer to getBlockNumber, as it came. */
async function ask(link: ChannelLink): Promise<string> {
  const text = '{"jsonrpc":"2.0","id":7,"method":"getBlockNumber","params":[1]}';
  const { data } = await link.ask(MESSAGE_TYPE.rpc, text);
  return Buffer.from(data).toString("utf8").trim();
}

/** Nobody's identity. */
const OTHER = "ab".repeat(64);
const ANSWER = '{"id":7,"jsonrpc":"2.0","result":"0x0"}';

/** Asks until the answer is the one that is waited for: the node looks for its file at times. */
async function askUntil(link: ChannelLink, isIt: (answer: string) => boolean): Promise<string> {
  for (let tries = 0; tries < 200; tries++) {
    const answer = await ask(link);
    if (isIt(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return assert.fail("the answer never changed");
}

/** Sets a key that the file has as a comment, has the node read it, and undoes it at the end. */
async function withKey(file: string, key: string, value: string, work: () => Promise<void>) {
  const path = join(folder, file);
  const before = await readFile(path, "utf8");
  const after = before.replace(new RegExp(`^( *);${key}=.*$`, "m"), `$1${key}=${value}`);
  assert.notEqual(after, before, key);
  const signal = join(folder, "config.ini.reset_allowlist");
  await writeFile(path, after);
  await writeFile(signal, "");
  try {
    await work();
  } finally {
    await writeFile(path, before);
    await writeFile(signal, "");
  }
}

test("an SDK with the files that init wrote is answered", async () => {
  const link = await connect();
  assert.equal(await ask(link), ANSWER);
  link.close();
});

test("a list that is written while the node runs keeps an SDK out, and lets it in again", async () => {
  const link = await connect();
  await withKey("conf/group.1.ini", "public_key.0", OTHER, async () => {
    const refused = await askUntil(link, (answer) => answer !== ANSWER);
    const message = "getBlockNumber The SDK is not allowed to access this group";
    const error = `{"code":-40012,"data":null,"message":"${message}"}`;
    assert.equal(refused, `{"error":${error},"id":null,"jsonrpc":"2.0"}`);
  });
  await askUntil(link, (answer) => answer === ANSWER);
  link.close();
});

test("a list that was written while the group did not run is in force when it starts", async () => {
  const link = await connect();
  await request(rpc, "stopGroup", [1]);
  const path = join(folder, "conf/group.1.ini");
  const before = await readFile(path, "utf8");
  await writeFile(path, before.replace(/^( *);public_key.0=.*$/m, `$1public_key.0=${OTHER}`));
  await request(rpc, "startGroup", [1]);
  assert.match(await ask(link), /-40012/);
  await writeFile(path, before);
  await writeFile(join(folder, "config.ini.reset_allowlist"), "");
  await askUntil(link, (answer) => answer === ANSWER);
  link.close();
});

test("so does a limit of the node, whose refusals have their id", async () => {
  const link = await connect();
  await withKey("config.ini", "limit_req", "1", async () => {
    const refused = await askUntil(link, (answer) => answer !== ANSWER);
    assert.match(refused, /"code":-40011.*getBlockNumber Over QPS limit.*"id":7/);
  });
  await askUntil(link, (answer) => answer === ANSWER);
  link.close();
});

test("a node that is told to stop ends its sessions in good form", async () => {
  const link = await connect();
  const ended = new Promise<void>((resolve) => link.socket.once("end", () => resolve()));
  await program.end("SIGTERM");
  await ended;
});
