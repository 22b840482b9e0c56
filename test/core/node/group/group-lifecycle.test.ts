// rules: groups 2, groups 3, groups 9, rpc-semantics 10, README 3, README 4, README 5
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import {
  bootPlan,
  decideGroupOperation,
  failedOperation,
  type GroupFiles,
  type GroupRequest,
  queryResult,
  statusOf,
} from "../../../../core/node/group/group-lifecycle.ts";
import type { GroupOperation, GroupStatus } from "../../../../core/api/node-api.ts";
import { readDataLines } from "../../../support/ledger/data-files.ts";
import { nodeIdOfNumber } from "../../../support/world/pool-builders.ts";

const PRESENT: GroupFiles = { genesis: true, ini: true };
const ABSENT: GroupFiles = { genesis: false, ini: false };
const OPERATIONS: readonly GroupOperation[] = [
  "generateGroup",
  "startGroup",
  "stopGroup",
  "removeGroup",
  "recoverGroup",
];

interface Row {
  readonly operation: GroupOperation;
  readonly status: GroupStatus;
  readonly files?: GroupFiles;
  readonly code: number;
  readonly message: string;
  readonly next?: readonly GroupStatus[];
}

const GENESIS_ONLY: GroupFiles = { genesis: true, ini: false };
const INI_ONLY: GroupFiles = { genesis: false, ini: true };
const UNREADABLE = "Please check `.group_status` file of the group";

/** The matrix of groups 3 with the messages of its text. */
const MATRIX: readonly Row[] = [
  {
    operation: "generateGroup",
    status: "INEXISTENT",
    files: ABSENT,
    code: 0x0,
    message: "Group 1 generated successfully",
    next: ["STOPPED"],
  },
  {
    operation: "generateGroup",
    status: "INEXISTENT",
    files: PRESENT,
    code: 0x9,
    message: "Genesis config file for group 1 already exists",
  },
  {
    operation: "generateGroup",
    status: "INEXISTENT",
    files: GENESIS_ONLY,
    code: 0x9,
    message: "Genesis config file for group 1 already exists",
  },
  {
    operation: "generateGroup",
    status: "INEXISTENT",
    files: INI_ONLY,
    code: 0xa,
    message: "Group config file for group 1 already exists",
  },
  { operation: "generateGroup", status: "RUNNING", code: 0x2, message: "Group 1 already exists" },
  { operation: "generateGroup", status: "STOPPING", code: 0xd, message: "Group 1 is stopping" },
  { operation: "generateGroup", status: "STOPPED", code: 0x2, message: "Group 1 already exists" },
  { operation: "generateGroup", status: "DELETED", code: 0x2, message: "Group 1 already exists" },
  { operation: "generateGroup", status: "UNKNOWN", code: 0x1, message: UNREADABLE },
  {
    operation: "startGroup",
    status: "INEXISTENT",
    files: ABSENT,
    code: 0xb,
    message: "Genesis config file for group 1 not found",
  },
  {
    operation: "startGroup",
    status: "INEXISTENT",
    files: GENESIS_ONLY,
    code: 0xc,
    message: "Group config file for group 1 not found",
  },
  {
    operation: "startGroup",
    status: "INEXISTENT",
    files: PRESENT,
    code: 0x6,
    message: "Group 1 not found",
  },
  {
    operation: "startGroup",
    status: "RUNNING",
    files: ABSENT,
    code: 0x3,
    message: "Group 1 is already running",
  },
  {
    operation: "startGroup",
    status: "STOPPING",
    files: ABSENT,
    code: 0xd,
    message: "Group 1 is stopping",
  },
  {
    operation: "startGroup",
    status: "STOPPED",
    files: PRESENT,
    code: 0x0,
    message: "Group 1 started successfully",
    next: ["RUNNING"],
  },
  {
    operation: "startGroup",
    status: "STOPPED",
    files: INI_ONLY,
    code: 0xb,
    message: "Genesis config file for group 1 not found",
  },
  {
    operation: "startGroup",
    status: "STOPPED",
    files: GENESIS_ONLY,
    code: 0xc,
    message: "Group config file for group 1 not found",
  },
  {
    operation: "startGroup",
    status: "DELETED",
    files: ABSENT,
    code: 0x5,
    message: "Group 1 has been deleted",
  },
  { operation: "startGroup", status: "UNKNOWN", code: 0x1, message: UNREADABLE },
  { operation: "stopGroup", status: "INEXISTENT", code: 0x6, message: "Group 1 not found" },
  {
    operation: "stopGroup",
    status: "RUNNING",
    code: 0x0,
    message: "Group 1 stopped successfully",
    next: ["STOPPING", "STOPPED"],
  },
  { operation: "stopGroup", status: "STOPPING", code: 0xd, message: "Group 1 is stopping" },
  {
    operation: "stopGroup",
    status: "STOPPED",
    code: 0x4,
    message: "Group 1 has already been stopped",
  },
  {
    operation: "stopGroup",
    status: "DELETED",
    code: 0x5,
    message: "Group 1 has already been deleted",
  },
  { operation: "stopGroup", status: "UNKNOWN", code: 0x1, message: UNREADABLE },
  { operation: "removeGroup", status: "INEXISTENT", code: 0x6, message: "Group 1 not found" },
  {
    operation: "removeGroup",
    status: "RUNNING",
    code: 0x0,
    message: "Group 1 deleted successfully",
    next: ["STOPPING", "STOPPED", "DELETED"],
  },
  { operation: "removeGroup", status: "STOPPING", code: 0xd, message: "Group 1 is stopping" },
  {
    operation: "removeGroup",
    status: "STOPPED",
    code: 0x0,
    message: "Group 1 deleted successfully",
    next: ["DELETED"],
  },
  {
    operation: "removeGroup",
    status: "DELETED",
    code: 0x5,
    message: "Group 1 has already been deleted",
  },
  { operation: "removeGroup", status: "UNKNOWN", code: 0x1, message: UNREADABLE },
  { operation: "recoverGroup", status: "INEXISTENT", code: 0x6, message: "Group 1 not found" },
  {
    operation: "recoverGroup",
    status: "RUNNING",
    code: 0xf,
    message: "Group 1 has not been deleted",
  },
  { operation: "recoverGroup", status: "STOPPING", code: 0xd, message: "Group 1 is stopping" },
  {
    operation: "recoverGroup",
    status: "STOPPED",
    code: 0xf,
    message: "Group 1 has not been deleted",
  },
  {
    operation: "recoverGroup",
    status: "DELETED",
    code: 0x0,
    message: "Group 1 recovered successfully",
    next: ["STOPPED"],
  },
  { operation: "recoverGroup", status: "UNKNOWN", code: 0x1, message: UNREADABLE },
];
for (const { operation, status, files = PRESENT, code, message, next } of MATRIX) {
  const found = `${files.genesis ? "genesis" : "-"}/${files.ini ? "ini" : "-"}`;
  test(`${operation} of a group ${status} (${found}) answers 0x${code.toString(16)}`, () => {
    const verdict = decideGroupOperation({ operation, groupId: 1, status, files });
    assert.deepEqual(verdict.result, { code, message });
    assert.deepEqual(verdict.kind === "perform" ? verdict.statuses : undefined, next);
  });
}

test("missing peers come before the status of the group, sorted", () => {
  const notConnected = [nodeIdOfNumber(2), nodeIdOfNumber(1)];
  const request: GroupRequest = {
    operation: "generateGroup",
    groupId: 1,
    status: "RUNNING",
    files: PRESENT,
    notConnected,
  };
  assert.deepEqual(decideGroupOperation(request).result, {
    code: 0x8,
    message: `Peer(s) not connected: ${nodeIdOfNumber(1)}, ${nodeIdOfNumber(2)}`,
  });
  assert.equal(decideGroupOperation({ ...request, notConnected: [] }).result.code, 0x2);
});

const QUERIES: readonly GroupStatus[] = ["INEXISTENT", "STOPPING", "RUNNING", "STOPPED", "DELETED"];
for (const status of QUERIES) {
  test(`the query of a group ${status} succeeds without a message`, () => {
    assert.deepEqual(queryResult(status), { code: 0x0, message: "", status });
  });
}

test("the query of an unreadable status says where to look", () => {
  assert.deepEqual(queryResult("UNKNOWN"), {
    code: 0x1,
    message: UNREADABLE,
    status: "UNKNOWN",
  });
});

test("a failure while performing answers 0x1 with its cause", () => {
  assert.deepEqual(failedOperation("disk full"), { code: 0x1, message: "disk full" });
});

const RECORDS = [
  { word: "RUNNING", status: "RUNNING", start: true, store: undefined },
  { word: "STOPPED", status: "STOPPED", start: false, store: undefined },
  { word: "STOPPING", status: "STOPPING", start: false, store: "STOPPED" },
  { word: "DELETED", status: "DELETED", start: false, store: undefined },
  { word: "RUNNING\n", status: "RUNNING", start: true, store: "RUNNING" },
  { word: "", status: "UNKNOWN", start: false, store: undefined },
  { word: "running", status: "UNKNOWN", start: false, store: undefined },
  { word: undefined, status: "INEXISTENT", start: true, store: "RUNNING" },
] as const;
for (const { word, status, start, store } of RECORDS) {
  test(`a node that starts over the word ${JSON.stringify(word)} (${status})`, () => {
    assert.equal(statusOf(word), status);
    assert.deepEqual(bootPlan(word), { start, store });
  });
}

test("a group without genesis file does not exist", () => {
  assert.equal(statusOf("RUNNING", false), "INEXISTENT");
});

/** A node that performs verdicts, step by step, so that a crash can fall between two steps. */
function performUpTo(status: GroupStatus, statuses: readonly GroupStatus[], steps: number) {
  return statuses.slice(0, steps).at(-1) ?? status;
}

test("whatever is interrupted, the stored word is readable and the next start settles it", () => {
  const commands = fc.array(
    fc.record({ operation: fc.constantFrom(...OPERATIONS), steps: fc.nat({ max: 3 }) }),
  );
  fc.assert(
    fc.property(commands, (history) => {
      let status: GroupStatus = "INEXISTENT";
      for (const { operation, steps } of history) {
        const files = status === "INEXISTENT" ? ABSENT : PRESENT;
        const verdict = decideGroupOperation({ operation, groupId: 1, status, files });
        if (verdict.kind === "refuse") continue;
        status = performUpTo(status, verdict.statuses, steps);
        if (steps >= verdict.statuses.length || status === "INEXISTENT") continue;
        const { store } = bootPlan(status);
        status = store ?? status;
        assert.notEqual(status, "STOPPING");
      }
    }),
  );
});

interface Exchange {
  readonly case: string;
  readonly request: { readonly body: string };
  readonly response: { readonly body: string };
}

/** Replays the recorded answers for group 3, whose files and status the recording shows. */
test("the recorded life of a group gives the same answers", (t) => {
  // Decisions 3 and 4: 0xf where the reference sends 0xe; removal of a running group succeeds.
  let compared = 0;
  let status: GroupStatus = "INEXISTENT";
  const recorded = readDataLines<Exchange & { node: number }>("golden/group_lifecycle.jsonl");
  for (const exchange of recorded) {
    const request = JSON.parse(exchange.request.body) as { method: string; params: unknown[] };
    const operation = OPERATIONS.find((name) => name === request.method);
    const answer = JSON.parse(exchange.response.body).result;
    if (request.params[0] !== 3 || exchange.node !== 0 || typeof answer?.code !== "string")
      continue;
    if (request.method === "queryGroupStatus") {
      assert.deepEqual(queryResult(status).status, answer.status, exchange.case);
      compared++;
    }
    if (operation === undefined) continue;
    const files = status === "INEXISTENT" ? ABSENT : PRESENT;
    const verdict = decideGroupOperation({ operation, groupId: 1, status, files });
    const { code, message } = verdict.result;
    const expected = answer.code === "0xe" ? "0xf" : answer.code;
    assert.equal(`0x${code.toString(16)}`, expected, exchange.case);
    assert.equal(message.replace("Group 1 ", "Group 3 "), answer.message, exchange.case);
    if (verdict.kind === "perform") status = verdict.statuses.at(-1) ?? status;
    compared++;
  }
  assert.ok(compared > 20, `${compared} exchanges of group 3 on node 0`);
  t.annotate(`${compared} recorded answers compared`);
});
