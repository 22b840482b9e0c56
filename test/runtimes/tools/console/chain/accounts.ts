/** Accounts on a chain. */
// rules: console 4.1
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "vitest";
import type { Steps } from "../../../../support/console/steps.ts";

/** Lists the tests. */
export function accountTests({ world, done, refused }: Steps): void {
  test("accounts: a key file is made, listed, loaded, and signs", async () => {
    const [before, made] = (await done(["getCurrentAccount", "newAccount pem --label bank"])) as [
      string,
      { readonly address: string; readonly path: string; readonly type: string },
    ];
    const { address, path, type } = made;
    assert.equal(type, "ecdsa");
    // Another file, so that the first is not the newest: that is taken at the start.
    await done(["newAccount"]);
    const [list, loaded, current, back] = (await done([
      "listAccount",
      `loadAccount ${address}`,
      "getCurrentAccount",
      `loadAccount ${path} pem`,
    ])) as [
      { address: string; label: string | null; isCurrent: boolean }[],
      unknown,
      string,
      unknown,
    ];
    const isIn = (wanted: string) => list.find((row) => row.address === wanted);
    assert.deepEqual([isIn(address)?.label, isIn(address)?.isCurrent], ["bank", false]);
    assert.equal(isIn(before)?.label, null);
    assert.equal(list.filter(({ isCurrent }) => isCurrent).length, 1);
    assert.deepEqual([loaded, current, back], [{ address }, address, { address }]);
    const { stdout } = await world().run("listAccount");
    assert.match(stdout, /^0x[0-9a-f]{40}\(current account\) <=\n/);
  });

  test("accounts: what cannot be is a sentence", async () => {
    const nobody = `0x${"12".repeat(20)}`;
    const told = await refused([
      "newAccount jks",
      "newAccount pem secret",
      "newAccount p12",
      `loadAccount ${nobody}`,
      "loadAccount nowhere.pem",
      `loadAccount ${join(world().folder, "conf/ca.crt")}`,
      `loadAccount ${nobody} jks`,
    ]);
    const said = told.map(([, message]) => message);
    assert.match(said[0] ?? "", /"jks" is no format of a key file/);
    assert.match(said[1] ?? "", /a pem file has no password/);
    assert.match(said[2] ?? "", /standard input is no terminal/);
    assert.match(said[3] ?? "", /has no key file of 0x1212/);
    assert.match(said[4] ?? "", /nowhere\.pem: the file does not exist/);
    assert.match(said[5] ?? "", /no secp256k1 private key/);
    assert.match(said[6] ?? "", /no format of a key file/);
  });

  test("a PKCS #12 file signs: its password comes from the configuration", async () => {
    const { data } = await world().ask("newAccount", "p12", "geheim");
    const { address, path } = data as { readonly address: string; readonly path: string };
    const file = join(world().folder, "conf/p12.toml");
    const text = await readFile(join(world().folder, "conf/config.toml"), "utf8");
    const keys = [`accountFilePath = "${path}"`, 'accountFileFormat = "p12"'];
    const account = ["[account]", ...keys, 'password = "geheim"', ""].join("\n");
    await writeFile(file, text.replace(/\[account\][\s\S]*/, account));
    const current = await world().ask("--config", file, "getCurrentAccount");
    assert.equal(current.data, address);
    await writeFile(file, text.replace(/\[account\][\s\S]*/, account.replace("geheim", "falsch")));
    const wrong = await world().run("--config", file, "getCurrentAccount");
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /wrong password/);
  });

  test("start: a key of the command line signs, a wrong word does not start", async () => {
    const { data } = await world().ask("newAccount");
    const { address, path } = data as { readonly address: string; readonly path: string };
    assert.equal((await world().ask("1", "-pem", path, "getCurrentAccount")).data, address);
    const misspelt = await world().run("1", "-pme", path);
    assert.deepEqual([misspelt.code, misspelt.stdout], [2, ""]);
    assert.match(misspelt.stderr, /"-pme" is no option of the console/);
    const missing = await world().run("1", "-pem", "nowhere.pem", "getCurrentAccount");
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /nowhere\.pem: the file does not exist/);
  });
}
