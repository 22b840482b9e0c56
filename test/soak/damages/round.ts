/** One damage: who reports it, and whether the node is whole afterwards. */
import assert from "node:assert/strict";
import { request } from "../../support/process/dev-process.ts";
import { runHosted } from "../../support/process/hosted-command.ts";
import type { Random } from "../../simulation/random.ts";
import { damageLedger, drawDamage, kindText } from "./damage.ts";
import { holdsSoon, type Scene } from "./scene.ts";

/** At what a damage showed first. */
export type Stage = "start" | "read" | "load" | "pass" | "restart";

/** What came of one damage. */
export interface Sight {
  readonly index: number;
  readonly kind: string;
  /** What was done. */
  readonly what: string;
  /** What came of it: refused, repaired after it was told at a stage, or harmless. */
  readonly outcome: "refused" | Stage | "harmless";
  /** Whether the node was killed before, not stopped. */
  readonly killed: boolean;
  /** What it was reported as. */
  readonly told: string | undefined;
  /** Defects that `check` found before the node was started; -1 when it could not look. */
  readonly checked: number;
  /** Until the pass had told of it, or had ended; of those that came to it. */
  readonly passMs: number | undefined;
  readonly seconds: number;
  /** What must never be. */
  readonly faults: readonly string[];
}

const LOAD = 12;
const LOADS = 3;
const REPAIR_MS = 90_000;
const PASS_MS = 240_000;

interface GroupState {
  readonly status: string;
  readonly message: string;
  readonly height: number;
}

/** One round; a class because its stages share what was seen. */
class Round {
  readonly #scene: Scene;
  readonly #faults: string[] = [];
  readonly #replacedBefore: number;
  #stage: Stage = "start";
  #told: { readonly stage: Stage; readonly message: string } | undefined;
  #passMs: number | undefined;
  #isLost = false;

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#replacedBefore = scene.replaced();
  }

  async run(
    index: number,
    { random, kills }: { readonly random: Random; readonly kills: boolean },
  ): Promise<Sight> {
    const began = performance.now();
    const { victim, ledger } = this.#scene;
    const killed = kills && random.chance(0.5);
    await victim.end(killed ? "SIGKILL" : "SIGTERM");
    let [kind, what] = [drawDamage(random), ""];
    while (what === "") {
      kind = drawDamage(random);
      what = await damageLedger(ledger, kind, random);
    }
    this.#isLost = kind.how === "delete" && (kind.where === "row" || kind.where === "record");
    const checked = await this.#defects();
    const refusal = await victim.start().then(
      () => undefined,
      (cause: unknown) => String(cause),
    );
    if (refusal === undefined) await this.#live();
    const told = refusal ?? this.#told?.message;
    if (checked === 0 && told !== undefined) this.#faults.push("check called it clean");
    const outcome = refusal === undefined ? (this.#told?.stage ?? "harmless") : "refused";
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    const facts = { index, kind: kindText(kind), what, outcome, killed, told, checked } as const;
    return { ...facts, passMs: this.#passMs, seconds, faults: this.#faults };
  }

  async #live(): Promise<void> {
    await this.#settle();
    // What was deleted in order has nothing that could differ: only the pass can tell.
    if (this.#isLost) await this.#pass();
    this.#stage = "read";
    await this.#compare();
    this.#stage = "load";
    for (let load = 0; load < LOADS; load++) await this.#scene.load(LOAD);
    await this.#settle();
    await this.#compare();
    if (!this.#told && this.#passMs === undefined) await this.#pass();
    this.#stage = "restart";
    await this.#restart("--execute");
    await this.#restart();
  }

  async #defects(...more: readonly string[]): Promise<number> {
    const { victim } = this.#scene;
    const { code, stdout, stderr } = await runHosted("check", victim.folder, "--json", ...more);
    if (code !== 0 && code !== 1) this.#faults.push(`check ended with ${code}: ${stderr}`);
    if (stdout === "") return -1;
    const { ledgers } = JSON.parse(stdout) as { readonly ledgers: { readonly defects: number }[] };
    return ledgers.reduce((sum, { defects }) => sum + defects, 0);
  }

  async #state(): Promise<GroupState> {
    const { url } = this.#scene.victim;
    const height = await request(url, "getBlockNumber", [1]).then(Number, () => -1);
    const told = (await request(url, "queryGroupStatus", [1])) as GroupState;
    return { ...told, height };
  }

  /** Looks whether something was told meanwhile. */
  #notice(message: string): void {
    const isReplaced = this.#scene.replaced() > this.#replacedBefore;
    if (message === "" && !isReplaced) return;
    this.#told ??= { stage: this.#stage, message: message || "(its ledger was replaced)" };
  }

  /** Waits until the group runs and is where the others are. */
  async #settle(): Promise<void> {
    let last: GroupState | undefined;
    const isThere = await holdsSoon(async () => {
      last = await this.#state();
      this.#notice(last.message);
      return last.status === "RUNNING" && last.height >= this.#scene.height;
    }, REPAIR_MS);
    if (!isThere) this.#faults.push(`not repaired: ${JSON.stringify(last)}`);
  }

  async #compare(): Promise<void> {
    const { wrong, refused, firstRefusal } = await this.#scene.compare();
    if (wrong.length > 0) this.#faults.push(`${wrong.length} answers are wrong: ${wrong[0]}`);
    if (refused === 0) return;
    this.#notice(firstRefusal ?? "");
    let last = firstRefusal;
    // An answer may be refused just before the group fails.
    const isWhole = await holdsSoon(async () => {
      await this.#settle();
      const again = await this.#scene.compare();
      last = again.wrong[0] ?? again.firstRefusal;
      return again.wrong.length + again.refused === 0;
    }, REPAIR_MS);
    if (!isWhole) this.#faults.push(`after its repair: ${last}`);
  }

  async #passes(): Promise<number> {
    const text = await (await fetch(this.#scene.victim.metricsUrl)).text();
    return Number(/^chain_node_store_passes_total\{.*\} (\d+)$/m.exec(text)?.[1] ?? 0);
  }

  /** Waits for a look through all that began behind the damage. */
  async #pass(): Promise<void> {
    const began = performance.now();
    this.#stage = "pass";
    // A process that was started behind the damage has its second pass an hour later.
    const goal = this.#scene.hosted ? (await this.#passes()) + 2 : 1;
    const isOver = await holdsSoon(async () => {
      this.#notice((await this.#state()).message);
      return this.#told !== undefined || (await this.#passes()) >= goal;
    }, PASS_MS);
    this.#passMs = Math.round(performance.now() - began);
    if (!isOver) this.#faults.push("the pass has no end");
    await this.#settle();
    await this.#compare();
  }

  /** Stops it in order, has it checked where asked for, and starts it. */
  async #restart(...check: readonly string[]): Promise<void> {
    const { victim } = this.#scene;
    await victim.end("SIGTERM");
    if (check.length > 0) {
      const defects = await this.#defects(...check);
      if (defects !== 0) this.#faults.push(`check finds ${defects} defects in the end`);
    }
    await victim.start();
    await this.#settle();
    await this.#compare();
  }
}

/** Damages the ledger once, and watches. */
export function runDamage(
  scene: Scene,
  index: number,
  how: { readonly random: Random; readonly kills: boolean },
): Promise<Sight> {
  return new Round(scene).run(index, how);
}

/** Has the ledger built anew, whatever became of it. */
export async function renew(scene: Scene): Promise<void> {
  const { victim } = scene;
  await victim.end("SIGTERM");
  const { code, stderr } = await runHosted("repair", victim.folder, "--force");
  assert.equal(code, 0, stderr);
  await victim.start();
  const isThere = await holdsSoon(
    async () => (await victim.blockNumber().catch(() => -1)) >= scene.height,
    REPAIR_MS,
  );
  assert.ok(isThere, "the node is not renewed");
}
