/** What the doctor can see of groups: files, ledgers, how they run. */
import { shellWord } from "../../folder/node-scripts.ts";
import { reasonOf } from "../../folder/folder-fault.ts";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { NodeId } from "../../../core/bytes/ids.ts";
import type { GenesisConfig } from "../../../core/model/config.ts";
import { warningText } from "../../formats/config/config-fault.ts";
import { readGenesisFile } from "../../formats/config/genesis-file.ts";
import { readGroupFile } from "../../formats/config/group-file.ts";
import type { NodeConfig } from "../../formats/config/node-config.ts";
import {
  blockTimeText,
  type GroupHealth,
  quietText,
  READY_LAG_BLOCKS,
  abstentionSentence,
  votesWarning,
} from "../../shared/health.ts";
import { votesText } from "../../shared/sealer-votes.ts";
import { voteRemedy } from "../../shared/vote-remedy.ts";
import { shortNames, stallText } from "../../shared/progress.ts";
import { copySuspicion, isMarked } from "../store/copy-guard.ts";
import { isThere } from "../store/folder-presence.ts";
import { damageOf } from "../store/repaired-ledger.ts";
import { configStep } from "./doctor-folder.ts";
import { checkStore, copyWarning } from "./doctor-store.ts";
import { hasWrittenBlocks } from "./doctor-log.ts";
import type { NodeProbe } from "./node-probe.ts";
import { failure, note, ok, type Verdict, warning } from "./verdict.ts";

/** The words of a status file, and what a start makes of them. Source: groups 2 */
const STATUS_WORDS: Readonly<Record<string, string>> = {
  RUNNING: "it starts with the node",
  STOPPING: "its stop is completed when the node starts",
  STOPPED: "startGroup starts it",
  DELETED: "recoverGroup brings it back",
};
const STATUS_FILE = ".group_status";
const GENESIS = /^group\.[^.]+\.genesis$/;
const DATA_FOLDER = /^group([1-9]\d{0,4})$/;

/** What is examined. */
interface Place {
  readonly probe: NodeProbe;
  readonly config: NodeConfig;
  /** Folder of the genesis files, absolute. */
  readonly conf: string;
  /** Folder of the ledgers, absolute. */
  readonly data: string;
}

/** A genesis file that can be read. */
interface FoundGenesis {
  readonly path: string;
  readonly genesis: GenesisConfig;
  /** What the files hold that the node reads otherwise, or not at all. */
  readonly remarks: readonly Verdict[];
}

async function textOf(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(() => undefined);
}

function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

/** Reads a genesis file and the settings next to it. */
async function readGroup(config: NodeConfig, path: string): Promise<FoundGenesis | Verdict> {
  try {
    const { value, warnings } = readGenesisFile(await readFile(path, "utf8"), path);
    const { genesis } = value;
    const ini = path.replace(/genesis$/, "ini");
    const text = (await textOf(ini)) ?? "";
    const settings = readGroupFile(text, ini, { version: config.chain.supportedVersion, genesis });
    const told = [...warnings, ...settings.warnings].filter(({ level }) => level === "warning");
    const check = `group ${genesis.groupId}`;
    const remarks = told.map(warningText).map((says) => warning(check, says, configStep(says)));
    return { path, genesis, remarks };
  } catch (cause) {
    const next = "Correct the file; a genesis file must equal that of the other nodes.";
    return failure("groups", reasonOf(cause), next);
  }
}

/** Each group: how it runs, or what its files say; and the marks that its ledger leaves. */
export async function checkGroups(
  probe: NodeProbe,
  config: NodeConfig,
): Promise<readonly Verdict[]> {
  const home = probe.folder.path;
  const conf = resolve(home, config.groups.configPath);
  const data = resolve(home, config.groups.dataPath);
  const place = { probe, config, conf, data };
  const files = (await namesIn(conf)).filter((name) => GENESIS.test(name)).sort();
  const read = await Promise.all(files.map((file) => readGroup(config, join(conf, file))));
  const found = read.flatMap((each) => ("genesis" in each ? [each] : []));
  const bad = read.flatMap((each) => ("genesis" in each ? [] : [each]));
  const orphans = await checkOrphans(place, found);
  const groups = await Promise.all(found.map((each) => checkGroup(place, each)));
  if (files.length === 0 && orphans.length === 0) {
    const next = "generateGroup makes one; or copy group.N.genesis from another node.";
    return [warning("groups", `there is no group in ${conf}`, next)];
  }
  return [...bad, ...orphans, ...groups.flat()];
}

/** Data folders whose genesis file is gone. */
async function checkOrphans(
  { conf, data }: Place,
  found: readonly FoundGenesis[],
): Promise<readonly Verdict[]> {
  const known = new Set(found.map(({ genesis }) => genesis.groupId));
  const verdicts: Verdict[] = [];
  for (const name of (await namesIn(data)).sort()) {
    const id = Number(DATA_FOLDER.exec(name)?.[1]);
    const file = join(conf, `group.${id}.genesis`);
    if (!id || known.has(id) || (await isThere(file))) continue;
    const word = (await textOf(join(data, name, STATUS_FILE)))?.trim();
    const names = await namesIn(join(data, name));
    const hasLedger = names.includes("block");
    if (word === "DELETED" || (word === undefined && !hasLedger)) continue;
    if (word === "STOPPED" && names.every((each) => each.startsWith(STATUS_FILE))) {
      const says = `its generation was interrupted; the next start removes ${join(data, name)}`;
      verdicts.push(note(`group ${id}`, says));
      continue;
    }
    const says = `${file} is missing, but ${join(data, name)} is there`;
    const next = `Copy group.${id}.genesis from another node of the group: it is the same on all.`;
    verdicts.push(failure(`group ${id}`, says, next));
  }
  return verdicts;
}

async function checkGroup(place: Place, found: FoundGenesis): Promise<Verdict[]> {
  const { path, genesis, remarks } = found;
  const { groupId } = genesis;
  const { health } = place.probe;
  const data = join(place.data, `group${groupId}`);
  const live = health?.groups.find(({ group }) => group === groupId);
  const state = live
    ? checkLive(live, place, path)
    : [await checkWord(groupId, data), ...checkListed(place, genesis)];
  const marks = await checkLedger(groupId, data);
  const ledger = [...marks, ...(await checkUnused(place, found, marks))];
  const isLost = ledger.length === 0 && genesis.sealers.some((id) => id === place.probe.nodeId);
  const lost = isLost && !live ? await checkLost(place, groupId, data) : [];
  return [...remarks, ...state, ...ledger, ...lost];
}

/** Of which chain a ledger is that no process has open. */
async function checkUnused(
  { probe, config, data }: Place,
  { path: file, genesis }: FoundGenesis,
  marks: readonly Verdict[],
): Promise<readonly Verdict[]> {
  const isInUse = probe.health !== undefined || probe.pid !== undefined;
  const isThere = marks.length > 0 && marks.every(({ outcome }) => outcome !== "failure");
  if (isInUse || !isThere) return [];
  const ledger = join(data, `group${genesis.groupId}`, "block");
  return checkStore({ ledger, file, genesis, config, home: probe.folder.path });
}

/** How a group stands on a node that answers. */
function checkLive(live: GroupHealth, { probe }: Place, file: string): Verdict[] {
  const { group, status, running, role, height, behind = 0, stall, silence, quietSeconds } = live;
  const check = `group ${group}`;
  const shouldRun = status === "RUNNING" || status === "UNKNOWN";
  if (!running && shouldRun) {
    const { failure: cause = "it starts" } = live;
    return [failure(check, `does not run: ${cause}`, repairStep(cause, file))];
  }
  if (!running) return [note(check, `its status is ${status}`)];
  const verdicts = checkGenesis(live, file);
  if (role === "none") {
    const next =
      `Add it: chain-node role ${shellWord(probe.folder.path)} --as observer --group ${group} ` +
      "--through A_MEMBER; sealers are added likewise, --as sealer.";
    verdicts.push(
      warning(check, "this node has no role in it: it neither votes nor is sent blocks", next),
    );
  } else if (behind > READY_LAG_BLOCKS) {
    const next = "It fetches them; if the number does not fall, look at peers and log below.";
    verdicts.push(failure(check, `is ${behind} blocks behind`, next));
  }
  if (silence) {
    const next =
      "Wait until it is over; if it cannot end, and no other copy of the node runs: " +
      `chain-node confirm ${shellWord(probe.folder.path)} --group ${group}`;
    verdicts.push(warning(check, abstentionSentence(silence), next));
  }
  if (quietSeconds !== undefined) {
    const next =
      "Run chain-node status where a member runs. If this node was removed, add it again with " +
      "chain-node role, or send stopGroup here.";
    verdicts.push(warning(check, quietText(quietSeconds), next));
  }
  if (stall) verdicts.push(failure(check, stallText(stall), stallStep(live, probe)));
  verdicts.push(...checkVotes(live, probe), ...checkBlockTime(live));
  if (verdicts.length > 0) return verdicts;
  const { sealerVotes, quorum = 0 } = live;
  const votes = sealerVotes ? `; ${votesText(sealerVotes, quorum)}` : "";
  return [ok(check, `runs, ${role} at block ${height}${votes}`)];
}

/** Sealers that say that they do not vote. Source: decision 34 */
function checkVotes(live: GroupHealth, probe: NodeProbe): Verdict[] {
  const says = votesWarning(live, probe.nodeId as NodeId | undefined);
  if (says === undefined) return [];
  return [warning(`group ${live.group}`, says, stallStep(live, probe))];
}

/** A chain whose time is ahead of the clocks. Source: decision 27 */
function checkBlockTime({ group, blockTime }: GroupHealth): Verdict[] {
  if (!blockTime?.isAhead) return [];
  const next = "Set the clocks of all sealers by NTP; time then catches up with the chain.";
  return [warning(`group ${group}`, blockTimeText(blockTime), next)];
}

/** What to do about a group that failed. */
function repairStep(cause: string, file: string): string {
  if (cause.startsWith("repairing")) return "Wait: its ledger is built anew from its peers.";
  const again = "then restart the node, or send startGroup";
  if (!/gives? other results|refused by this node|this node refuses|executes to/.test(cause))
    return `Repair that, ${again}.`;
  return (
    `Compare ${file} and the version of chain-node with those of the other nodes. Where they are ` +
    "alike the ledger is damaged: restore the folder from a copy."
  );
}

/** Commands, and where: DIR is the folder of each node that is named. */
function stallStep(
  { group, sealerVotes = [] }: GroupHealth,
  { health, folder }: NodeProbe,
): string {
  const peers = health?.peers ?? [];
  const found = { votes: sealerVotes, own: health?.nodeId, folder: folder.path, peers };
  const remedy = group === null ? undefined : voteRemedy({ ...found, group });
  if (remedy !== undefined) return `${remedy.slice(0, 1).toUpperCase()}${remedy.slice(1)}.`;
  return "Read the logs of the sealers around the last ViewChangeWarning or election.";
}

/** Peers that began otherwise. */
function checkGenesis({ group, otherGenesis = [] }: GroupHealth, file: string): Verdict[] {
  if (otherGenesis.length === 0) return [];
  const count = otherGenesis.length;
  const who = `${count} of its peers (${shortNames(otherGenesis)})`;
  const says = `has another genesis block than ${who}`;
  const next =
    `Compare ${file} with theirs. Stop the node that is wrong, give it the right file, and move ` +
    `its data/group${group} away, which is of another chain.`;
  return [failure(`group ${group}`, says, next)];
}

async function checkWord(groupId: number, data: string): Promise<Verdict> {
  const check = `group ${groupId}`;
  const path = join(data, STATUS_FILE);
  const word = (await textOf(path))?.trim();
  if (word === undefined) return note(check, "was never started here");
  const meaning = STATUS_WORDS[word];
  if (meaning !== undefined) return ok(check, `its status is ${word}: ${meaning}`);
  const next = `Write RUNNING or STOPPED into ${path}, then restart the node.`;
  return failure(check, `${path} holds no status word`, next);
}

/** A node that the genesis file does not name gets its role by a transaction. */
function checkListed({ probe }: Place, { groupId, sealers }: GenesisConfig): Verdict[] {
  if (probe.nodeId === undefined || sealers.some((id) => id === probe.nodeId)) return [];
  const says = "the genesis file does not name this node: its role is what was voted since";
  return [note(`group ${groupId}`, `${says} (chain-node role)`)];
}

/** A ledger is whole as far as its marks say; reading it all is what a start does. */
async function checkLedger(groupId: number, data: string): Promise<readonly Verdict[]> {
  const check = `ledger ${groupId}`;
  const ledger = join(data, "block");
  const isMade = await isThere(`${ledger}.made`);
  const current = (await textOf(join(ledger, "CURRENT")))?.trim();
  const restore = `Restore ${ledger} from a copy; until then this node must not vote.`;
  if (current === undefined)
    return isMade ? [failure(check, `${ledger} is gone, and it was there before`, restore)] : [];
  if (!(await isThere(join(ledger, current))))
    return [failure(check, `${ledger} is damaged: ${current} is missing`, restore)];
  if ((await damageOf(ledger)) !== undefined) {
    const said = `${ledger} is marked as damaged: a start builds it anew from its peers`;
    return [warning(check, said, "Start the node.")];
  }
  const copied = await copySuspicion(ledger).catch(reasonOf);
  if (copied !== undefined) return [copyWarning(check, copied)];
  const isInPlace = await isMarked(ledger).catch(() => false);
  return [ok(check, isInPlace ? "its marks are in place" : "it has no mark of this node")];
}

/** Whether the ledger of a group in a node's folder is a copy: its node may run elsewhere. */
export async function holdsCopy(
  { path }: NodeProbe["folder"],
  config: NodeConfig,
): Promise<boolean> {
  const data = resolve(path, config.groups.dataPath);
  for (const name of await namesIn(data)) {
    const ledger = join(data, name, "block");
    if (!DATA_FOLDER.test(name) || !(await isThere(ledger))) continue;
    if ((await copySuspicion(ledger).catch(reasonOf)) !== undefined) return true;
  }
  return false;
}

/** A sealer that has sealed and has no ledger has lost it, with the votes it gave. */
async function checkLost({ probe, config }: Place, groupId: number, data: string) {
  if (!(await hasWrittenBlocks(probe.folder.path, config, groupId))) return [];
  const says = `there is no ledger in ${data}, but log files show that this node has sealed`;
  const next =
    "Restore the folder from a copy if there is one. Otherwise start the node: it fetches all " +
    "blocks, and is a silent observer until it is past its votes (docs/copies.md).";
  return [warning(`ledger ${groupId}`, says, next)];
}
