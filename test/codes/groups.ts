/** Codes of group management. Source: interface 7.4; groups 2, 3 */
import { utf8Bytes } from "../../core/bytes/byte-string.ts";
import type { CodeCase, CodeReason, OpenControlSocket } from "./code-case.ts";
import { type Entry, nodeOf } from "./entry.ts";

function generate(entry: Entry, groupId: number, sealers: readonly string[] = [nodeOf(0)]) {
  return entry.ask("generateGroup", groupId, { timestamp: "1700000000000", sealers });
}

/** A case of one operation after others, each with its group. */
function after(
  operations: readonly (readonly [operation: string, groupId: number])[],
): (open: OpenControlSocket) => Promise<void> {
  return async (open) => {
    const entry = await open();
    for (const [operation, groupId] of operations) await entry.ask(operation, groupId);
  };
}

/** A case of an operation on a group with one file more, or one less. */
function withFiles(
  change: (entry: Entry) => Promise<void>,
  operation: (entry: Entry) => Promise<unknown>,
): (open: OpenControlSocket) => Promise<void> {
  return async (open) => {
    const entry = await open();
    await change(entry);
    await operation(entry);
  };
}

async function stopAndStart(open: OpenControlSocket): Promise<void> {
  const entry = await open();
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    entry.machine.beforeWrite = async (_, text) => {
      if (text !== "STOPPED") return;
      resolve();
      await held;
    };
  });
  const stopped = entry.ask("stopGroup", 1);
  await reached;
  await entry.ask("startGroup", 1);
  release();
  await stopped;
}

/** The cases, in the order of their codes. */
export const GROUP_CASES: readonly CodeCase[] = [
  {
    code: 0x0,
    test: "a group is generated",
    run: async (open) => generate(await open(), 3),
  },
  {
    code: 0x1,
    test: "a group is generated on a disk that refuses the first write",
    run: withFiles(
      async ({ machine }) => {
        machine.plan = { left: 1, what: "refused" };
      },
      (entry) => generate(entry, 3),
    ),
  },
  {
    code: 0x2,
    test: "a group that runs is generated",
    run: async (open) => generate(await open(), 1),
  },
  { code: 0x3, test: "a group that runs is started", run: after([["startGroup", 1]]) },
  {
    code: 0x4,
    test: "a group is stopped twice",
    run: after([
      ["stopGroup", 1],
      ["stopGroup", 1],
    ]),
  },
  {
    code: 0x5,
    test: "a group is removed twice",
    run: after([
      ["stopGroup", 1],
      ["removeGroup", 1],
      ["removeGroup", 1],
    ]),
  },
  { code: 0x6, test: "a group that nobody made is stopped", run: after([["stopGroup", 9]]) },
  {
    code: 0x7,
    test: "a group is generated with a timestamp that is no number",
    run: async (open) => {
      const wrong = { timestamp: "yesterday", sealers: [nodeOf(0)] };
      return (await open()).ask("generateGroup", 3, wrong);
    },
  },
  {
    code: 0x8,
    test: "a group is generated with a sealer that is not connected",
    run: async (open) => generate(await open(), 3, [nodeOf(0), nodeOf(5)]),
  },
  {
    code: 0x9,
    test: "a group is generated whose genesis file is there",
    run: withFiles(
      ({ machine }) => machine.files.write("conf/group.3.genesis", utf8Bytes("{}")),
      (entry) => generate(entry, 3),
    ),
  },
  {
    code: 0xa,
    test: "a group is generated whose ini file is there",
    run: withFiles(
      ({ machine }) => machine.files.write("conf/group.3.ini", utf8Bytes("")),
      (entry) => generate(entry, 3),
    ),
  },
  {
    code: 0xb,
    test: "a group is started whose genesis file was taken away",
    run: withFiles(
      async (entry) => {
        await generate(entry, 3);
        await entry.machine.files.remove("conf/group.3.genesis");
      },
      (entry) => entry.ask("startGroup", 3),
    ),
  },
  {
    code: 0xc,
    test: "a group is started whose ini file was taken away",
    run: withFiles(
      async (entry) => {
        await generate(entry, 3);
        await entry.machine.files.remove("conf/group.3.ini");
      },
      (entry) => entry.ask("startGroup", 3),
    ),
  },
  { code: 0xd, test: "a group is started while it stops", run: stopAndStart },
  { code: 0xf, test: "a group that runs is recovered", run: after([["recoverGroup", 1]]) },
];

/** Every code is shown. */
export const GROUP_REASONS: readonly CodeReason[] = [];
