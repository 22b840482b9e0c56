/**
 * The report opened from the disk in real Chromium with the network off. Source: benchmark 9, 11
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { reportPage } from "../../../runtimes/tools/benchmark/report/write-report.ts";
import { posedReport } from "../../support/benchmark/posed-report.ts";
import { openContext } from "../../support/browser/chromium.ts";
import { axeFindings, overflowing } from "../../support/browser/obstacles.ts";
import { ROOT } from "../../support/runner/root.ts";

const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };
const MOST_BYTES = 500_000;

let folder: string;
let context: BrowserContext;
let page: Page;
let html: string;
const asked: string[] = [];
const errors: string[] = [];

beforeAll(async () => {
  process.env["CHAIN_NODE_DIST"] ??= join(ROOT, "dist", "node");
  folder = await mkdtemp(join(tmpdir(), "benchmark-report-"));
  html = await reportPage(posedReport());
  const file = join(folder, "report.html");
  await writeFile(file, html);
  context = await openContext({ offline: true, locale: "en-GB", viewport: DESKTOP });
  page = await context.newPage();
  page.on("request", (request) => asked.push(request.url()));
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (line) => line.type() === "error" && errors.push(line.text()));
  await page.goto(pathToFileURL(file).href);
  await page.locator("main h1").waitFor();
});

afterAll(async () => {
  await context?.close();
  await rm(folder, { recursive: true });
});

const texts = (selector: string) => page.locator(selector).allInnerTexts();

test("one file, small, that loads nothing but itself", () => {
  expect(Buffer.byteLength(html)).toBeLessThan(MOST_BYTES);
  expect(asked.filter((url) => !/^(file|data):/.test(url))).toEqual([]);
  expect(asked.filter((url) => url.startsWith("file:"))).toHaveLength(1);
  expect(html).not.toMatch(/(?:src|href)="https?:/);
  expect(errors).toEqual([]);
});

test("the reference's layout: the left column, the tables of every round, the configuration", async () => {
  expect(await page.title()).toBe("Transfers & greetings");
  const side = (await texts(".side"))[0] ?? "";
  const blocks = ["Basic information", "Benchmark results", "System under test", "4 nodes"];
  for (const words of blocks) expect(side).toContain(words);
  expect(await texts("h2")).toEqual(
    expect.arrayContaining([
      "Summary of performance metrics",
      "Benchmark round: transfer finished",
      "Benchmark round: hello </script> <b> partial",
      "Test Environment",
    ]),
  );
  expect(await texts("caption")).toEqual(
    expect.arrayContaining([
      "Performance metrics for transfer",
      "Resource monitor: process",
      "Latency in seconds",
      "Errors",
      "Workers",
      "Assertions",
    ]),
  );
  expect(await texts("#summary thead th")).toEqual(
    expect.arrayContaining(["Send Rate (TPS)", "Succ TPS", "p50 (s)", "p99 (s)", "Verdict"]),
  );
  expect(await texts(".monitor thead th")).toEqual([
    "Name",
    "Memory(max) [MB]",
    "Memory(avg) [MB]",
    "CPU%(max)",
    "CPU%(avg)",
  ]);
});

test("every chart is drawn and says what it shows", async () => {
  const titles = await texts("#round-0 .bench-chart h4");
  expect(titles).toEqual([
    "Transactions per second",
    "Latency over time",
    "Distribution of latency",
    "Sent and not yet answered",
    "Memory",
    "CPU%",
    "Memory(avg)",
    "CPU%(avg)",
  ]);
  const drawn = await page.locator("#round-0 .bench-chart svg").evaluateAll((all) =>
    all.map((svg) => ({
      spoken: svg.getAttribute("aria-label") ?? "",
      shapes: Array.from(svg.querySelectorAll<SVGGraphicsElement>(".line, .area")).filter(
        (shape) => {
          const { width, height } = shape.getBBox();
          return width > 0 && height > 0;
        },
      ).length,
    })),
  );
  for (const { spoken, shapes } of drawn) {
    expect(shapes, spoken).toBeGreaterThan(0);
    expect(spoken).toMatch(/: .*\d|p50 \d/);
  }
});

test("what went wrong is on the page: rate, failures, warnings, assertions", async () => {
  const round = (await texts("#round-0 .warnings")).join("\n");
  expect(round).toContain("The target rate was not reached");
  expect(round).toContain("4 transactions had no answer in time");
  expect(round).toContain("no process matches command /fisco-bcos/");
  expect((await texts("#round-1 .warnings")).join()).toContain("worker 1 (4712) ended");
  expect((await texts("#summary")).join()).toContain("does not hold");
});

test("both themes, a phone's width and paper keep nobody out", async () => {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await axeFindings(page), colorScheme).toEqual([]);
  }
  await page.setViewportSize(PHONE);
  expect(await overflowing(page)).toEqual([]);
  await page.setViewportSize(DESKTOP);
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  const ground = await page.evaluate("getComputedStyle(document.body).backgroundColor");
  expect(ground).toBe("rgb(255, 255, 255)");
  await page.emulateMedia({ media: "screen", colorScheme: "light" });
  await page.getByLabel("Theme").selectOption("dark");
  const dark = await page.evaluate("getComputedStyle(document.body).backgroundColor");
  expect(dark).toBe("rgb(18, 21, 28)");
});
