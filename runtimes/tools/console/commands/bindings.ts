/** Bindings of contracts for programs. Source: console 7 */
import { resolve } from "node:path";
import { BUILD_INFO } from "../../../shared/platform/build-info.ts";
import type { ConsoleCommand, GivenFlags, Outcome } from "../command.ts";
import { said } from "../print.ts";
import type { Session } from "../session.ts";
import { LIBRARIES_FLAG } from "./contracts.ts";

const OUT_FOLDER = "contracts/sdk";

async function generate(
  session: Session,
  libraries: readonly string[],
  flags: GivenFlags,
): Promise<Outcome> {
  const { SOURCE_FOLDER } = await import("../contracts/contract-file.ts");
  const { generateBindings } = await import("../contracts/generate.ts");
  const { readLibraries } = await import("../contracts/libraries.ts");
  const { folder, signal } = session;
  const given = [flags.get(LIBRARIES_FLAG.name), ...libraries].filter((it) => it !== undefined);
  const source = flags.get("-s");
  const out = flags.get("-o");
  const order = {
    source: source === undefined ? resolve(folder, SOURCE_FOLDER) : resolve(source),
    out: out === undefined ? resolve(folder, OUT_FOLDER) : resolve(out),
    libraries: readLibraries(given.length === 0 ? undefined : given.join(",")),
  };
  const written = await generateBindings(order, {
    folder,
    signal,
    // No chain is asked: the code is for those of this release.
    supportedVersion: BUILD_INFO.version,
    progress: (line) => session.progress(line),
  });
  return said(written.join("\n"), { files: written });
}

const ROW = {
  parameters: [
    {
      name: "lib:address",
      says: "addresses of further libraries",
      isOptional: true,
      isMany: true,
    },
  ],
  flags: [
    {
      name: "-s",
      value: "path",
      says: "a source or a folder of them; contracts/solidity if absent",
    },
    { name: "-o", value: "folder", says: "where to write; contracts/sdk if absent" },
    LIBRARIES_FLAG,
  ],
} as const;

/** The commands of this family. */
export const BINDING_COMMANDS: readonly ConsoleCommand[] = [
  {
    ...ROW,
    name: "sol2ts",
    says: "Write ABI, code and TypeScript bindings of contracts",
    run: generate,
  },
  {
    ...ROW,
    name: "sol2java",
    says: "The same as sol2ts: Java classes are not made here",
    flags: [...ROW.flags, { name: "-p", value: "package", says: "for Java alone, and not used" }],
    async run(session, args, flags) {
      session.progress(
        "Java classes are out of scope: the SDK's own sol2java makes them of the ABI and code " +
          "that are written here, next to TypeScript bindings.",
      );
      return await generate(session, args, flags);
    },
  },
];
