/**
 * Every command against one chain of four nodes, through the console: by channel and by HTTP, as
 * single commands, as a script and on a terminal. With few cases a PBFT group is asked, by some
 * commands of each kind; with all, a Raft group too, by every command. The tests follow each other:
 * what one has deployed, another calls, and the committee of the last ones decides about
 * everybody.
 */
// rules: console 1, 2, 3, 4.1, 4.2, 4.3, 4.4, 4.5, 4.6, 4.7, 4.8, 4.9, 4.10, 6, 9
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { hexBytes } from "../../../../core/bytes/hex.ts";
import { accountOf } from "../../../../core/client/account.ts";
import { createStandardSuite } from "../../../../core/crypto/standard.ts";
import {
  readGenesisFile,
  writeGenesisFile,
} from "../../../../runtimes/formats/config/genesis-file.ts";
import { keyPairOf, privateKeyPem } from "../../../../runtimes/folder/private-key.ts";
import {
  type ConsoleChain,
  ofGroup,
  startConsoleChain,
} from "../../../support/console/console-chain.ts";
import { stepsOn } from "../../../support/console/steps.ts";
import { editFile, setIni } from "../../../support/process/node-processes.ts";
import { TAKES_ALL_CASES } from "../../../support/runner/cases.ts";
import { accountTests } from "./chain/accounts.ts";
import { connectionTests } from "./chain/connections.ts";
import { groupTests } from "./chain/groups.ts";
import { queryTests } from "./chain/queries.ts";
import { roleTests } from "./chain/roles.ts";
import { startTests } from "./chain/starts.ts";
import { terminalTests } from "./chain/terminal.ts";
import { TOKEN } from "./chain/token.ts";
import { groupTrialTests, trialTests } from "./chain/trials.ts";
import { contractTests, writeSources } from "./contract-chain/contracts.ts";
import { eventTests, interruptTest } from "./contract-chain/events.ts";
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
/** Words in front of a command: who signs. */
const PEOPLE = {
  mine: { address: mine, words: ["-pem", "mine.pem"] },
  other: { address: other, words: ["-pem", "other.pem"] },
};

async function writeKey(name: string, digits: string): Promise<void> {
  const pair = keyPairOf(hexBytes(digits));
  if (pair) await writeFile(join(world.folder, name), privateKeyPem(pair));
}

/** By Raft a block that is not full comes a second after the last: one transaction fills one. */
function hurryRaft(path: string): Promise<void> {
  return editFile(path, (text) => {
    const { genesis } = readGenesisFile(text, path).value;
    return writeGenesisFile({ ...genesis, maxTransactions: 1 });
  });
}

beforeAll(async () => {
  const options = { nodes: 4, groups: "1:pbft,2:raft", hosted: true, pauseMs: 10 };
  world = await startConsoleChain(options, async ({ nodes }) => {
    // The last node wants a token to be managed over HTTP.
    const folder = nodes[3]?.folder ?? "";
    const config = join(folder, "config.ini");
    await setIni(config, "rpc", ["management", "token"]);
    await setIni(config, "rpc", ["management_token_file", "token.txt"]);
    await writeFile(join(folder, "token.txt"), TOKEN);
    for (const node of nodes) await hurryRaft(join(node.folder, "conf/group.2.genesis"));
  });
  await writeSources(world.folder);
  for (const [name, key] of Object.entries(KEYS)) await writeKey(`${name}.pem`, key);
});

afterAll(() => world.close());

const GROUPS = [
  ["PBFT", 1],
  ["Raft", 2],
] as const;
describe.each(TAKES_ALL_CASES ? GROUPS : GROUPS.slice(0, 1))(
  "of a %s group",
  (consensus, groupId) => {
    let group: ConsoleChain;
    beforeAll(() => {
      group = ofGroup(world, groupId);
    });
    afterAll(() => group.close());
    const steps = stepsOn(() => group);
    roleTests(steps);
    queryTests(steps, consensus);
    contractTests(steps, PEOPLE, groupId);
    tableTests(steps, PEOPLE);
    // Of each of these families commands/contract-families.test.ts has what the console sends and
    // shows, and the tests of precompiled contracts have what the chain does.
    if (TAKES_ALL_CASES) {
      nameTests(steps, PEOPLE);
      eventTests(steps, PEOPLE);
      permissionTests(steps, PEOPLE);
      lifeCycleTests(steps, PEOPLE);
      governanceTests(steps, PEOPLE);
      gasTests(steps, PEOPLE);
      // PBFT has a view, and Raft has none.
      groupTrialTests(steps, consensus === "PBFT" ? "getPbftView refused" : "getPbftView done");
    }
  },
);

describe("of a console", () => {
  const steps = stepsOn(() => world);
  groupTests(steps);
  accountTests(steps);
  startTests(steps);
  connectionTests(steps);
  terminalTests(steps);
  if (!TAKES_ALL_CASES) return;
  interruptTest(steps);
  trialTests(steps);
});
