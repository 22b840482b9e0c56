/** What the links of a stage are like: delays, losses, duplicates and cuts, by direction. */
import type { CutView, RuleView } from "../frame.ts";
import type { Links, MsRange } from "../scenario.ts";

/** One direction between two nodes. */
interface Rule {
  readonly from: number;
  readonly to: number;
  delayMs: MsRange;
  lossPercent: number;
  duplicatePercent: number;
  cut: boolean;
}

/** The rules of all directions. */
export class LinkRules {
  readonly #usual: MsRange;
  readonly #rules: Rule[] = [];
  /** What a link begins with that is made later. */
  #general: Pick<Rule, "delayMs" | "lossPercent" | "duplicatePercent">;
  #nodes = 0;

  constructor(delayMs: MsRange) {
    this.#usual = delayMs;
    this.#general = { delayMs, lossPercent: 0, duplicatePercent: 0 };
  }

  /** One more node; its links are like all others. */
  addNode(): void {
    const node = this.#nodes++;
    for (let other = 0; other < node; other++) {
      this.#rules.push({ from: node, to: other, ...this.#general, cut: false });
      this.#rules.push({ from: other, to: node, ...this.#general, cut: false });
    }
  }

  of(from: number, to: number): Readonly<Rule> | undefined {
    return this.#rules.find((rule) => rule.from === from && rule.to === to);
  }

  set(links: Links, change: Partial<Pick<Rule, keyof Omit<RuleView, keyof CutView>>>): void {
    if (links.of === "all") this.#general = { ...this.#general, ...change };
    for (const rule of this.#rules) if (covers(links, rule)) Object.assign(rule, change);
  }

  /** Cuts what goes from an earlier side to a later one, and unless `oneWay` the other way too. */
  split(sides: readonly (readonly number[])[], oneWay: boolean): void {
    const sideOf = (node: number) => sides.findIndex((side) => side.includes(node));
    for (const rule of this.#rules) {
      const from = sideOf(rule.from);
      const to = sideOf(rule.to);
      if (from < 0 || to < 0) continue;
      rule.cut = oneWay ? from < to : from !== to;
    }
  }

  cut(from: number, to: number): void {
    for (const rule of this.#rules) if (rule.from === from && rule.to === to) rule.cut = true;
  }

  heal(): void {
    for (const rule of this.#rules) rule.cut = false;
  }

  cuts(): CutView[] {
    return this.#rules.filter(({ cut }) => cut).map(({ from, to }) => ({ from, to }));
  }

  /** Links that are not as the scenario says of all. */
  special(): RuleView[] {
    const { from, to } = this.#usual;
    const isUsual = ({ delayMs, lossPercent, duplicatePercent }: RuleView) =>
      delayMs.from === from && delayMs.to === to && lossPercent === 0 && duplicatePercent === 0;
    return this.#rules.filter((rule) => !isUsual(rule)).map(({ cut: _, ...rule }) => rule);
  }
}

function covers(links: Links, { from, to }: CutView): boolean {
  if (links.of === "all") return true;
  if (links.of === "node") return from === links.node || to === links.node;
  return from === links.from && to === links.to;
}
