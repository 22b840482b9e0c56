/** What tests do with a console and look for, in one word each. */
import assert from "node:assert/strict";
import type { ConsoleChain } from "./console-chain.ts";

/** Steps of tests on one chain. */
export interface Steps {
  world(): ConsoleChain;
  /** Each line has been done; their data. */
  done(lines: readonly string[], ...words: readonly string[]): Promise<unknown[]>;
  /** No line has been done; code and message of each. */
  refused(
    lines: readonly string[],
    ...words: readonly string[]
  ): Promise<(readonly [code: number, message: string])[]>;
  nodeId(index: number): string;
  /** The channel port of a node. */
  endpoint(index: number): string;
}

/** Steps on a chain that is there once tests run. */
export function stepsOn(world: () => ConsoleChain): Steps {
  return {
    world,
    async done(lines, ...words) {
      const told = await world().script(lines, ...words);
      assert.equal(told.length, lines.length);
      return told.map(({ ok, message, data }, index) => {
        assert.ok(ok, `${lines[index]}: ${message}`);
        return data;
      });
    },
    async refused(lines, ...words) {
      const told = await world().script(lines, ...words);
      assert.equal(told.length, lines.length);
      return told.map(({ ok, code, message }, index) => {
        assert.ok(!ok, lines[index]);
        return [code, message] as const;
      });
    },
    nodeId: (index) => world().chain.nodes[index]?.nodeId ?? "",
    endpoint: (index) => world().endpoints[index] ?? "",
  };
}
