/** What every action of the tool is given, and what it gives back. */
import { join, resolve } from "node:path";
import type { SuiteName } from "../../../core/crypto/suite.ts";
import type { IssueContext } from "../../folder/authority.ts";
import type { ProgramPlace } from "../../folder/node-scripts.ts";
import type { Aside, PlacedFile } from "../../folder/whole-tree.ts";
import type { Report } from "./report.ts";

/** What this host is asked; a seam for tests. */
export interface HostView {
  /** Its own addresses, without zones. */
  addresses(): readonly string[];
  /** The first address of a name; undefined when nobody knows it. */
  addressOf(name: string): Promise<string | undefined>;
  /** Those of the addresses with ports on which somebody listens now. */
  busy(
    places: readonly { readonly host: string; readonly port: number }[],
  ): Promise<readonly boolean[]>;
}

/** How a run was asked to work. */
export interface ToolOptions {
  /** Of the material that is made and read. */
  readonly suite: SuiteName;
  /** SM TLS for SDKs was asked for. */
  readonly smTls: boolean;
  readonly checksPorts: boolean;
}

/** Where and how a run works. */
export interface ToolContext extends IssueContext {
  /** Where relative paths of arguments begin; absolute. */
  readonly cwd: string;
  /** The tool folder: has conf, meta and tpl; absolute. */
  readonly home: string;
  /** What the nodes' launchers run on this host. */
  readonly program: ProgramPlace;
  readonly host: HostView;
  readonly options: ToolOptions;
  readonly report: Report;
}

/** What a run has computed: nothing is written before all of it is known. */
export interface Outcome {
  /** Keeps the list of renames; a folder that is there, where files go to several places. */
  readonly home: string;
  readonly files: readonly PlacedFile[];
  readonly asides?: readonly Aside[];
  /** For machines, besides the files. */
  readonly result?: Readonly<Record<string, unknown>>;
  /** For people, on standard output. */
  readonly says?: readonly string[];
}

/** Reads, checks, and says what is to be written. @throws FolderFault, ConfigFault */
export type Action = (context: ToolContext, args: readonly string[]) => Promise<Outcome>;

/** An argument's path, absolute. */
export function pathOf({ cwd }: ToolContext, text: string | undefined): string {
  return resolve(cwd, text ?? ".");
}

/** A path below the exchange area. Source: generator 1 */
export function inMeta({ home }: ToolContext, ...names: readonly string[]): string {
  return join(home, "meta", ...names);
}

/** Files as they are placed below a folder. */
export function placed(
  folder: string,
  files: readonly PlacedFile[],
  replaces = false,
): PlacedFile[] {
  return files.map((file) => ({
    ...file,
    path: join(folder, file.path),
    ...(replaces ? { replaces } : {}),
  }));
}
