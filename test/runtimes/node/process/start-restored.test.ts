/** The folder of a stopped node, copied and started in its place. */
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, test } from "vitest";
import { runHosted } from "../../../support/process/hosted-command.ts";
import {
  growingPauses,
  request,
  sleep,
  waitForReceipt,
} from "../../../support/process/dev-process.ts";
import { createHouse, type HostedNode } from "../../../support/process/hosted-nodes.ts";
import {
  initProcessChain,
  type NodeProcess,
  untilEqual,
} from "../../../support/process/node-processes.ts";
import { createSender } from "../../../support/sender.ts";
import { STANDARD_SUITE } from "../../../support/suites.ts";

const LIMIT_MS = 240_000;
const send = createSender(STANDARD_SUITE);
const house = createHouse("standard");

afterAll(() => house.close());

interface Ready {
  readonly ready: boolean;
  readonly warnings: readonly string[];
  readonly groups: readonly { readonly height: number; readonly silence?: object }[];
}

async function readiness(url: string): Promise<Ready> {
  return (await (await fetch(`${url}/readyz`)).json()) as Ready;
}

async function sendOne(url: string, head: number): Promise<string> {
  const { raw, hash } = send({ head });
  await request(url, "sendRawTransaction", [1, raw]);
  return hash;
}

/** Copies the folder of a node that is stopped, and starts the copy in its place. */
async function startCopy(node: NodeProcess): Promise<{ folder: string; program: HostedNode }> {
  const folder = `${node.folder}-restored`;
  await cp(node.folder, folder, { recursive: true });
  const program = await house.start(join(folder, "config.ini"));
  return { folder, program };
}

/** What a command prints; `status` of a node that cannot write ends with 1. */
async function run(...args: string[]): Promise<string> {
  const { stdout, stderr } = await runHosted(...args);
  return stdout + stderr;
}

async function untilHeard(url: string, holds: (seen: Ready) => boolean): Promise<Ready> {
  const end = performance.now() + LIMIT_MS;
  for (const pause = growingPauses(); ; await pause()) {
    const seen = await readiness(url);
    if (holds(seen)) return seen;
    assert.ok(performance.now() < end, JSON.stringify(seen));
  }
}

// This one and the next mostly wait, in parallel: only the next gives commands.
test.concurrent("a copy that takes the place of one of four follows, then votes past its old votes", async () => {
  const chain = await initProcessChain({ nodes: 4, pauseMs: 100, hosted: true });
  const [first, , , last] = chain.nodes;
  assert.ok(first && last);
  let copy: HostedNode | undefined;
  try {
    await Promise.all(chain.nodes.map((node) => node.start()));
    await waitForReceipt(first.url, await sendOne(last.url, 0), LIMIT_MS);
    await untilEqual(chain.nodes, 1, LIMIT_MS);
    await last.end("SIGTERM");
    await waitForReceipt(first.url, await sendOne(first.url, 1), LIMIT_MS);
    copy = (await startCopy(last)).program;
    const { ready, warnings } = await untilHeard(last.url, ({ groups: [group] }) =>
      /"until":4/.test(JSON.stringify(group?.silence ?? {})),
    );
    assert.ok(ready);
    assert.match(warnings.join("\n"), /group 1 follows as a silent observer, .* block 4, or chain/);
    for (const head of [2, 3]) {
      const hash = await sendOne(last.url, head);
      await waitForReceipt(last.url, hash, LIMIT_MS);
    }
    const seen = await untilHeard(last.url, ({ groups: [group] }) => !group?.silence);
    assert.deepEqual([seen.groups[0]?.height, seen.warnings], [4, []]);
    // With another one away nothing goes without its votes.
    await first.end("SIGTERM");
    await waitForReceipt(last.url, await sendOne(last.url, 4), LIMIT_MS);
  } finally {
    await copy?.end("SIGTERM");
    await chain.close();
  }
});

/** A busy node answers late, and a command does not wait for long: it is given again. */
async function untilSaid(command: readonly string[], said: RegExp): Promise<void> {
  let heard = await run(...command);
  for (let left = 20; left > 0 && !said.test(heard); left--) {
    await sleep(500);
    heard = await run(...command);
  }
  assert.match(heard, said);
}

test.concurrent("the copy of the only sealer makes no block before its operator confirms it", async () => {
  const chain = await initProcessChain({ nodes: 1, hosted: true });
  const [only] = chain.nodes;
  assert.ok(only);
  let copy: Awaited<ReturnType<typeof startCopy>> | undefined;
  try {
    await only.start();
    await waitForReceipt(only.url, await sendOne(only.url, 0), LIMIT_MS);
    await only.end("SIGTERM");
    await only.start();
    assert.deepEqual((await readiness(only.url)).warnings, []);
    await only.end("SIGTERM");
    copy = await startCopy(only);
    const hash = await sendOne(only.url, 1);
    await sleep(1_500);
    assert.equal(await only.blockNumber(), 1);
    await untilSaid(["status", copy.folder], /silent +0\/1 +1 .*\n[\s\S]*until chain-node confirm/);
    await untilSaid(["confirm", copy.folder, "--group", "2"], /nothing was silent: group 2/);
    assert.equal(await only.blockNumber(), 1);
    await untilSaid(["confirm", copy.folder], /confirmed for group 1: /);
    await waitForReceipt(only.url, hash, LIMIT_MS);
    await copy.program.end("SIGTERM");
    assert.match(await run("confirm", copy.folder), /the node does not run/);
  } finally {
    await copy?.program.end("SIGTERM");
    await chain.close();
  }
});
