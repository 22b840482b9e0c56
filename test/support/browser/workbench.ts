/** The workbench as a user has it in front of them. */
import type { Locator, Page } from "playwright-core";

/** What a user does in the workbench. */
export interface Bench {
  readonly page: Page;
  /** Opens a tab of its right side. */
  side(name: "Deploy" | "Contracts" | "Accounts"): Promise<void>;
  /** Replaces the text of the editor. */
  write(source: string): Promise<void>;
  /** Compiles; the words that the compiler's bar says then. */
  compile(): Promise<string>;
  /** Fills the fields of a form by their names and runs it; the box of what came of it. */
  run(form: Locator, fields: Readonly<Record<string, string>>): Promise<Box>;
  deploy(fields?: Readonly<Record<string, string>>): Promise<Box>;
  /** A function of a contract, opened. */
  functionOf(contract: Locator, name: string): Promise<Locator>;
}

/** A green or red box. */
export interface Box {
  readonly kind: string;
  readonly text: string;
  readonly reason: string | undefined;
  readonly status: string | undefined;
  /** Addresses in it. */
  readonly addresses: readonly string[];
}

async function boxIn(form: Locator): Promise<Box> {
  const box = form.locator("xpath=following-sibling::*[@data-outcome]");
  await box.waitFor();
  const told = async (mark: string) => {
    const found = box.locator(`[${mark}]`);
    return (await found.count()) > 0 ? ((await found.textContent()) ?? "") : undefined;
  };
  const titles = await box
    .locator("code[title]")
    .evaluateAll((list) => list.map((it) => it.getAttribute("title") ?? ""));
  return {
    kind: (await box.getAttribute("data-outcome")) ?? "",
    text: (await box.textContent()) ?? "",
    reason: await told("data-reason"),
    status: await told("data-status"),
    addresses: titles.filter((it) => /^0x[0-9a-f]{40}$/.test(it)),
  };
}

/** Takes up a page that is open at the workbench. */
export async function benchOf(page: Page): Promise<Bench> {
  await page.locator(".cm-content").waitFor();
  // Until the compilers are known, a press of Compile shows nothing yet.
  await page.locator(".compile select option").nth(1).waitFor({ state: "attached" });
  const run: Bench["run"] = async (form, fields) => {
    for (const [name, value] of Object.entries(fields)) {
      const field = form.getByLabel(new RegExp(`^${name}(?!\\w)`));
      const isChoice = (await field.evaluate((it) => it.tagName)) === "SELECT";
      await (isChoice ? field.selectOption(value) : field.fill(value));
    }
    await form.locator("button[type=submit]:enabled").click();
    await form.locator("button[type=submit]:enabled").waitFor();
    return await boxIn(form);
  };
  return {
    page,
    run,
    side: async (name) => await page.getByRole("tab", { name }).click(),
    async write(source) {
      await page.locator(".cm-content").click();
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.insertText(source);
    },
    async compile() {
      const bar = page.locator(".compile");
      await bar.getByRole("button", { name: "Compile", exact: true }).click();
      await bar.locator(".running").waitFor({ state: "detached" });
      return (await bar.locator(".outcome p, .outcome .problem").first().textContent()) ?? "";
    },
    deploy: async (fields = {}) => await run(page.locator("form.call").first(), fields),
    async functionOf(contract, name) {
      const entry = contract.locator(`[data-function="${name}"]`).first();
      if ((await entry.getAttribute("open")) === null) await entry.locator("summary").click();
      return entry.locator("form.call");
    },
  };
}
