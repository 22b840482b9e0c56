import { writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { test } from "vitest";
import { reportPage } from "../../../runtimes/tools/benchmark/report/write-report.ts";
import { posedReport } from "../../support/benchmark/posed-report.ts";
import { openContext } from "../../support/browser/chromium.ts";
test("shots", async () => {
  process.env["CHAIN_NODE_DIST"] ??= "/work/wt-b2/dist/node";
  await writeFile("/tmp/b2shots/r.html", await reportPage(posedReport()));
  const context = await openContext({ offline: true, viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await page.goto(pathToFileURL("/tmp/b2shots/r.html").href);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const [i, y] of [0, 850, 1700, 2600].entries()) {
      await page.evaluate(`window.scrollTo({top:${y},behavior:"instant"})`);
      await page.waitForTimeout(150);
      await page.screenshot({ path: `/tmp/b2shots/${colorScheme}-${i}.png` });
    }
  }
  await page.setViewportSize({ width: 360, height: 740 });
  await page.evaluate(`window.scrollTo({top:1700,behavior:"instant"})`);
  await page.screenshot({ path: `/tmp/b2shots/phone.png` });
  await context.close();
});
