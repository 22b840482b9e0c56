/**
 * Pictures of every page, kept small next to the page. To take them anew:
 * REWRITE_PICTURES=1 npx vitest run test/web/pictures.test.ts
 */
import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { test } from "vitest";
import {
  makeHistory,
  type Seen,
  startBuiltChain,
  teachAbi,
} from "../support/browser/explorer-chain.ts";
import { ROOT } from "../support/runner/root.ts";
import { openSite, type Site } from "../support/browser/site.ts";
import { sitePages } from "../support/browser/site-pages.ts";

const FOLDER = join(ROOT, "web", "docs");
const INDEX = join(FOLDER, "README.md");
/** The one of the README: packages hold docs, not the folder of all pictures. */
const SHOWN = { page: "theatre-play", file: join(ROOT, "docs", "theatre.webp") };
const MOST_BYTES = 60 * 1024;
const MOST_BYTES_IN_ALL = 1024 * 1024;
const SETTLE_MS = 1_500;

/** How a picture is taken. */
interface Look {
  readonly name: string;
  readonly colorScheme: "light" | "dark";
  readonly viewport: { readonly width: number; readonly height: number };
}

const LOOKS: readonly Look[] = [
  { name: "light", colorScheme: "light", viewport: { width: 1120, height: 760 } },
  { name: "dark", colorScheme: "dark", viewport: { width: 1120, height: 760 } },
  { name: "phone", colorScheme: "light", viewport: { width: 360, height: 720 } },
];
/** Only the names count here: no chain has run. */
const NOBODY: Seen = { address: "", deployed: "", greeted: "", reverted: "", blocks: 0 };
const NAMES = sitePages(NOBODY).map(({ name }) => name);

const fileOf = (page: string, look: Look) => `${page}-${look.name}.webp`;

function indexText(): string {
  const [first = { name: "" }, ...others] = LOOKS;
  const heads = ["page", first.name, ...others.map(({ name }) => name)];
  const rows = NAMES.map((name) => {
    const cells = LOOKS.map((look) => `[![${name}](${fileOf(name, look)})](${fileOf(name, look)})`);
    return `| ${name} | ${cells.join(" | ")} |`;
  });
  return [
    "# The page in pictures",
    "",
    "Taken in headless Chromium from a development chain, in both themes and at a phone's width.",
    "",
    "```sh",
    "REWRITE_PICTURES=1 npx vitest run test/web/pictures.test.ts",
    "```",
    "",
    `| ${heads.join(" | ")} |`,
    `|${heads.map(() => "---").join("|")}|`,
    ...rows,
    "",
  ].join("\n");
}

/** Pictures are shown small: that much of the size is kept. */
const SCALE = 0.75;

/** Runs in a page: a PNG as a smaller WebP of a quality. */
const CONVERT = `async ([png, quality, scale]) => {
  const image = new Image();
  image.src = "data:image/png;base64," + png;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(image.width * scale);
  canvas.height = Math.round(image.height * scale);
  const context = canvas.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/webp", quality).split(",")[1];
}`;

async function shoot(page: Page, darkroom: Page): Promise<Buffer> {
  const png = (await page.screenshot({ animations: "disabled" })).toString("base64");
  for (const quality of [0.45, 0.3, 0.2]) {
    const given = JSON.stringify([png, quality, SCALE]);
    const webp = Buffer.from(
      (await darkroom.evaluate(`(${CONVERT})(${given})`)) as string,
      "base64",
    );
    if (webp.length < MOST_BYTES) return webp;
  }
  throw new Error("a picture does not become small enough");
}

async function takeAll(site: Site, seen: Seen): Promise<void> {
  const darkroom = await site.tab("page.json");
  const first = await site.tab();
  await teachAbi(first, site.base, seen);
  await first.close();
  for (const look of LOOKS) {
    const page = await site.context.newPage();
    await page.setViewportSize(look.viewport);
    await page.emulateMedia({ colorScheme: look.colorScheme });
    for (const { name, address, whole } of sitePages(seen)) {
      await page.goto(`${site.base}/${address}`);
      await page.locator(whole).first().waitFor();
      await page.waitForTimeout(SETTLE_MS);
      writeFileSync(join(FOLDER, fileOf(name, look)), await shoot(page, darkroom));
    }
    await page.close();
  }
}

async function retake(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const chain = await startBuiltChain({ nodes: 4 });
  const seen = await makeHistory(chain);
  const site = await openSite({ base: chain.rpcUrl, locale: "en-GB" });
  try {
    await takeAll(site, seen);
    copyFileSync(join(FOLDER, `${SHOWN.page}-light.webp`), SHOWN.file);
    writeFileSync(INDEX, indexText());
  } finally {
    await site.close();
    await chain.close();
  }
}

test("every page has its pictures in both themes and at a phone's width, and they are small", async () => {
  if (process.env["REWRITE_PICTURES"] === "1") await retake();
  assert.equal(readFileSync(INDEX, "utf8"), indexText());
  assert.ok(statSync(SHOWN.file).size < MOST_BYTES);
  const wanted = NAMES.flatMap((name) => LOOKS.map((look) => fileOf(name, look)));
  for (const file of wanted) assert.ok(existsSync(join(FOLDER, file)), file);
  const kept = readdirSync(FOLDER).filter((file) => file !== "README.md");
  assert.deepEqual(kept.sort(), wanted.sort());
  const sizes = kept.map((file) => statSync(join(FOLDER, file)).size);
  for (const [i, size] of sizes.entries()) assert.ok(size < MOST_BYTES, kept[i]);
  const sum = sizes.reduce((all, one) => all + one, 0);
  assert.ok(sum < MOST_BYTES_IN_ALL, `${sum} bytes`);
});
