/**
 * `npm run soak -- damages`: what a disk may do to the ledger of one node of four, at random
 * places. Each damage is followed by reads, load, a look through the store and two restarts.
 * Source: decision 30
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createNodeSuite } from "../../../runtimes/node/machine/backends.ts";
import { Random } from "../../simulation/random.ts";
import { numberOption, type Soak, textOption } from "../soak.ts";
import { renew, runDamage, type Sight } from "./round.ts";
import { Scene } from "./scene.ts";

const DAMAGES = 200;
const OF_PROCESSES = 20;
/** A new chain after this many: a ledger that is built anew takes longer with each load. */
const PER_SCENE = 30;

type Line = { readonly begun: number } | Sight;

/** What the file holds of an earlier run. A damage that was begun only has ended the process. */
function readLines(file: string): { readonly sights: Sight[]; readonly lost: number[] } {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const lines = text.split("\n").filter((line) => line !== "");
  const read = lines.map((line) => JSON.parse(line) as Line);
  const sights = read.filter((line) => "outcome" in line);
  const begun = new Set(read.flatMap((line) => ("begun" in line ? [line.begun] : [])));
  for (const { index } of sights) begun.delete(index);
  return { sights, lost: [...begun] };
}

const OUTCOMES = ["refused", "start", "read", "load", "pass", "restart", "harmless"] as const;

/** How many there are of each kind and outcome. */
function tableLines(sights: readonly Sight[]): string[] {
  const kinds = [...new Set(sights.map(({ kind }) => kind))].sort();
  const row = (name: string, among: readonly Sight[]) => {
    const counts = OUTCOMES.map((it) => among.filter(({ outcome }) => outcome === it).length);
    const faulty = among.filter(({ faults }) => faults.length > 0).length;
    return [name.padEnd(18), ...[...counts, faulty].map((it) => `${it}`.padStart(9))].join("");
  };
  const heading = ["damage".padEnd(18), ...[...OUTCOMES, "FAULTY"].map((it) => it.padStart(9))];
  const rows = kinds.map((kind) =>
    row(
      kind,
      sights.filter((sight) => sight.kind === kind),
    ),
  );
  return [heading.join(""), ...rows, row("all", sights)];
}

/** How long it took until the first pass had told, or had ended: only that tells what is gone. */
function passLines(sights: readonly Sight[]): string[] {
  return ["delete row", "delete record"].flatMap((kind) => {
    const times = sights.flatMap((sight) => (sight.kind === kind ? (sight.passMs ?? []) : []));
    const sorted = times.toSorted((left, right) => left - right);
    const [middle, last] = [sorted[sorted.length >> 1], sorted.at(-1)];
    if (middle === undefined || last === undefined) return [];
    const count = `${sorted.length} damages`;
    return [`${kind}: first pass after ${middle} ms in the middle of ${count}, ${last} ms at most`];
  });
}

function sightText({ index, kind, what, outcome, told, passMs, seconds, faults }: Sight): string {
  const pass = passMs === undefined ? "" : `, pass ${passMs} ms`;
  const head = `${index} ${kind}: ${outcome} (${seconds} s${pass}) ${what}`;
  const lines = [head, ...(told === undefined ? [] : [`  told: ${told.slice(0, 240)}`])];
  return [...lines, ...faults.map((fault) => `  FAULT: ${fault}`)].join("\n");
}

interface Part {
  readonly from: number;
  readonly to: number;
  readonly hosted: boolean;
}

async function run(args: readonly string[], say: (line: string) => void): Promise<void> {
  const damages = numberOption(args, "damages", DAMAGES);
  const processes = numberOption(args, "processes", OF_PROCESSES);
  const seed = numberOption(args, "seed", 1);
  const first = numberOption(args, "from", 0);
  const only = textOption(args, "only");
  const file = textOption(args, "resume") ?? join("dist", "soak", `damages-${seed}.jsonl`);
  mkdirSync(dirname(file), { recursive: true });
  const suite = await createNodeSuite();
  const { sights, lost } = readLines(file);
  const done = new Set(sights.map(({ index }) => index));
  for (const index of lost) say(`${index}: FAULT: it ended the process of the soak`);
  const keep = (line: Line) => appendFileSync(file, `${JSON.stringify(line)}\n`);

  async function some({ from, to, hosted }: Part): Promise<void> {
    const all = Array.from({ length: to - from }, (_, at) => from + at);
    const isOpen = (index: number) => !done.has(index) && !lost.includes(index);
    const wanted = all.filter(
      (index) => index >= first && isOpen(index) && (only ?? `${index}`) === `${index}`,
    );
    for (let start = 0; start < wanted.length; start += PER_SCENE) {
      const scene = await Scene.open({ suite, random: new Random(seed), hosted });
      try {
        for (const index of wanted.slice(start, start + PER_SCENE)) {
          keep({ begun: index });
          const random = new Random(seed * 2 ** 20 + index);
          const sight = await runDamage(scene, index, { random, kills: !hosted });
          keep(sight);
          sights.push(sight);
          say(sightText(sight));
          if (sight.faults.length > 0 || sight.outcome === "refused") await renew(scene);
        }
      } finally {
        await scene.close();
      }
    }
  }

  await some({ from: 0, to: damages - processes, hosted: true });
  await some({ from: damages - processes, to: damages, hosted: false });
  for (const line of [...tableLines(sights), ...passLines(sights)]) say(line);
  const faulty = sights.filter(({ faults }) => faults.length > 0);
  const bad = faulty.length + lost.length;
  if (bad > 0) throw new Error(`${bad} of ${sights.length + lost.length} damages are faulty`);
}

const COUNTS = `[--damages ${DAMAGES}] [--processes ${OF_PROCESSES}]`;

/** `npm run soak -- damages`. */
export const damagesSoak: Soak = {
  about: `a disk that lies: ${COUNTS} [--seed 1] [--from I] [--only I] [--resume FILE]`,
  run,
};
