/** What docs/edge-objects.md has its readers deploy is what the build makes, and runs. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { openWorker } from "../../../support/browser/workerd.ts";
import { type Ask, request } from "../../../support/client/json-rpc-session.ts";
import { ROOT } from "../../../support/runner/root.ts";
import { inFull } from "../../../support/runner/in-full.ts";

interface Configuration {
  readonly main: string;
  readonly durable_objects: {
    readonly bindings: readonly { readonly name: string; readonly class_name: string }[];
  };
  readonly migrations: readonly { readonly new_sqlite_classes: readonly string[] }[];
  readonly vars: Readonly<Record<string, string>>;
}

const page = readFileSync(join(ROOT, "docs/edge-objects.md"), "utf8");
const configurations = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(
  ([, text = ""]) => JSON.parse(text) as Configuration,
);

/** Runs what a configuration deploys. @param secrets what its reader adds */
async function run(index: number, secrets: Readonly<Record<string, string>>) {
  const configuration = configurations[index];
  assert.ok(configuration);
  const { main, durable_objects: objects, migrations, vars } = configuration;
  const stored = migrations.flatMap((one) => one.new_sqlite_classes);
  const classes = objects.bindings.map(({ name, class_name: className }) => {
    const useSQLite = stored.includes(className);
    assert.ok(useSQLite, `${className} has SQLite`);
    return [name, { className, useSQLite }] as const;
  });
  const script = readFileSync(join(ROOT, main), "utf8");
  return openWorker(script, Object.fromEntries(classes), { ...vars, ...secrets });
}

test("the chain of the page runs from the built bundle", async () => {
  const worker = await run(0, {});
  try {
    const ask: Ask = async (body) =>
      (await worker.fetch("/sealers/2", { method: "POST", body })).text();
    const sealers = (await request(ask, "getSealerList", [1])) as readonly string[];
    assert.equal(sealers.length, 4);
    assert.equal((await worker.fetch("/sealers/4")).status, 404);
  } finally {
    await worker.close();
  }
});

// The chain of the page above is of the same build; an observer runs with all cases only.
inFull(
  "the observer of the page begins from the built bundle, and says what it lacks",
  async () => {
    const worker = await run(1, { NODE_KEY: "no key", JOIN: "{}" });
    try {
      const told = await worker.fetch("/", { method: "POST", body: "{}" }).then(
        (answer) => answer.text(),
        (cause: unknown) => String(cause),
      );
      assert.match(told, /NODE_KEY is unusable/);
    } finally {
      await worker.close();
    }
  },
);
