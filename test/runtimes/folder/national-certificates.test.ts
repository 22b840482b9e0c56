/** Keys, certificates and folders of a national chain. */
// rules: sm-suite 4, sm-suite 7, node-network 1
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { createAgency, createAuthority, issue } from "../../../runtimes/folder/authority.ts";
import { parseCertificates } from "../../../runtimes/folder/certificate.ts";
import { verifyChain } from "../../../runtimes/formats/certificates/certificate-chain.ts";
import { issueInto, renewIn } from "../../../runtimes/folder/certificate-work.ts";
import { createChainFolder, type WrittenNode } from "../../../runtimes/folder/chain-folder.ts";
import { channelPaths, readChannelFiles } from "../../../runtimes/folder/channel-files.ts";
import { DEFAULT_PORTS, planChain } from "../../../runtimes/folder/chain-layout.ts";
import { FolderFault } from "../../../runtimes/folder/folder-fault.ts";
import { readNodeConfig } from "../../../runtimes/formats/config/node-config.ts";
import { readIdentity } from "../../../runtimes/folder/node-identity.ts";
import { parseCertificate } from "../../../runtimes/formats/certificates/parsed-certificate.ts";
import {
  createKeyPair,
  parsePrivateKey,
  privateKeyPem,
} from "../../../runtimes/folder/private-key.ts";
import { DAY_MS, NOW, seededEntropy } from "./chain-of-certificates.ts";

const CONTEXT = { entropy: seededEntropy("national"), now: NOW, days: 100 };
const LATER = { ...CONTEXT, now: NOW + 80 * DAY_MS };

let home: string;
let chain: string;
let nodes: readonly WrittenNode[];

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "chain-national-"));
  chain = join(home, "chain");
  const plan = planChain({
    nodes: 2,
    agencies: ["A"],
    groups: [{ id: 1, consensus: "pbft" }],
    sm: true,
    host: "127.0.0.1",
    basePorts: DEFAULT_PORTS,
  });
  const program = { runtime: "node", entry: "" };
  nodes = await createChainFolder(chain, plan, { ...CONTEXT, program });
});

afterAll(() => rm(home, { recursive: true, force: true }));

const textOf = (...path: readonly string[]) => readFileSync(join(chain, ...path), "utf8");
const certificatesOf = (...path: readonly string[]) => parseCertificates(textOf(...path));

async function faultOf(work: Promise<unknown>): Promise<string> {
  const cause = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(cause instanceof FolderFault, String(cause));
  return cause.message;
}

test("a folder holds the files of the reference, and a config.ini that names the suite", async () => {
  const own = ["gmca.crt", "gmnode.crt", "gmnode.key", "gmnode.nodeid", "gmnode.serial"];
  const encryption = ["gmennode.crt", "gmennode.key"];
  const names = await readdir(join(chain, "node0", "conf"));
  assert.deepEqual(
    names.filter((name) => name.startsWith("gm")).sort(),
    [...own, ...encryption].sort(),
  );
  assert.deepEqual(
    names.filter((name) => /^(node|ca)\./.test(name)),
    [],
  );
  assert.deepEqual((await readdir(join(chain, "A", "sdk", "gm"))).sort(), [
    "gmca.crt",
    "gmensdk.crt",
    "gmensdk.key",
    "gmsdk.crt",
    "gmsdk.key",
  ]);
  const { value, warnings } = readNodeConfig(textOf("node0", "config.ini"), "config.ini");
  assert.deepEqual([value.chain.nationalCrypto, warnings], [true, []]);
  const { suite, key, cert, caCert } = value.identity;
  const files = ["national", "conf/gmnode.key", "conf/gmnode.crt", "conf/gmca.crt"];
  assert.deepEqual([suite, key, cert, caCert], files);
});

test("SDKs have ordinary certificates, of a chain of their own", async () => {
  assert.deepEqual((await readdir(join(chain, "A", "sdk"))).sort(), [
    "ca.crt",
    "gm",
    "node.crt",
    "node.key",
    "sdk.crt",
    "sdk.key",
  ]);
  const { value } = readNodeConfig(textOf("node0", "config.ini"), "config.ini");
  const files = await readChannelFiles(channelPaths(join(chain, "node0"), value));
  assert.equal(files.kind, "secp256k1");
  assert.equal(files.ca, textOf("A", "sdk", "ca.crt"));
  const [leaf] = certificatesOf("node0", "conf", "origin_cert", "node.crt");
  const parsed = leaf && parseCertificate(leaf);
  assert.ok(parsed && typeof parsed !== "string");
  assert.equal(parsed.suite, "standard");
  const verdict = verifyChain(certificatesOf("A", "sdk", "sdk.crt"), {
    authorities: certificatesOf("cert", "origin", "ca.crt"),
    now: NOW,
  });
  assert.ok(verdict.ok);
});

test("the node ID is the SM2 key of the certificate, as genesis and gmnode.nodeid say it", () => {
  for (const { name, nodeId } of nodes) {
    const [leaf] = certificatesOf(name, "conf", "gmnode.crt");
    const parsed = leaf && parseCertificate(leaf);
    assert.ok(parsed && typeof parsed !== "string");
    assert.equal(parsed.suite, "national");
    assert.equal(textOf(name, "conf", "gmnode.nodeid"), `${nodeId}\n`);
    assert.ok(textOf("node0", "conf", "group.1.genesis").includes(nodeId));
    const key = textOf(name, "conf", "gmnode.key");
    assert.equal(parsePrivateKey(key, "national")?.nodeId, nodeId);
    assert.equal(parsePrivateKey(key), undefined);
    const verdict = verifyChain(certificatesOf(name, "conf", "gmnode.crt"), {
      authorities: certificatesOf(name, "conf", "gmca.crt"),
      now: NOW,
    });
    assert.ok(verdict.ok && verdict.nodeId === nodeId && verdict.agency === "A");
  }
});

test("keys of one suite are none of the other", () => {
  const pair = createKeyPair(seededEntropy("pair"), "national");
  assert.deepEqual(parsePrivateKey(privateKeyPem(pair), "national"), pair);
  assert.equal(parsePrivateKey(privateKeyPem(pair)), undefined);
  const other = privateKeyPem(createKeyPair(seededEntropy("pair")));
  assert.equal(parsePrivateKey(other, "national"), undefined);
});

test("a certificate of one suite is not of a chain of the other, no matter whose names it bears", () => {
  const standard = createAuthority(CONTEXT);
  const national = createAuthority(CONTEXT, "national");
  const leaf = (ca: typeof standard) =>
    issue({ kind: "node", name: "node0" }, createAgency("A", ca, CONTEXT), CONTEXT);
  for (const [from, to] of [
    [standard, national],
    [national, standard],
  ] as const) {
    const presented = parseCertificates(leaf(from).text);
    const trust = { authorities: [to.certificate], now: NOW };
    const verdict = verifyChain(presented, trust);
    assert.ok(!verdict.ok);
    assert.match(verdict.reason, /^(otherChain|badSignature)$/);
  }
});

test("a changed byte anywhere in a certificate is refused", () => {
  const authorities = certificatesOf("node0", "conf", "gmca.crt");
  const [leaf, agency] = certificatesOf("node0", "conf", "gmnode.crt");
  assert.ok(leaf && agency);
  for (let at = 0; at < leaf.length; at += 7) {
    const changed = leaf.slice();
    changed[at] = (changed[at] ?? 0) ^ 0x11;
    assert.ok(!verifyChain([changed, agency], { authorities, now: NOW }).ok, `byte ${at}`);
  }
});

test("certificates are issued for new keys and kept ones, and renewed, by the chain's suite", async () => {
  const out = join(home, "node9");
  const order = { ca: chain, agency: "A", newAgency: false, out, kind: "node", name: "node9" };
  const made = await issueInto({ ...order, kind: "node" }, CONTEXT);
  assert.deepEqual((await readdir(out)).sort(), made.files.toSorted());
  assert.match(await faultOf(issueInto({ ...order, kind: "node" }, CONTEXT)), /exists already/);
  const renewed = await renewIn(out, chain, LATER);
  assert.deepEqual([renewed.nodeId, renewed.daysLeft], [made.nodeId, 100]);
  const sdk = await renewIn(join(chain, "A", "sdk"), chain, LATER);
  assert.deepEqual([sdk.kind, sdk.files], ["sdk", ["gmsdk.crt"]]);
  const key = join(home, "standard.key");
  writeFileSync(key, privateKeyPem(createKeyPair(seededEntropy("other"))));
  const wrong = { ...order, kind: "node", out: join(home, "wrong"), key } as const;
  assert.match(await faultOf(issueInto(wrong, CONTEXT)), /holds no SM2 private key/);
});

test("a node does not start with a key of the other suite", async () => {
  const at = (name: string) => join(chain, "node0", "conf", name);
  const paths = { key: at("gmnode.key"), cert: at("gmnode.crt"), caCert: at("gmca.crt") };
  const files = { ...paths, caPath: undefined };
  assert.equal((await readIdentity({ ...files, suite: "national" }, NOW)).key.suite, "national");
  assert.match(await faultOf(readIdentity(files, NOW)), /this is no secp256k1 private key/);
});

function supportsSm2(): boolean {
  try {
    const curves = execFileSync("openssl", ["ecparam", "-list_curves"], { encoding: "utf8" });
    return curves.includes("SM2");
  } catch {
    return false;
  }
}

test.skipIf(!supportsSm2())("openssl verifies each certificate under the default user id", () => {
  const run = (...args: readonly string[]) =>
    execFileSync("openssl", args, { encoding: "utf8", stdio: "pipe" });
  const id = ["-vfyopt", "distid:1234567812345678", "-no_check_time"];
  const agency = join(chain, "cert", "A", "gmagency.crt");
  const node = join(chain, "node0", "conf", "gmnode.crt");
  // openssl knows the user id of the certificate that is verified, not of those above it.
  const ca = join(chain, "cert", "gmca.crt");
  assert.match(run("verify", ...id, "-CAfile", ca, agency), /: OK$/m);
  assert.match(run("verify", ...id, "-partial_chain", "-trusted", agency, node), /: OK$/m);
  const key = join(chain, "node0", "conf", "gmnode.key");
  assert.equal(run("pkey", "-in", key), textOf("node0", "conf", "gmnode.key"));
});
