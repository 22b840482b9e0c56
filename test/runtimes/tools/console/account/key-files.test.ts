/** Key files of accounts. */
// rules: console 4.1
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { createSmSuite } from "../../../../../core/crypto/national.ts";
import { createStandardSuite } from "../../../../../core/crypto/standard.ts";
import { createNodeEntropy } from "../../../../../runtimes/node/machine/entropy.ts";
import {
  type AccountChoice,
  chooseAccount,
} from "../../../../../runtimes/tools/console/account/chosen-account.ts";
import {
  createKeyFile,
  keyFolder,
  listKeyFiles,
  readKeyFile,
  readLabels,
  writeLabel,
} from "../../../../../runtimes/tools/console/account/key-files.ts";

const SUITES = [createStandardSuite(), createSmSuite()];
const entropy = createNodeEntropy();
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "console-keys-"));
});

afterAll(() => rm(home, { recursive: true }));

const secret = (text: string) => (): Promise<string> => Promise.resolve(text);

for (const suite of SUITES) {
  for (const format of ["pem", "p12"] as const) {
    test(`a ${format} file of the ${suite.name} suite is read back, by its owner only`, async () => {
      const folder = keyFolder(join(home, `new-${format}`), suite.name);
      const made = await createKeyFile(folder, { suite, format, password: "pw", entropy });
      const end = suite.name === "national" ? `_gm.${format}` : `.${format}`;
      assert.equal(made.path, join(folder, `${made.address}${end}`));
      assert.equal((await stat(made.path)).mode & 0o777, 0o600);
      const account = await readKeyFile(made.path, { suite, format, password: secret("pw") });
      assert.deepEqual([account.address, account.suite], [made.address, suite.name]);
      const [listed] = await listKeyFiles(folder);
      assert.deepEqual([listed?.address, listed?.format], [made.address, format]);
    });
  }
}

test("a wrong password, another curve, no key and no file are distinguished", async () => {
  const [standard, national] = SUITES;
  assert.ok(standard && national);
  const folder = join(home, "wrong");
  const bag = await createKeyFile(folder, {
    suite: standard,
    format: "p12",
    password: "pw",
    entropy,
  });
  const wrong = { suite: standard, format: "p12", password: secret("no") } as const;
  await assert.rejects(readKeyFile(bag.path, wrong), /p12: wrong password/);
  const key = { suite: standard, format: "pem", password: "", entropy } as const;
  const pem = await createKeyFile(folder, key);
  const other = { suite: national, format: "pem", password: secret("") } as const;
  await assert.rejects(
    readKeyFile(pem.path, other),
    /its key is of the curve secp256k1, the chain wants SM2/,
  );
  const empty = join(folder, "empty.pem");
  await writeFile(empty, "nothing");
  const own = { suite: standard, format: "pem", password: secret("") } as const;
  await assert.rejects(readKeyFile(empty, own), /there is no secp256k1 private key in PEM form/);
  await assert.rejects(readKeyFile(join(folder, "x.pem"), own), /x\.pem: the file does not exist/);
  const lost = { ...own, format: "p12" } as const;
  await assert.rejects(readKeyFile(join(folder, "x.p12"), lost), /x\.p12: the file does not exist/);
});

test("labels are kept by address", async () => {
  const folder = join(home, "labels");
  assert.deepEqual(await readLabels(folder), {});
  await writeLabel(folder, "0x01", "bank");
  await writeLabel(folder, "0x02", "audit");
  assert.deepEqual(await readLabels(folder), { "0x01": "bank", "0x02": "audit" });
  await writeFile(join(folder, "labels.json"), "no JSON");
  assert.deepEqual(await readLabels(folder), {});
});

/** A choice in a folder of its own. */
function choice(name: string, change: Partial<AccountChoice> = {}): AccountChoice {
  const [suite] = SUITES;
  assert.ok(suite);
  const keyStoreDir = join(home, name);
  const none = { filePath: undefined, address: undefined, password: undefined };
  return {
    named: undefined,
    config: { keyStoreDir, format: "pem", ...none },
    suite,
    askSecret: secret("pw"),
    progress: () => undefined,
    ...change,
  };
}

test("at the start the newest PEM file signs, and a new one is made when there is none", async () => {
  const lines: string[] = [];
  const begin = choice("start", { progress: (line) => void lines.push(line) });
  const first = await chooseAccount(begin);
  assert.match(lines.join(), /a new account was made: .*account|start/);
  assert.equal((await chooseAccount(begin)).address, first.address);
  assert.equal(lines.length, 1);
  const folder = keyFolder(begin.config.keyStoreDir, "standard");
  const later = { suite: begin.suite, format: "pem", password: "", entropy } as const;
  const second = await createKeyFile(folder, later);
  await utimes(second.path, new Date(), new Date(Date.now() + 60_000));
  assert.equal((await chooseAccount(begin)).address, second.address);
  // One with a password is not tried by itself.
  const bag = join(folder, `${first.address}.p12`);
  await writeFile(bag, "a caller that opens it fails");
  await utimes(bag, new Date(), new Date(Date.now() + 120_000));
  assert.equal((await chooseAccount(begin)).address, second.address);
});

test("a file of the start goes before that of the configuration, and that before an address", async () => {
  const begin = choice("named");
  const { suite } = begin;
  const folder = keyFolder(begin.config.keyStoreDir, "standard");
  const key = { suite, password: "pw", entropy } as const;
  const [a, b, c] = await Promise.all([
    createKeyFile(folder, { ...key, format: "pem" }),
    createKeyFile(folder, { ...key, format: "p12" }),
    createKeyFile(folder, { ...key, format: "pem" }),
  ]);
  const config = { ...begin.config, filePath: b.path, address: c.address, password: "pw" };
  const named = { path: a.path, format: "pem" } as const;
  assert.equal((await chooseAccount({ ...begin, named, config })).address, a.address);
  assert.equal((await chooseAccount({ ...begin, config })).address, b.address);
  const byAddress = { ...config, filePath: undefined };
  assert.equal((await chooseAccount({ ...begin, config: byAddress })).address, c.address);
  const missing = { ...byAddress, address: `0x${"12".repeat(20)}` };
  await assert.rejects(
    chooseAccount({ ...begin, config: missing }),
    /account\.accountAddress of config\.toml is 0x1212.*has no key file of it/,
  );
});

test("a key file is text that other tools read", async () => {
  const [suite] = SUITES;
  assert.ok(suite);
  const key = { suite, format: "pem", password: "", entropy } as const;
  const { path } = await createKeyFile(join(home, "text"), key);
  assert.match(await readFile(path, "utf8"), /^-----BEGIN PRIVATE KEY-----\n/);
});
