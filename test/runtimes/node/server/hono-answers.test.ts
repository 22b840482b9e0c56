/** What a node serves passes the hono app: counted by the engine, of a chain as it runs. */
import assert from "node:assert/strict";
import { Session } from "node:inspector/promises";
import { test } from "vitest";
import { useBuiltWorkers } from "../threads/built-workers.ts";
import { createLog } from "../../../../runtimes/node/log/log.ts";
import { startDevChain } from "../../../../runtimes/node/dev/start-dev-chain.ts";
import { NOTHING_LISTED } from "../../../../runtimes/shared/http-caller.ts";

const ASKED = '{"jsonrpc":"2.0","method":"getClientVersion","params":[],"id":1}';

/** How often hono has begun with a request since it was last asked. */
async function dispatched(session: Session): Promise<number> {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const hono = result.filter(({ url }) => url.endsWith("/hono/dist/hono-base.js"));
  const counts = hono
    .flatMap(({ functions }) => functions)
    .filter(({ functionName }) => functionName === "#dispatch")
    .map(({ ranges }) => ranges[0]?.count ?? 0);
  return counts.reduce((sum, count) => sum + count, 0);
}

test("each JSON-RPC request passes the hono app, whatever form its body has", async () => {
  useBuiltWorkers();
  const chain = await startDevChain({
    nodes: 1,
    data: undefined,
    ephemeral: true,
    blockTimeMs: 1_000,
    sm: false,
    host: "127.0.0.1",
    port: 0,
    lists: NOTHING_LISTED,
    maxBodyBytes: 1_000_000,
    shareRecovery: true,
    log: createLog({ level: "off", target: process.stderr }),
  });
  const session = new Session();
  session.connect();
  try {
    const url = chain.servers[0]?.url ?? assert.fail("nothing is served");
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    const ask = async (body: string | ReadableStream) => {
      const answer = await fetch(url, { method: "POST", body, duplex: "half" } as RequestInit);
      assert.equal(answer.status, 200);
      assert.match(await answer.text(), /"result":\{"Build Time"/);
    };
    await dispatched(session);
    for (let calls = 0; calls < 20; calls++) await ask(ASKED);
    assert.equal(await dispatched(session), 20, "bodies of known length");
    await ask(`[${ASKED},${ASKED}]`);
    assert.equal(await dispatched(session), 1, "a batch");
    for (let calls = 0; calls < 5; calls++) await ask(new Blob([ASKED]).stream());
    assert.equal(await dispatched(session), 5, "bodies in chunks");
  } finally {
    session.disconnect();
    await chain.close();
  }
});
