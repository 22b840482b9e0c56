/** What a disk does to the ledger of a node that is stopped, drawn from a seed. */
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { openLevelStore } from "../../../runtimes/node/store/store.ts";
import type { Random } from "../../simulation/random.ts";

/** What is done, and to what. */
export interface DamageKind {
  readonly how: "flip" | "cut" | "delete" | "swap" | "zero";
  readonly where: "table" | "log" | "manifest" | "current" | "row" | "record" | "vote";
}

const kind = (how: DamageKind["how"], where: DamageKind["where"]): DamageKind => ({ how, where });

/** Each is drawn as often as any other. */
const KINDS: readonly DamageKind[] = [
  kind("flip", "table"),
  kind("flip", "table"),
  kind("flip", "table"),
  kind("flip", "log"),
  kind("flip", "log"),
  kind("flip", "manifest"),
  kind("flip", "current"),
  kind("cut", "table"),
  kind("cut", "log"),
  kind("cut", "manifest"),
  kind("delete", "table"),
  kind("delete", "log"),
  kind("delete", "manifest"),
  kind("swap", "table"),
  kind("zero", "table"),
  kind("zero", "table"),
  kind("zero", "log"),
  kind("delete", "row"),
  kind("delete", "row"),
  kind("delete", "row"),
  kind("delete", "record"),
  kind("flip", "vote"),
  kind("delete", "vote"),
];

/** Names of the files of a database, by what they are. */
const FILES: Readonly<Record<string, RegExp>> = {
  table: /^\d+\.(ldb|sst)$/,
  log: /^\d+\.log$/,
  manifest: /^MANIFEST-\d+$/,
  current: /^CURRENT$/,
};
/** First letters of the keys of entries, by what they are. */
const LETTERS: Readonly<Record<string, string>> = { row: "r", record: "hbenot", vote: "cp" };
const PAGE_BYTES = 4_096;
const MOST_ENTRIES = 3;

/** Draws what is done. */
export function drawDamage(random: Random): DamageKind {
  return random.pick(KINDS);
}

/** The damage in a few words. */
export function kindText({ how, where }: DamageKind): string {
  return `${how} ${where}`;
}

function filesOf(folder: string, where: string): string[] {
  const names = readdirSync(folder).filter((name) => FILES[where]?.test(name));
  return names.filter((name) => statSync(join(folder, name)).size > 0).sort();
}

function flipBit(bytes: Uint8Array, random: Random): string {
  const bit = random.below(bytes.length * 8);
  bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return `bit ${bit & 7} of byte ${bit >> 3} of ${bytes.length}`;
}

/** Changes a file so. @returns what was done */
function damageFile(folder: string, { how, where }: DamageKind, random: Random): string {
  const names = filesOf(folder, where);
  if (names.length === 0) return "";
  const name = random.pick(names);
  const path = join(folder, name);
  const bytes = readFileSync(path);
  switch (how) {
    case "flip": {
      const what = flipBit(bytes, random);
      writeFileSync(path, bytes);
      return `${name}: ${what}`;
    }
    case "cut": {
      const length = random.below(bytes.length);
      writeFileSync(path, bytes.subarray(0, length));
      return `${name}: cut at byte ${length} of ${bytes.length}`;
    }
    case "delete":
      rmSync(path);
      return `${name}: deleted, ${bytes.length} bytes`;
    case "swap": {
      const other = random.pick(names.filter((it) => it !== name));
      if (other === undefined) return "";
      const aside = join(folder, "aside");
      renameSync(path, aside);
      renameSync(join(folder, other), path);
      renameSync(aside, join(folder, other));
      return `${name} and ${other}: swapped`;
    }
    case "zero": {
      const start = PAGE_BYTES * random.below(Math.ceil(bytes.length / PAGE_BYTES));
      bytes.fill(0, start, Math.min(bytes.length, start + PAGE_BYTES));
      writeFileSync(path, bytes);
      return `${name}: zeros from byte ${start} of ${bytes.length}`;
    }
  }
}

/** Changes entries beneath their checksums. @returns what was done */
async function damageEntries(
  folder: string,
  { how, where }: DamageKind,
  random: Random,
): Promise<string> {
  const level = new ClassicLevel<Uint8Array, Uint8Array>(folder, {
    keyEncoding: "view",
    valueEncoding: "view",
  });
  await level.open();
  try {
    const letters = LETTERS[where] ?? "";
    const keys = await level.keys().all();
    const wanted = keys.filter((key) => letters.includes(String.fromCharCode(key[0] ?? 0)));
    if (wanted.length === 0) return "";
    if (how === "flip") {
      const key = random.pick(wanted);
      const value = Uint8Array.from((await level.get(key)) ?? []);
      if (value.length === 0) return "";
      const what = flipBit(value, random);
      await level.put(key, value);
      return `${shown(key)}: ${what}`;
    }
    const taken = Array.from({ length: 1 + random.below(MOST_ENTRIES) }, () => random.pick(wanted));
    for (const key of taken) await level.del(key);
    return `deleted ${taken.map(shown).join(", ")}`;
  } finally {
    await level.close();
  }
}

function shown(key: Uint8Array): string {
  return JSON.stringify(Buffer.from(key).toString("latin1").slice(0, 60));
}

/**
 * Damages the ledger in a folder.
 *
 * @returns what was done; empty when there is nothing there that it could be done to
 */
export async function damageLedger(
  folder: string,
  wanted: DamageKind,
  random: Random,
): Promise<string> {
  if (FILES[wanted.where] === undefined) return damageEntries(folder, wanted, random);
  // Opening makes a table of the log; so the newest entries are sometimes here and sometimes there.
  if (wanted.where === "table" && random.chance(0.5))
    await (await openLevelStore(folder, { create: false })).close();
  return damageFile(folder, wanted, random);
}
