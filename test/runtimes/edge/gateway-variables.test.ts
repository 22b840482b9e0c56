/** The worker of a gateway, and what its variables may be. It runs here, on the fetch of Node. */
import assert from "node:assert/strict";
import { test } from "vitest";
import worker from "../../../runtimes/edge/gateway.ts";

const RIGHT = {
  UPSTREAMS: "http://127.0.0.1:1,http://127.0.0.1:2",
  TRUSTED: `0:0x${"1".repeat(64)}`,
};

async function metricsWith(variables: Readonly<Record<string, string>>) {
  const request = new Request("http://localhost/metrics");
  const answer = await worker.fetch(request, { ...RIGHT, ...variables });
  return { status: answer.status, text: await answer.text() };
}

// Those that are right come last: an instance keeps what it has opened.
test("a number that cannot be is told by name, with what it has to be", async () => {
  for (const [name, value, wanted] of [
    ["GROUP", "1.5", "a whole number from 1 to 32767"],
    ["GROUP", "one", "a whole number from 1 to 32767"],
    ["KEPT_MIB", "16MiB", "a number from 0 to 1024"],
    ["KEPT_MIB", "-1", "a number from 0 to 1024"],
    ["STALE_SECONDS", "1e9", "a number from 0.1 to 86400"],
    ["TIMEOUT_SECONDS", "0", "a number from 0.1 to 600"],
    ["TIMEOUT_SECONDS", "Infinity", "a number from 0.1 to 600"],
    ["UPSTREAM_NAMES", "both", "numbers or hosts"],
  ] as const) {
    const { status, text } = await metricsWith({ [name]: value });
    assert.equal(status, 500, `${name}=${value}`);
    const said = `the variable ${name} is "${value}", and has to be ${wanted}`;
    assert.equal(text, `the gateway is not set up: ${said}\n`);
  }
  const twice = await metricsWith({ UPSTREAMS: "http://a.example,http://A.example:80/" });
  assert.match(twice.text, /upstreams 1 and 2 are one, named twice/);
});

test("numbers that fit are taken, and the public learns of no host", async () => {
  const { status, text } = await metricsWith({ GROUP: " 2 ", KEPT_MIB: "0.5", STALE_SECONDS: "" });
  assert.equal(status, 200);
  assert.match(text, /^chain_node_gateway_max_kept_bytes 524288$/m);
  assert.match(text, /left_out\{upstream="upstream-2"\} 0\n/);
  assert.doesNotMatch(text, /127\.0\.0\.1/);
});
