/**
 * The statecharts as real Chromium draws them are the machines that run: each state, each entry,
 * each transition with its event and its guard.
 */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import type { AnyStateMachine } from "xstate";
import { consensusMachine } from "../../../core/actors/consensus.machine.ts";
import { groupMachine } from "../../../core/actors/group.machine.ts";
import { nodeMachine } from "../../../core/actors/node.machine.ts";
import { raftMachine } from "../../../core/actors/raft.machine.ts";
import { sealingMachine } from "../../../core/actors/sealing.machine.ts";
import { sessionMachine } from "../../../core/actors/session.machine.ts";
import { syncMachine } from "../../../core/actors/sync.machine.ts";
import { txpoolMachine } from "../../../core/actors/txpool.machine.ts";
import { untilCount } from "../../support/browser/page-looks.ts";
import { openSite, type Site } from "../../support/browser/site.ts";
import { inFull } from "../../support/runner/in-full.ts";

type StateNode = AnyStateMachine["root"];

/** By the button that shows it. */
const OF_PBFT = {
  PBFT: consensusMachine,
  Sync: syncMachine,
  Group: groupMachine,
  Pool: txpoolMachine,
  Sealing: sealingMachine,
  "Session with 2": sessionMachine,
  Node: nodeMachine,
};
const OF_RAFT = { Raft: raftMachine };

/** A chart as sorted lines. */
interface Drawn {
  readonly states: readonly string[];
  readonly entries: readonly string[];
  /** `from → to: event [guard]`, one for each transition; `from: …` for what leaves no state. */
  readonly rules: readonly string[];
}

let site: Site;

beforeAll(async () => {
  site = await openSite({ viewport: { width: 1280, height: 900 }, locale: "en" });
});

afterAll(async () => {
  await site?.close();
});

function eventOf(type: string): string {
  const [, own] = /^xstate\.(done|error)\./.exec(type) ?? [];
  return own ?? type;
}

function guardOf(guard: unknown): string {
  if (guard === undefined) return "";
  return typeof guard === "string" ? `[${guard}]` : `[${Object(guard).type}]`;
}

/** What the machine itself says. */
function declared({ root }: AnyStateMachine): Drawn {
  const pathOf = ({ path }: Pick<StateNode, "path">) => path.join(".");
  const [states, entries, rules]: [string[], string[], string[]] = [[], [], []];
  const visit = (state: StateNode): void => {
    const from = pathOf(state);
    states.push(from);
    if (state.type === "compound") entries.push(...state.initial.target.map(pathOf));
    const all = [...[...state.transitions.values()].flat(), ...(state.always ?? [])];
    for (const { eventType, guard, target = [] } of all) {
      const rule = `${eventOf(eventType)} ${guardOf(guard)}`.trim() || "always";
      const left = target.map(pathOf).filter((to) => to !== from);
      if (left.length === 0) rules.push(`${from}: ${rule}`);
      rules.push(...left.map((to) => `${from} → ${to}: ${rule}`));
    }
    for (const inner of Object.values(state.states)) visit(inner as StateNode);
  };
  visit(root);
  return { states: states.sort(), entries: entries.sort(), rules: rules.sort() };
}

/** Runs in the page. */
const READ = `(() => {
  const chart = document.querySelector("svg.chart");
  const all = (selector) => [...chart.querySelectorAll(selector)];
  const rulesOf = (it) =>
    (it.querySelector(":scope > title")?.textContent ?? "").split("\\n").slice(1);
  const isSeen = (it) => it.getBBox().width + it.getBBox().height > 5;
  const arrows = all("[data-from]").filter(isSeen);
  return {
    states: all("[data-path]").filter(isSeen).map((it) => it.dataset.path).sort(),
    entries: all("[data-entry]").filter(isSeen).map((it) => it.dataset.entry).sort(),
    rules: [
      ...arrows.flatMap((it) =>
        rulesOf(it).map((rule) => it.dataset.from + " → " + it.dataset.to + ": " + rule)),
      ...all("[data-path]").flatMap((it) =>
        rulesOf(it).map((rule) => it.dataset.path + ": " + rule)),
    ].sort(),
  };
})()`;

async function openCharts(text: string): Promise<Page> {
  const page = await site.tab(`#/theatre?play=${text}`);
  await page.waitForSelector(".stage[data-step]");
  await page.getByRole("tab", { name: "Statecharts" }).click();
  return page;
}

/** The widths of all charts that are drawn. */
function widths(page: Page): Promise<readonly number[]> {
  return page
    .locator("svg.chart")
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
}

// geometry.test.ts draws charts; the buttons of charts are pressed below.
inFull("all nodes are drawn side by side, smaller and larger, and one again", async () => {
  const page = await openCharts("1.pbft.seed-9.load-300.show-t1500");
  const [narrow = 0] = await widths(page);
  await page.getByRole("button", { name: "All", exact: true }).click();
  await untilCount(page.locator("svg.chart"), 4);
  const member = '.chart [data-path="member"][data-lit="true"]';
  for (const node of [0, 1, 2, 3]) await page.locator(`[data-of="${node}"] ${member}`).waitFor();
  const usual = await widths(page);
  assert.ok((usual[0] ?? 0) >= narrow, "the panel is wider");
  for (const zoom of [0.5, 2]) {
    await page.getByLabel("Zoom").fill(String(zoom));
    await page.locator(".charts .zoom", { hasText: `${zoom * 100}%` }).waitFor();
    const wanted = usual.map((width) => Math.round(width * zoom));
    assert.deepEqual((await widths(page)).map(Math.round), wanted, `${zoom}`);
  }
  const sideways = await page.evaluate("document.documentElement.scrollWidth");
  assert.ok(Number(sideways) <= 1280, `${sideways} px wide`);
  const session = { name: "Session with 2", exact: true } as const;
  await page.locator(".charts").getByRole("button", session).click();
  await untilCount(page.locator("svg.chart"), 3);
  await page.getByRole("tabpanel").getByRole("button", { name: "node 3", exact: true }).click();
  await untilCount(page.locator("svg.chart"), 1);
  await page.close();
  assert.deepEqual(site.errors, []);
});

// geometry.test.ts has the Chinese words.
inFull("states have their Chinese names, also for those who hover", async () => {
  const page = await openCharts("1.pbft.seed-9.load-300.show-t1500");
  await page.getByRole("button", { name: "中文" }).click();
  const state = page.locator('.chart [data-path="member.sealer.prePrepared"]');
  await state.locator("text", { hasText: "预准备" }).waitFor();
  assert.match((await state.locator("title").textContent()) ?? "", /预准备\n/);
  await page.getByRole("button", { name: "English" }).click();
  await state.locator("text", { hasText: "prePrepared" }).waitFor();
  assert.match((await state.locator("title").textContent()) ?? "", /^member\.sealer\.prePrepared/);
  await page.close();
});

// engine.test.ts has which arrow a proposal takes.
inFull(
  "the arrow of a proposal lights when it lands, and goes out with the next step",
  async () => {
    const page = await openCharts("1.pbft.t10-send-0");
    await page.getByRole("button", { name: "All", exact: true }).click();
    const stage = page.locator(".stage");
    // The leader takes the same arrow with its own proposal, which is no message.
    const words = "idle → member.sealer.prePrepared: prepare";
    const landed = page.locator("figure", {
      has: page.locator("ul[aria-label] li", { hasText: words }),
    });
    for (let left = 100; (await landed.count()) === 0; left--) {
      assert.ok(left > 0, "no proposal has landed");
      const step = await stage.getAttribute("data-step");
      await page.locator('[data-tool="step"]').click();
      await page.locator(`.stage:not([data-step="${step}"])`).waitFor();
    }
    const node = await landed.first().getAttribute("data-of");
    const way = '[data-from="member.sealer.idle"][data-to="member.sealer.prePrepared"]';
    const lit = page.locator(`[data-of="${node}"] .chart .taken${way}`);
    await untilCount(lit, 1);
    await page.locator('[data-tool="step"]').click();
    await untilCount(lit, 0);
    await page.close();
  },
);

for (const [text, machines] of [
  ["1.pbft.seed-9.load-300.show-t1500", OF_PBFT],
  ["1.raft.nodes-3.seed-7.show-t1500", OF_RAFT],
] as const) {
  test(`the charts of ${Object.keys(machines).join(", ")} are the machines`, async () => {
    const page = await openCharts(text);
    for (const [name, machine] of Object.entries(machines)) {
      const choice = page.locator(".charts .choices").getByRole("button", { name, exact: true });
      await choice.click();
      await page.locator(`.charts button[aria-pressed="true"]`, { hasText: name }).waitFor();
      const found = (await page.evaluate(READ)) as Drawn;
      assert.deepEqual(found, declared(machine as unknown as AnyStateMachine), name);
      assert.ok(found.rules.length > 0 && found.entries.length > 0, name);
      // The same rules for those who do not hover.
      const listed = await page.locator(".charts details li").allTextContents();
      const ruleIn = (line: string) => line.slice(line.indexOf(": "));
      assert.deepEqual(new Set(listed.map(ruleIn)), new Set(found.rules.map(ruleIn)), name);
    }
    await page.close();
    assert.deepEqual(site.errors, []);
  });
}
