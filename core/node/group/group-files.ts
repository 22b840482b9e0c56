/** Files of groups: which there are, their words, writing new ones. Source: groups 1, 2, 6, 7 */
import { utf8Bytes, utf8Text } from "../../bytes/byte-string.ts";
import { equalBytes } from "../../bytes/bytes.ts";
import type { GroupId } from "../../bytes/ids.ts";
import { GroupFault } from "../../fault/group-fault.ts";
import type { GenesisConfig, GroupTuning } from "../../model/config.ts";
import type { Files } from "../../ports/files.ts";
import type { GroupFiles } from "./group-lifecycle.ts";

/** How configuration is written; ini on servers. The readers throw on a text that is wrong. */
export interface GroupFormat {
  /** The path is for messages. */
  readGenesis(text: string, path: string): GenesisConfig;
  /** An empty text stands for an absent file: all defaults. */
  readTuning(text: string, path: string, genesis: GenesisConfig): GroupTuning;
  writeGenesis(genesis: GenesisConfig): string;
  /** The tuning of a generated group. Source: groups 7 */
  writeTuning(): string;
}

/** Where the groups of a node are. Source: groups 8 */
export interface GroupFolders {
  /** `conf/` by default; empty for the node's folder itself. */
  readonly config: string;
  /** `data/` by default. */
  readonly data: string;
}

/** A genesis file, by the id that stands in it. */
export interface FoundGroup {
  readonly groupId: GroupId;
  readonly path: string;
}

/** A genesis file that cannot be used. */
export interface BadGroup {
  readonly path: string;
  readonly cause: unknown;
}

/** A group of which files cannot be read or removed, and why. */
export interface StuckGroup {
  readonly groupId: GroupId;
  readonly cause: unknown;
}

/** What became of the remains of interrupted generations. */
export interface Remains {
  readonly removed: readonly GroupId[];
  /** Those that could not be removed. */
  readonly kept: readonly StuckGroup[];
}

/** A group that has been here and whose genesis file is gone. */
interface OrphanGroup {
  readonly groupId: GroupId;
  /** Whether its word is STOPPED. */
  readonly isStopped: boolean;
}

/** What shows that a generation was cut short: its first file, or a draft of that. */
interface Trace {
  readonly hasWord: boolean;
  /** Next to the word, in the data folder. */
  readonly drafts: readonly string[];
}

const GENESIS_EXTENSION = ".genesis";
const STATUS_FILE = ".group_status";
const MAX_GROUP_ID = 32_767;

function inFolder(folder: string, name: string): string {
  return folder === "" || folder.endsWith("/") ? `${folder}${name}` : `${folder}/${name}`;
}

/** Reads and writes what concerns groups. */
export class GroupCatalog {
  readonly #files: Files;
  readonly #folders: GroupFolders;
  readonly #format: GroupFormat;

  constructor(files: Files, folders: GroupFolders, format: GroupFormat) {
    this.#files = files;
    this.#folders = folders;
    this.#format = format;
  }

  /** Where operations look for the genesis file; at boot its name does not matter. */
  genesisPath(groupId: GroupId): string {
    return inFolder(this.#folders.config, `group.${groupId}${GENESIS_EXTENSION}`);
  }

  tuningPath(groupId: GroupId): string {
    return inFolder(this.#folders.config, `group.${groupId}.ini`);
  }

  dataFolder(groupId: GroupId): string {
    return inFolder(this.#folders.data, `group${groupId}`);
  }

  statusPath(groupId: GroupId): string {
    return `${this.dataFolder(groupId)}/${STATUS_FILE}`;
  }

  /** Which configuration files of a group are there, by their names. */
  async present(groupId: GroupId): Promise<GroupFiles> {
    const genesis = await this.#files.read(this.genesisPath(groupId));
    const ini = await this.#files.read(this.tuningPath(groupId));
    return { genesis: genesis !== undefined, ini: ini !== undefined };
  }

  /** Content of the status file; undefined when there is none. */
  async word(groupId: GroupId): Promise<string | undefined> {
    const bytes = await this.#files.read(this.statusPath(groupId));
    return bytes && utf8Text(bytes);
  }

  /** Stores a status word. */
  writeWord(groupId: GroupId, word: string): Promise<void> {
    return this.#files.write(this.statusPath(groupId), utf8Bytes(word));
  }

  /**
   * The content of a genesis file.
   * @throws GroupFault when it is missing or of another group; what the format throws
   */
  async genesis(groupId: GroupId, path: string): Promise<GenesisConfig> {
    const genesis = await this.#genesisAt(path);
    if (genesis.groupId !== groupId)
      throw new GroupFault(`${path} is of group ${genesis.groupId}, not of group ${groupId}`);
    return genesis;
  }

  /** The local settings of a group; defaults without a file. */
  async tuning(genesis: GenesisConfig): Promise<GroupTuning> {
    const path = this.tuningPath(genesis.groupId);
    const bytes = await this.#files.read(path);
    return this.#format.readTuning(bytes ? utf8Text(bytes) : "", path, genesis);
  }

  /** All genesis files, ascending by group; the first of two with the same id counts. */
  async scan(): Promise<{ readonly groups: readonly FoundGroup[]; readonly bad: BadGroup[] }> {
    const groups = new Map<GroupId, FoundGroup>();
    const bad: BadGroup[] = [];
    for (const name of await this.#files.list(this.#folders.config)) {
      if (!name.endsWith(GENESIS_EXTENSION)) continue;
      const path = inFolder(this.#folders.config, name);
      try {
        const { groupId } = await this.#genesisAt(path);
        const first = groups.get(groupId);
        if (first) throw new GroupFault(`${path} has the id of ${first.path}, ${groupId}`);
        groups.set(groupId, { groupId, path });
      } catch (cause) {
        bad.push({ path, cause });
      }
    }
    return { groups: [...groups.values()].sort(byGroup), bad };
  }

  /**
   * Writes a new group: status word, then ini, then the genesis file that makes it exist. What was
   * written is taken back when a step fails. Source: groups 2 (generateGroup)
   */
  async generate(genesis: GenesisConfig): Promise<void> {
    const { groupId } = genesis;
    const genesisText = this.#format.writeGenesis(genesis);
    const tuningText = this.#format.writeTuning();
    try {
      // All that may be left of an interrupted removal of one: it is removed to its end first.
      if ((await this.word(groupId)) !== undefined)
        await this.#files.remove(this.statusPath(groupId));
      await this.writeWord(groupId, "STOPPED");
      await this.#files.write(this.tuningPath(groupId), utf8Bytes(tuningText));
      await this.#files.write(this.genesisPath(groupId), utf8Bytes(genesisText));
    } catch (cause) {
      await this.#takeBack(groupId).catch(() => undefined);
      throw cause;
    }
  }

  /** Puts the files of a group in place that the chain was made with; what is there stays. */
  async provide(genesis: GenesisConfig): Promise<void> {
    const { groupId } = genesis;
    if (!(await this.present(groupId)).ini)
      await this.#files.write(this.tuningPath(groupId), utf8Bytes(this.#format.writeTuning()));
    const bytes = utf8Bytes(this.#format.writeGenesis(genesis));
    const known = await this.#files.read(this.genesisPath(groupId));
    if (known && equalBytes(known, bytes)) return;
    await this.#files.write(this.genesisPath(groupId), bytes);
  }

  /**
   * Removes what interrupted generations left: word and ini without a genesis file, or what a word
   * was to become. A data folder that holds more is not one of them: somebody lost a genesis file.
   * @param only the group that is examined; all of them when absent
   */
  async removeRemains(only?: GroupId): Promise<Remains> {
    const { groups, bad } = await this.scan();
    const removed: GroupId[] = [];
    const kept: StuckGroup[] = [];
    // A genesis file that cannot be read may be that of any group.
    if (bad.length > 0) return { removed, kept };
    for (const groupId of await this.#withoutGenesis(groups)) {
      if (only !== undefined && groupId !== only) continue;
      try {
        const trace = await this.#traceOf(groupId);
        if (trace === undefined) continue;
        // Without a word the ini next to it is none of the generation, which writes it later.
        if (trace.hasWord) await this.#takeBack(groupId);
        for (const name of trace.drafts)
          await this.#files.remove(`${this.dataFolder(groupId)}/${name}`);
        removed.push(groupId);
      } catch (cause) {
        kept.push({ groupId, cause });
      }
    }
    return { removed, kept };
  }

  /**
   * Groups that have been here and whose genesis file is gone: there is a data folder with more
   * than what an interrupted generation leaves, and its word is not DELETED. One that cannot be
   * read concerns no other: no node knows what it is. Both ascend by group.
   * @param known those that have a genesis file, whatever its name
   */
  async orphans(known: readonly FoundGroup[]) {
    const gone: OrphanGroup[] = [];
    const unreadable: StuckGroup[] = [];
    for (const groupId of await this.#withoutGenesis(known)) {
      try {
        const orphan = await this.#orphanOf(groupId);
        if (orphan) gone.push(orphan);
      } catch (cause) {
        unreadable.push({ groupId, cause });
      }
    }
    return { gone: gone.sort(byGroup), unreadable: unreadable.sort(byGroup) };
  }

  /** Groups with a data folder that are not among those with a genesis file. */
  async #withoutGenesis(known: readonly FoundGroup[]): Promise<readonly GroupId[]> {
    const ids = new Set(known.map(({ groupId }) => groupId));
    const names = await this.#files.list(this.#folders.data);
    return names.flatMap((name) => groupOfFolder(name) ?? []).filter((id) => !ids.has(id));
  }

  async #orphanOf(groupId: GroupId): Promise<OrphanGroup | undefined> {
    if ((await this.present(groupId)).genesis || (await this.#traceOf(groupId))) return undefined;
    const word = (await this.word(groupId))?.trim();
    if (word === "DELETED") return undefined;
    const names = await this.#files.list(this.dataFolder(groupId));
    return names.length === 0 ? undefined : { groupId, isStopped: word === "STOPPED" };
  }

  /** Of an interrupted generation; an empty folder shows nothing, one with more something else. */
  async #traceOf(groupId: GroupId): Promise<Trace | undefined> {
    if ((await this.present(groupId)).genesis) return undefined;
    const word = (await this.word(groupId))?.trim();
    if (word !== undefined && word !== "STOPPED") return undefined;
    const names = await this.#files.list(this.dataFolder(groupId));
    if (names.length === 0 || !names.every((name) => name.startsWith(STATUS_FILE)))
      return undefined;
    const drafts = names.filter((name) => name !== STATUS_FILE);
    return { hasWord: word !== undefined, drafts };
  }

  /** In the reverse order of writing, so that an interrupted removal is found and repeated. */
  async #takeBack(groupId: GroupId): Promise<void> {
    await this.#files.remove(this.genesisPath(groupId));
    await this.#files.remove(this.tuningPath(groupId));
    await this.#files.remove(this.statusPath(groupId));
  }

  async #genesisAt(path: string): Promise<GenesisConfig> {
    const bytes = await this.#files.read(path);
    if (!bytes) throw new GroupFault(`${path} not found`);
    const genesis = this.#format.readGenesis(utf8Text(bytes), path);
    if (genesis.groupId < 1 || genesis.groupId > MAX_GROUP_ID)
      throw new GroupFault(`${path} has the id ${genesis.groupId}, not 1 to ${MAX_GROUP_ID}`);
    return genesis;
  }
}

type OfGroup = Pick<FoundGroup, "groupId">;

function byGroup(left: OfGroup, right: OfGroup): number {
  return left.groupId - right.groupId;
}

function groupOfFolder(name: string): GroupId | undefined {
  const digits = /^group([1-9]\d{0,4})$/.exec(name)?.[1];
  const groupId = Number(digits);
  return digits !== undefined && groupId <= MAX_GROUP_ID ? groupId : undefined;
}
