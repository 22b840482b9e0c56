/** What a node reports that it opens to other hosts. */
// rules: README 31
import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "vitest";
import { readNodeConfig } from "../../../../runtimes/formats/config/node-config.ts";
import { checkToken } from "../../../../runtimes/node/observe/doctor-folder.ts";
import { checkOpening, openingText } from "../../../../runtimes/node/observe/opening.ts";

function configOf(ip: string, ...lines: readonly string[]) {
  const text = ["[rpc]", `jsonrpc_listen_ip=${ip}`, ...lines].join("\n");
  return readNodeConfig(text, "config.ini").value;
}

const TOKEN = ["management=token", "management_token_file=token"];

test("nothing is reported where only this host reaches JSON-RPC", () => {
  for (const ip of ["127.0.0.1", "127.3.2.1", "::1"]) {
    assert.equal(openingText(configOf(ip, "management=open")), undefined);
    assert.deepEqual(checkOpening(configOf(ip, "management=open")), []);
  }
});

test("else who may do what", () => {
  const rest = "other hosts reach JSON-RPC: everybody reads and submits";
  for (const ip of ["0.0.0.0", "::", "192.0.2.7"]) {
    const said = (...lines: readonly string[]) => openingText(configOf(ip, ...lines));
    assert.equal(said(), `${rest}, callers of this host change groups and peers`);
    assert.equal(said(...TOKEN), `${rest}, holders of the token change groups and peers`);
    assert.equal(said("management=open"), `${rest}, everybody changes groups and peers`);
    assert.equal(said("disable_dynamic_group=true"), `${rest}, callers of this host change peers`);
  }
});

test("the doctor notes it, and warns where everybody may manage", () => {
  const outcome = (...lines: readonly string[]) =>
    checkOpening(configOf("0.0.0.0", ...lines)).map((verdict) => verdict.outcome);
  assert.deepEqual(outcome(), ["note"]);
  assert.deepEqual(outcome(...TOKEN), ["note"]);
  assert.deepEqual(outcome("management=open"), ["warning"]);
});

test("the doctor examines the file of the token", async () => {
  const home = await mkdtemp(join(tmpdir(), "opening-"));
  const path = join(home, "token");
  const found = async () => {
    const [verdict] = await checkToken(home, configOf("0.0.0.0", ...TOKEN));
    return verdict ? `${verdict.outcome} ${verdict.says} -> ${verdict.next}` : "nothing";
  };
  try {
    const next = `Write one: (umask 077; openssl rand -hex 32 > ${path}), and start the node anew.`;
    const missing = `${path}: there is no such file, which [rpc] management_token_file names`;
    assert.equal(await found(), `failure ${missing} -> ${next}`);
    await writeFile(path, "short\n");
    assert.match(await found(), /^failure .*token holds no token: 16 or more letters/);
    await writeFile(path, `${"5a".repeat(32)}\n`);
    await chmod(path, 0o644);
    assert.equal(await found(), `warning others may read ${path} -> chmod 600 ${path}`);
    await chmod(path, 0o600);
    assert.equal(await found(), "nothing");
    assert.deepEqual(await checkToken(home, configOf("0.0.0.0")), []);
  } finally {
    await rm(home, { recursive: true });
  }
});
