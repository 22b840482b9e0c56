/**
 * Every command about contracts, names, tables, permissions, votes, life cycle, gas and events
 * against one chain of four node processes, through the built console. The tests follow each other:
 * the committee of the last ones decides about everybody.
 */
// rules: console 3, 4.3, 4.6, 4.7, 4.8, 4.9, 4.10, 9
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { createStandardSuite } from "../../../../core/crypto/standard.ts";
import { accountOf } from "../../../../core/client/account.ts";
import { keyPairOf, privateKeyPem } from "../../../../runtimes/folder/private-key.ts";
import { hexBytes } from "../../../../core/bytes/hex.ts";
import { type ConsoleChain, startConsoleChain } from "../../../support/console/console-chain.ts";
import { stepsOn } from "../../../support/console/steps.ts";
import { contractTests, writeSources } from "./contract-chain/contracts.ts";
import { eventTests } from "./contract-chain/events.ts";
import { gasTests } from "./contract-chain/gas.ts";
import { governanceTests } from "./contract-chain/governance.ts";
import { lifeCycleTests } from "./contract-chain/life-cycle.ts";
import { nameTests } from "./contract-chain/names.ts";
import { permissionTests } from "./contract-chain/permissions.ts";
import { tableTests } from "./contract-chain/tables.ts";

let world: ConsoleChain;
const KEYS = { mine: "01".repeat(32), other: "02".repeat(32) };
const [mine = "", other = ""] = Object.values(KEYS).map(
  (key) => accountOf(key, createStandardSuite()).address,
);

async function writeKey(name: string, digits: string): Promise<void> {
  const pair = keyPairOf(hexBytes(digits));
  if (pair) await writeFile(join(world.folder, name), privateKeyPem(pair));
}

beforeAll(async () => {
  world = await startConsoleChain({ nodes: 4, pauseMs: 50 });
  await writeSources(world.folder);
  for (const [name, key] of Object.entries(KEYS)) await writeKey(`${name}.pem`, key);
});

afterAll(() => world.close());

const steps = stepsOn(() => world);
/** Words in front of a command: who signs. */
const people = {
  mine: { address: mine, words: ["1", "-pem", "mine.pem"] },
  other: { address: other, words: ["1", "-pem", "other.pem"] },
};
contractTests(steps, people);
nameTests(steps, people);
tableTests(steps, people);
eventTests(steps, people);
permissionTests(steps, people);
lifeCycleTests(steps, people);
governanceTests(steps, people);
gasTests(steps, people);
