/** `chain-node network manifests`: what other engines run a network from. */
import { shellWord } from "../../folder/node-scripts.ts";
import { readdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { below } from "../../folder/authority.ts";
import { FolderFault } from "../../folder/folder-fault.ts";
import type { FileToWrite } from "../../folder/whole-files.ts";
import { finishCutRun, isRunRemain, isThere, writeTree } from "../../folder/whole-tree.ts";
import { runningNodes } from "./group-start.ts";
import type { LiveNetwork } from "./live-network.ts";
import { composeFiles, composeSteps } from "./manifests/compose.ts";
import { kubernetesFiles, kubernetesSteps, sealersToSpare } from "./manifests/kubernetes.ts";
import { systemdFiles, systemdSteps } from "./manifests/systemd.ts";
import { readNetwork } from "./classic-files.ts";
import { tell, writeMissing } from "./up.ts";

/** What runs a network. */
export type Engine = "systemd" | "compose" | "kubernetes";

/** Options of `chain-node network manifests`. */
export interface ManifestsOptions {
  readonly for: Engine;
  readonly out: string;
  readonly json: boolean;
}

interface Manifests {
  readonly files: readonly FileToWrite[];
  readonly steps: readonly string[];
}

/** Everything that an engine needs. @throws FolderFault */
export async function manifestsFor(
  engine: Engine,
  network: LiveNetwork,
  out: string,
): Promise<Manifests> {
  switch (engine) {
    case "systemd":
      return { files: systemdFiles(network), steps: systemdSteps(network, out) };
    case "compose":
      return { files: await composeFiles(network), steps: composeSteps(network, out) };
    case "kubernetes":
      return { files: await kubernetesFiles(network), steps: kubernetesSteps(network, out) };
  }
}

async function requireEmpty(out: string): Promise<void> {
  await finishCutRun(out);
  const names = await readdir(out).catch(() => []);
  const others = names.filter((name) => !isRunRemain(name));
  if (others.length === 0) return;
  const said = `${out} is not empty (${others.slice(0, 3).join(", ")})`;
  throw new FolderFault("exists", `${said}: name a folder that is new or empty.`);
}

/** Containers have copies of the keys: never two nodes with one key. Source: decision 25 */
async function refuseRunning(network: LiveNetwork): Promise<void> {
  const running = await runningNodes(network.nodes);
  if (running.length === 0) return;
  const names = running.map(({ spec }) => spec.name).join(" ");
  const said = `${names} run here, and the manifests would have the same keys`;
  const down = `chain-node network down ${shellWord(network.spec.file)}`;
  const next = `${down} first, and do not start them again`;
  throw new FolderFault("unusable", `${said}: ${next}.`);
}

function notes(engine: Engine, network: LiveNetwork): readonly string[] {
  if (engine === "systemd") return [];
  const keys = "they hold the keys of the nodes: start these in one place only, here or there";
  const none = "no sealer can be spared, so that Kubernetes will evict none: drain by hand";
  return [keys, ...(engine === "kubernetes" && sealersToSpare(network) === 0 ? [none] : [])];
}

/** Writes the manifests, all or nothing, and says what to do with them. */
export async function runManifests(file: string, options: ManifestsOptions): Promise<void> {
  const engine = options.for;
  const out = resolve(options.out);
  await requireEmpty(out);
  const network = await writeMissing(await readNetwork(file), tell);
  if (engine !== "systemd") await refuseRunning(network);
  const { files, steps } = await manifestsFor(engine, network, out);
  const home = (await isThere(out)) ? out : dirname(out);
  await writeTree({ home, files: below(out, files), purpose: "chain-node network manifests" });
  const warnings = notes(engine, network);
  for (const warning of warnings) tell(`warning: ${warning}`);
  const paths = files.map(({ path }) => path);
  const json = `${JSON.stringify({ out, files: paths, steps, warnings })}\n`;
  const text = [
    `wrote ${paths.length} files to ${out}`,
    "",
    "next",
    ...steps.map((step) => `  ${step}`),
    "",
  ].join("\n");
  process.stdout.write(options.json ? json : text);
}
