/** Options that npm took for its own. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { COMMAND_ROWS } from "../../../../runtimes/node/cli/command-rows.ts";
import { swallowedOptions } from "../../../../runtimes/node/dev/swallowed-options.ts";

const START = { npm_lifecycle_event: "start" };

function told(args: readonly string[], env: Readonly<Record<string, string>>): string | undefined {
  const row = COMMAND_ROWS.find(({ name }) => name === "dev");
  assert.ok(row);
  return swallowedOptions(row, args, env);
}

test("an option that npm kept is reported as it should have been typed", () => {
  const port = told(["1234"], { ...START, npm_config_port: "true" });
  assert.match(port ?? "", /npm took --port for its own; .*: npm start -- --port 1234$/);
  const joined = told([], { ...START, npm_config_port: "1234" });
  assert.match(joined ?? "", /npm start -- --port 1234$/);
  assert.match(told([], { ...START, npm_config_reset: "true" }) ?? "", /npm start -- --reset$/);
  const two = told(["7", "1"], { ...START, npm_config_nodes: "true", npm_config_port: "true" });
  assert.match(two ?? "", /npm start -- --nodes <count> --port <port>$/);
});

test("options behind two dashes, npm's own, and other scripts are left alone", () => {
  assert.equal(told(["--port", "1234"], START), undefined);
  assert.equal(told([], { ...START, npm_config_json: "true" }), undefined);
  assert.equal(told([], { npm_config_port: "1234" }), undefined);
});
