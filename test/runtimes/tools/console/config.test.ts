/** The file config.toml. */
// rules: console 1
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "vitest";
import { consoleConfigText } from "../../../../runtimes/folder/console-folder.ts";
import { ConsoleFault } from "../../../../runtimes/tools/console/command.ts";
import { loadConfig, readConfig, readEndpoint } from "../../../../runtimes/tools/console/config.ts";

function read(text: string) {
  return readConfig(text, "/c", "/c/conf/config.toml");
}

test("an empty file gives the places of a console folder", () => {
  const config = read("");
  const { ca, cert, key } = config.certificates;
  assert.deepEqual([ca, cert, key], ["/c/conf/ca.crt", "/c/conf/sdk.crt", "/c/conf/sdk.key"]);
  assert.deepEqual([config.peers, config.rpc, config.chainId], [[], [], undefined]);
  assert.deepEqual(config.account, {
    keyStoreDir: "/c/account",
    filePath: undefined,
    format: "pem",
    address: undefined,
    password: undefined,
  });
});

test("every key of the specification is read, and those without a use are accepted", () => {
  const config = read(`
[cryptoMaterial]
certPath = "keys"
caCert = "/x/ca.crt"
sslCert = "own/sdk.crt"
sslKey = ""
enSslCert = "a"
[network]
peers = ["127.0.0.1:20200", "[::1]:20201", "node.example.org:20202"]
rpc = ["http://127.0.0.1:8545"]
chainId = "7"
[[amop]]
topicName = "t"
publicKeys = ["k"]
[account]
keyStoreDir = "keys/accounts"
accountFilePath = "a.p12"
accountFileFormat = "p12"
accountAddress = "0x01"
password = "secret"
[threadPool]
channelProcessorThreadSize = "16"
receiptProcessorThreadSize = "16"
maxBlockingQueueSize = "102400"
`);
  const { ca, cert, key } = config.certificates;
  assert.deepEqual([ca, cert, key], ["/x/ca.crt", "/c/own/sdk.crt", "/c/keys/sdk.key"]);
  const hosts = config.peers.map(({ host, port }) => [host, port]);
  assert.deepEqual(hosts, [
    ["127.0.0.1", 20_200],
    ["::1", 20_201],
    ["node.example.org", 20_202],
  ]);
  assert.deepEqual(config.rpc, ["http://127.0.0.1:8545"]);
  assert.equal(config.chainId, 7n);
  assert.deepEqual(config.account, {
    keyStoreDir: "/c/keys/accounts",
    filePath: "/c/a.p12",
    format: "p12",
    address: "0x01",
    password: "secret",
  });
});

test("the file of a new console folder can be read", () => {
  const { peers } = read(consoleConfigText(["10.0.0.1:20200"]));
  assert.deepEqual(
    peers.map(({ text }) => text),
    ["10.0.0.1:20200"],
  );
});

/** Texts that cannot be, and what is reported. */
const WRONG: readonly (readonly [text: string, said: string])[] = [
  ['[network]\npeers = "a"', "network.peers: a list of texts is expected"],
  ['[network]\npeers = ["a"]', 'network.peers: "a" is no host:port'],
  ['[network]\npeers = ["1.1.1.1:0"]', 'network.peers: "1.1.1.1:0" is no host:port'],
  ['[network]\npeers = ["1.1.1.1:65536"]', 'network.peers: "1.1.1.1:65536" is no host:port'],
  ['[network]\nrpc = ["ws://a"]', 'network.rpc: "ws://a" is no URL'],
  ['[network]\nchainId = "x"', "network.chainId: decimal digits are expected"],
  ["[account]\npassword = 5", "account.password: a text in quotes is expected"],
  ['[account]\naccountFileFormat = "jks"', 'account.accountFileFormat: "pem" or "p12" is expected'],
  ["network = 5", "network: a section [network] is expected"],
];
for (const [text, said] of WRONG) {
  test(`${JSON.stringify(text)} is refused: ${said}`, () => {
    assert.throws(
      () => read(text),
      (cause) =>
        cause instanceof ConsoleFault &&
        cause.exitCode === 1 &&
        cause.message.startsWith(`/c/conf/config.toml: ${said}`),
    );
  });
}

test("what is no TOML is told with its line", () => {
  assert.throws(
    () => read("[network]\npeers = [\n"),
    /^ConsoleFault: \/c\/conf\/config\.toml:\d+: /,
  );
});

test("a missing file says what to copy, and its folder is that above conf", async () => {
  const home = await mkdtemp(join(tmpdir(), "console-config-"));
  try {
    const file = join(home, "conf", "config.toml");
    await assert.rejects(loadConfig(file), (cause) => {
      assert.ok(cause instanceof ConsoleFault);
      assert.ok(cause.message.startsWith(`${file} is missing. Write it, with the line [network],`));
      return cause.exitCode === 1;
    });
    await mkdir(join(home, "conf"));
    const example = join(home, "conf", "config-example.toml");
    await writeFile(example, "");
    await assert.rejects(loadConfig(file), (cause) =>
      String(cause).includes(`${file} is missing. Copy ${example} to that name`),
    );
    await writeFile(file, "");
    assert.equal((await loadConfig(file)).folder, home);
    await writeFile(join(home, "mine.toml"), "");
    assert.equal((await loadConfig(join(home, "mine.toml"))).folder, home);
  } finally {
    await rm(home, { recursive: true });
  }
});

test("an endpoint has a host, which may be a name, and a port", () => {
  assert.deepEqual(readEndpoint("h-1.example:1"), {
    host: "h-1.example",
    port: 1,
    text: "h-1.example:1",
  });
  for (const text of ["", ":1", "h", "h:", "h:x", "[h]:1", "::1:1", "a b:1"])
    assert.equal(readEndpoint(text), undefined, text);
});
