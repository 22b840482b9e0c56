/** `chain-node network add-node` and `add-group`: a change of the file, and `up` with it. */
import { replaceFile } from "../../folder/durable-folder.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import { readChainFolder } from "../../folder/chain-reader.ts";
import { readText } from "../../folder/whole-files.ts";
import { parseNetwork } from "./network-file.ts";
import { planNetwork } from "./network-plan.ts";
import { readNetwork } from "./classic-files.ts";
import type { NetworkGroup, NetworkNode, NetworkSpec } from "./network-spec.ts";
import { refuseClassic, withGroup, withNode } from "./network-text.ts";
import { bringUp, printUp, tell, type UpOptions } from "./up.ts";

/** Options of `chain-node network add-node`. */
export interface AddNodeOptions extends UpOptions {
  readonly agency: string;
  readonly host: string | undefined;
  /** As in the file. */
  readonly ports: string | undefined;
  readonly role: NetworkNode["role"] | undefined;
  readonly runtime: NetworkNode["runtime"] | undefined;
  readonly publicKey: string | undefined;
  /** Those that it joins; all when absent. */
  readonly groups: readonly number[] | undefined;
}

/** Options of `chain-node network add-group`. */
export interface AddGroupOptions extends UpOptions {
  readonly consensus: NetworkGroup["consensus"];
  readonly sealers: readonly string[] | undefined;
  readonly observers: readonly string[] | undefined;
}

/** The text of a file, for a change. @throws FolderFault */
async function textOf(spec: NetworkSpec): Promise<string> {
  if (spec.form === "classic") refuseClassic(spec.file);
  return (await readText(spec.file)) ?? "";
}

/** Writes the changed file, once it is known that it can be followed, and follows it. */
async function follow(spec: NetworkSpec, text: string, options: UpOptions): Promise<number> {
  const changed = parseNetwork(text, spec.file);
  const { refusals } = planNetwork(changed, await readChainFolder(changed.folder));
  if (refusals.length > 0) throw new FolderFault("unusable", refusals.join("\n"));
  await replaceFile(spec.file, text, { keeps: true });
  tell(`wrote ${spec.file}`);
  return printUp(await bringUp(changed, options.wait * 1_000, tell), options.json);
}

/** Adds a node to a network. */
export async function runAddNode(
  file: string,
  name: string,
  options: AddNodeOptions,
): Promise<number> {
  const spec = await readNetwork(file);
  const { agency, host, ports, role, runtime, publicKey, groups } = options;
  const entry = { name, agency, host, ports, role, runtime, public_key: publicKey };
  return follow(spec, withNode(await textOf(spec), entry, groups), options);
}

/** Adds a group to a network. */
export async function runAddGroup(
  file: string,
  number: string,
  options: AddGroupOptions,
): Promise<number> {
  const id = Number(number);
  if (!/^\d{1,5}$/.test(number))
    throw new FolderFault("argument", `"${number}" is no group: a number is wanted, such as 2.`);
  const spec = await readNetwork(file);
  const text = await textOf(spec);
  const { consensus, sealers, observers } = options;
  const [first] = spec.groups;
  if (!first) throw new FolderFault("unusable", `${file} describes no group.`);
  return follow(spec, withGroup(text, { id, consensus, sealers, observers }, first), options);
}
