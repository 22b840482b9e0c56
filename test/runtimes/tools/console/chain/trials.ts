/** That nothing was left out. */
// rules: console 9
import assert from "node:assert/strict";
import { test } from "vitest";
import type { Steps } from "../../../../support/console/steps.ts";
import { OF_A_GROUP } from "./groups.ts";

/** What needs no chain, or ends the console. */
const WITHOUT_CHAIN = ["quit", "sol2java", "sol2ts"];
/** What is asked of a node or of the console itself, whatever the group. */
const OF_NO_GROUP = [
  ...WITHOUT_CHAIN,
  ...["addPeers", "doctor", "erasePeers", "generateGroup", "generateGroupFromFile"],
  ...["getAvailableConnections", "getCryptoType", "getCurrentAccount", "getGroupConnections"],
  ...["getGroupList", "getNodeInfo", "getNodeVersion", "getPeers", "help", "listAccount"],
  ...[
    "loadAccount",
    "newAccount",
    "queryGroupStatus",
    "queryPeers",
    "recoverGroup",
    "removeGroup",
    "startGroup",
  ],
  ...["stopGroup", "switch"],
];
const WRONG = "nobody";

/** Lists the refusals of a group's commands that no other test has a use for. */
export function groupTrialTests({ world, refused }: Steps, never: string): void {
  test("wrong arguments, or more than there may be, are refused by every other command", async () => {
    const most = ["CNSManager", "DeployAndCreateManager", "NodeManager", "SysConfigManager"];
    const told = await refused([
      ...OF_A_GROUP.map((name) => `${name} ${WRONG}`),
      ...most.map((name) => `list${name} ${WRONG}`),
      ...["Chargers", "CommitteeMembers", "Operators"].map((name) => `list${name} ${WRONG}`),
      ...["queryThreshold", "queryVotesOfThreshold"].map((name) => `${name} ${WRONG}`),
      ...["getAccountStatus", "queryVotesOfMember"].map((name) => `${name} ${WRONG}`),
      `listContractWritePermission ${WRONG}`,
      `grantUserTableManager t_demo ${WRONG}`,
      `listUserTableManager t_demo ${WRONG}`,
      "queryCNS",
      "getDeployLog 0",
      "listDeployContractAddress HelloWorld 0",
      "delete from t_demo where nothing = 1",
    ]);
    for (const [code, message] of told) assert.equal(code, 2, message);
  });

  test("each command about a group was done and refused", () => {
    const ofGroup = world()
      .trials.missing()
      .filter((it) => !OF_NO_GROUP.includes(it.split(" ")[0] ?? ""));
    assert.deepEqual(ofGroup, [never]);
  });
}

/** Lists the refusals of a console's own commands, and what nothing was tried of. */
export function trialTests({ world, done, refused }: Steps): void {
  test("more words than there may be are refused by the console's own commands", async () => {
    const [listed] = await done(["help", "getNodeVersion", "getCryptoType"]);
    assert.ok(JSON.stringify(listed).includes('"getCryptoType"'));
    const names = ["doctor", "getCryptoType", "getCurrentAccount", "getNodeVersion", "listAccount"];
    const lines = names.map((name) => `${name} ${WRONG}`);
    const told = await refused([...lines, "help getNothing", `getGroupList ${WRONG}`]);
    for (const [code, message] of told) assert.equal(code, 2, message);
  });

  test("each command about nodes, connections and accounts was done and refused", () => {
    const missing = world()
      .trials.missing()
      .filter((it) => OF_NO_GROUP.includes(it.split(" ")[0] ?? ""))
      .filter((it) => !WITHOUT_CHAIN.includes(it.split(" ")[0] ?? ""));
    assert.deepEqual(missing, []);
  });
}
