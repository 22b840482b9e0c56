/** What config.ini says of management, with the file of the token. */
// rules: README 31
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "vitest";
import { readNodeConfig } from "../../../../runtimes/formats/config/node-config.ts";
import { readManagement } from "../../../../runtimes/node/machine/node-management.ts";

const TOKEN = "0123456789abcdef";

const settingsOf = (...lines: readonly string[]) =>
  readNodeConfig(["[rpc]", ...lines].join("\n"), "config.ini");

test("the modes without a token need no file", async () => {
  for (const mode of ["local", "open"] as const) {
    const { management } = settingsOf(`management=${mode}`).value.rpc;
    assert.deepEqual(await readManagement("/nowhere", management), { mode });
  }
  assert.equal(settingsOf().value.rpc.management.mode, "local");
});

test("the token's file is looked for from the node's folder", async () => {
  const home = await mkdtemp(join(tmpdir(), "chain-management-"));
  try {
    const settings = settingsOf("management=token", "management_token_file=conf.token");
    const read = () => readManagement(home, settings.value.rpc.management);
    await assert.rejects(read(), {
      name: "FolderFault",
      message: /conf\.token: there is no such file, which \[rpc\] management_token_file names\.$/,
    });
    for (const text of ["", "\n", TOKEN.slice(1), `two ${TOKEN}`, `${TOKEN}ä`, `a\n${TOKEN}`]) {
      await writeFile(join(home, "conf.token"), text);
      await assert.rejects(read(), { name: "FolderFault", message: /conf\.token holds no token/ });
    }
    await writeFile(join(home, "conf.token"), `${TOKEN}\n`);
    assert.deepEqual(await read(), { mode: "token", token: TOKEN });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

test("a token without its file is refused, a file without the mode is told", () => {
  assert.throws(() => settingsOf("management=token"), {
    name: "ConfigFault",
    message: /\[rpc\] management_token_file is missing: with management = token/,
  });
  const { warnings } = settingsOf("management_token_file=x");
  assert.deepEqual(
    warnings.filter(({ key }) => key === "management_token_file").map(({ message }) => message),
    ["has no effect with management = local"],
  );
});
