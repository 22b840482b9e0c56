/** The first screen of `chain-node start`, and how it ends on signals. */
// rules: groups 8
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { runProgram, untilSaid } from "../../../support/process/dev-chain-process.ts";
import { freePort } from "../../../support/process/dev-process.ts";
import { initProcessChain, type ProcessChain } from "../../../support/process/node-processes.ts";

let chain: ProcessChain;
let config: string;
let wsPort: number;

beforeAll(async () => {
  chain = await initProcessChain({ nodes: 1 });
  config = join(chain.nodes[0]?.folder ?? "", "config.ini");
  wsPort = await freePort();
  const text = await readFile(config, "utf8");
  await writeFile(config, text.replace("[p2p]", `[p2p]\n    ws_listen_port=${wsPort}`));
});

afterAll(() => chain?.close());

test("the screen shows both listeners for peers and the log; what init wrote gives no warning", async () => {
  const node = runProgram("start", "-c", config);
  await untilSaid(node, () => /^groups .*$/m.test(node.stdout()));
  node.child.kill("SIGTERM");
  const { code, stdout, stderr } = await node.ended;
  // On a busy machine the start may be reported as a long turn.
  const warnings = stderr.split("\n").filter((line) => !/^$|worked too long/.test(line));
  assert.deepEqual([code, warnings], [0, []]);
  assert.match(stdout, new RegExp(`^peers .*/tcp/\\d+.* .*/tcp/${wsPort}/ws`, "m"));
  assert.match(stdout, /^log {6}.*node0\/log\/log_\d{10}\.\d\d\.log$/m);
  assert.match(stdout, /^groups {3}1$/m);
  assert.match(stdout, /stopped; ledgers are kept\n$/);
});
