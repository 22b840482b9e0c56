/**
 * Every command about queries, roles, groups and accounts against one chain of four nodes, through
 * the built console: by channel and by HTTP, as single commands, as a script and on a terminal.
 */
// rules: console 1, 2, 3, 4.1, 4.2, 4.4, 4.5, 6
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type ConsoleChain, startConsoleChain } from "../../../support/console/console-chain.ts";
import { stepsOn } from "../../../support/console/steps.ts";
import { setIni } from "../../../support/process/node-processes.ts";
import { accountTests } from "./chain/accounts.ts";
import { connectionTests } from "./chain/connections.ts";
import { groupTests } from "./chain/groups.ts";
import { queryTests } from "./chain/queries.ts";
import { roleTests } from "./chain/roles.ts";
import { startTests } from "./chain/starts.ts";
import { terminalTests } from "./chain/terminal.ts";
import { TOKEN } from "./chain/token.ts";

let world: ConsoleChain;

beforeAll(async () => {
  const options = { nodes: 4, groups: "1:pbft,2:raft", hosted: true };
  world = await startConsoleChain(options, async ({ nodes }) => {
    // The last node wants a token to be managed over HTTP.
    const folder = nodes[3]?.folder ?? "";
    const config = join(folder, "config.ini");
    await setIni(config, "rpc", ["management", "token"]);
    await setIni(config, "rpc", ["management_token_file", "token.txt"]);
    await writeFile(join(folder, "token.txt"), TOKEN);
  });
});

afterAll(() => world.close());

const steps = stepsOn(() => world);
roleTests(steps);
queryTests(steps);
groupTests(steps);
accountTests(steps);
startTests(steps);
connectionTests(steps);
terminalTests(steps);
