// rules: generator 5
import assert from "node:assert/strict";
import { createPublicKey, X509Certificate } from "node:crypto";
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { certificatesPem, parseCertificates } from "../../../runtimes/folder/certificate.ts";
import { verifyChain } from "../../../runtimes/formats/certificates/certificate-chain.ts";
import { type IssueOrder, issueInto, renewIn } from "../../../runtimes/folder/certificate-work.ts";
import { createChainFolder } from "../../../runtimes/folder/chain-folder.ts";
import { DEFAULT_PORTS, planChain } from "../../../runtimes/folder/chain-layout.ts";
import { FolderFault } from "../../../runtimes/folder/folder-fault.ts";
import { readIdentity } from "../../../runtimes/folder/node-identity.ts";
import { createKeyPair, privateKeyPem } from "../../../runtimes/folder/private-key.ts";
import { parsePublicKey, publicKeyPem } from "../../../runtimes/formats/keys/public-key.ts";
import { certify, DAY_MS, NOW, seededEntropy } from "./chain-of-certificates.ts";

const CONTEXT = { entropy: seededEntropy("work"), now: NOW, days: 100 };
/** Eighty days later: twenty are left. */
const LATER = { ...CONTEXT, now: NOW + 80 * DAY_MS };

let home: string;
let pristine: string;
let copies = 0;

async function createChain(name: string): Promise<string> {
  const folder = join(home, name);
  const plan = planChain({
    nodes: 2,
    agencies: ["A", "B"],
    groups: [{ id: 1, consensus: "pbft" }],
    host: "127.0.0.1",
    basePorts: DEFAULT_PORTS,
  });
  await createChainFolder(folder, plan, { ...CONTEXT, program: { runtime: "node", entry: "" } });
  return folder;
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "chain-cert-"));
  pristine = await createChain("pristine");
});

afterAll(() => rm(home, { recursive: true, force: true }));

/** A copy of the chain to change. */
function copyOfChain(): string {
  const folder = join(home, `copy${++copies}`);
  cpSync(pristine, folder, { recursive: true });
  return folder;
}

function order(changes: Partial<IssueOrder>): IssueOrder {
  const out = join(home, `out${++copies}`);
  const choices = { ca: pristine, agency: "A", newAgency: false, out, kind: "node", name: "node9" };
  return { ...choices, kind: "node", ...changes };
}

async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  assert.ok(error instanceof FolderFault, String(error));
  return error.message;
}

function certificatesOf(...path: readonly string[]): Uint8Array[] {
  return parseCertificates(readFileSync(join(...path), "utf8"));
}

function verdictOf(folder: string, file: string, now: number) {
  const authorities = certificatesOf(pristine, "cert", "ca.crt");
  return verifyChain(certificatesOf(folder, file), { authorities, now });
}

test("a new node's certificate is accepted by the chain", async () => {
  const written = await issueInto(order({ agency: "B" }), CONTEXT);
  assert.deepEqual(readdirSync(written.folder).sort(), written.files.toSorted());
  const verdict = verdictOf(written.folder, "node.crt", NOW);
  assert.ok(verdict.ok);
  assert.deepEqual([verdict.node, verdict.agency], ["node9", "B"]);
  assert.equal(verdict.nodeId, written.nodeId);
  assert.equal(written.daysLeft, 100);
  if (process.platform !== "win32") {
    assert.equal(statSync(join(written.folder, "node.key")).mode & 0o777, 0o600);
  }
});

test("a new SDK's certificate comes under both names", async () => {
  const { folder } = await issueInto(order({ kind: "sdk", name: "console" }), CONTEXT);
  const names = ["ca.crt", "node.crt", "node.key", "sdk.crt", "sdk.key"];
  assert.deepEqual(readdirSync(folder).sort(), names);
  assert.ok(verdictOf(folder, "sdk.crt", NOW).ok);
  const subject = new X509Certificate(readFileSync(join(folder, "sdk.crt"))).subject;
  assert.equal(subject, "CN=console\nO=chain-node\nOU=sdk");
});

test("the folder of the certificates may be named as well as the chain's", async () => {
  assert.ok(await issueInto(order({ ca: join(pristine, "cert") }), CONTEXT));
});

test("an agency that does not exist is made only when asked for", async () => {
  const ca = copyOfChain();
  const refusal = await refusalOf(issueInto(order({ ca, agency: "C" }), CONTEXT));
  assert.match(refusal, /has no agency C/);
  // Where the certificate cannot be written, the agency is not made either.
  const out = join(ca, "cert/ca.crt/below");
  const failed = issueInto(order({ ca, agency: "C", newAgency: true, out }), CONTEXT);
  assert.match(await refusalOf(failed), /cannot be written/);
  assert.ok(!existsSync(join(ca, "cert/C")));
  const written = await issueInto(order({ ca, agency: "C", newAgency: true }), CONTEXT);
  const verdict = verdictOf(written.folder, "node.crt", NOW);
  assert.ok(verdict.ok && verdict.agency === "C");
  assert.ok(await issueInto(order({ ca, agency: "C" }), CONTEXT));
  const again = issueInto(order({ ca, agency: "C", newAgency: true }), CONTEXT);
  assert.match(await refusalOf(again), /exists already/);
});

test("a key that is there is never overwritten", async () => {
  const first = await issueInto(order({}), CONTEXT);
  const key = readFileSync(join(first.folder, "node.key"), "utf8");
  const refusal = await refusalOf(issueInto(order({ out: first.folder }), CONTEXT));
  assert.match(refusal, /node\.key exists already/);
  assert.equal(readFileSync(join(first.folder, "node.key"), "utf8"), key);
});

test("a lost certificate is issued anew for the key that is there, and the node ID stays", async () => {
  const chain = copyOfChain();
  const out = join(chain, "node1", "conf");
  const key = join(out, "node.key");
  const before = readFileSync(key, "utf8");
  const id = readFileSync(join(out, "node.nodeid"), "utf8").trim();
  const lost = order({ ca: chain, agency: "B", name: "node1", key, out });
  const present = await refusalOf(issueInto(lost, CONTEXT));
  assert.match(present, /node\.crt exists already\. chain-node cert renew .* replaces it/);
  rmSync(join(out, "node.crt"));
  const paths = { key, cert: join(out, "node.crt"), caCert: join(out, "ca.crt") };
  const told = await refusalOf(readIdentity({ ...paths, caPath: undefined }, NOW));
  assert.match(told, /node\.crt: .*chain-node cert issue --key .*node\.key --out .*conf --ca/);
  assert.match(
    await refusalOf(issueInto({ ...lost, key: undefined }, CONTEXT)),
    /add --key .*\.key/,
  );
  const other = join(chain, "node0", "conf", "node.key");
  assert.match(await refusalOf(issueInto({ ...lost, key: other }, CONTEXT)), /another key than/);
  const written = await issueInto(lost, CONTEXT);
  assert.equal(written.nodeId, id);
  assert.ok(!written.files.includes("node.key"));
  assert.equal(readFileSync(key, "utf8"), before);
  const verdict = verdictOf(out, "node.crt", NOW);
  assert.ok(verdict.ok);
  assert.deepEqual([verdict.nodeId, verdict.node, verdict.agency], [id, "node1", "B"]);
});

test("a node's own key is not certified for an SDK", async () => {
  const key = join(pristine, "node0", "conf", "node.key");
  const request = order({ key, kind: "sdk", name: "app" });
  const refusal = await refusalOf(issueInto(request, CONTEXT));
  assert.match(refusal, /is the key of the node in .*node0; .* Leave out --key/);
  assert.ok(!existsSync(request.out));
});

test("a key from elsewhere goes into the folder with its certificate", async () => {
  const key = join(home, "elsewhere.key");
  writeFileSync(key, privateKeyPem(createKeyPair(seededEntropy("elsewhere"))));
  const { folder, nodeId } = await issueInto(order({ key, kind: "sdk", name: "app" }), CONTEXT);
  for (const name of ["sdk.key", "node.key"]) {
    assert.equal(readFileSync(join(folder, name), "utf8"), readFileSync(key, "utf8"));
  }
  const verdict = verdictOf(folder, "sdk.crt", NOW);
  assert.ok(verdict.ok && verdict.nodeId === nodeId);
  const foreign = await createChain("foreign");
  rmSync(join(folder, "sdk.crt"));
  rmSync(join(folder, "node.crt"));
  const wrong = order({ ca: foreign, key, out: folder, kind: "sdk" });
  assert.match(await refusalOf(issueInto(wrong, CONTEXT)), /ca\.crt is of another chain/);
});

test("a folder without a CA is called that", async () => {
  assert.match(await refusalOf(issueInto(order({ ca: home }), CONTEXT)), /holds no ca\.crt/);
  const node = join(pristine, "node0", "conf");
  assert.match(await refusalOf(issueInto(order({ ca: node }), CONTEXT)), /has no agency A/);
});

test("an agency's key that is not its certificate's cannot issue", async () => {
  const ca = copyOfChain();
  const other = certify("agency", "A");
  writeFileSync(join(ca, "cert", "A", "agency.key"), privateKeyPem(other.key));
  const refusal = await refusalOf(issueInto(order({ ca }), CONTEXT));
  assert.match(refusal, /agency A cannot issue certificates that the chain accepts: .*signature/);
  writeFileSync(join(ca, "cert", "A", "agency.crt"), certificatesPem(other.der));
  assert.match(await refusalOf(issueInto(order({ ca }), CONTEXT)), /another chain/);
});

test("an expired agency cannot issue", async () => {
  const late = { ...CONTEXT, now: NOW + 36_501 * DAY_MS };
  assert.match(await refusalOf(issueInto(order({}), late)), /cannot issue.*expired/);
});

test("renewing keeps key and node ID and starts the time anew", async () => {
  const chain = copyOfChain();
  const node = join(chain, "node1");
  const conf = join(node, "conf");
  const before = verdictOf(conf, "node.crt", LATER.now);
  const files = readdirSync(conf).map((name) => [name, readFileSync(join(conf, name), "utf8")]);
  const written = await renewIn(node, chain, LATER);
  const after = verdictOf(conf, "node.crt", LATER.now + 99 * DAY_MS);
  assert.ok(before.ok && after.ok);
  assert.deepEqual(
    [after.nodeId, after.agency, after.node],
    [before.nodeId, before.agency, before.node],
  );
  assert.deepEqual([written.nodeId, written.daysLeft], [before.nodeId, 100]);
  const changed = files.filter(([name = "", text]) => {
    return readFileSync(join(conf, name), "utf8") !== text;
  });
  assert.deepEqual(
    changed.map(([name]) => name),
    ["node.crt"],
  );
  assert.equal(readdirSync(conf).length, files.length);
});

test("an expired certificate can be renewed, as can one of an SDK", async () => {
  const chain = copyOfChain();
  const late = { ...CONTEXT, now: NOW + 200 * DAY_MS };
  const sdk = join(chain, "A", "sdk");
  for (const [folder, file] of [
    [join(chain, "node0"), "conf/node.crt"],
    [sdk, "sdk.crt"],
  ] as const) {
    assert.ok(!verdictOf(folder, file, late.now).ok);
    await renewIn(folder, chain, late);
    assert.ok(verdictOf(folder, file, late.now).ok);
  }
  assert.deepEqual(certificatesOf(sdk, "sdk.crt"), certificatesOf(sdk, "node.crt"));
});

test("a node that its chain certified directly is renewed by the chain", async () => {
  const ca = certify("chain", "chain");
  const leaf = certify("node", "node0", ca);
  const folder = await mkdtemp(join(home, "direct-"));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write("ca.crt", certificatesPem(ca.der));
  write("ca.key", privateKeyPem(ca.key));
  write("node.key", privateKeyPem(leaf.key));
  write("node.crt", certificatesPem(leaf.der));
  await renewIn(folder, folder, LATER);
  const certificates = certificatesOf(folder, "node.crt");
  assert.equal(certificates.length, 1);
  assert.ok(verifyChain(certificates, { authorities: [ca.der], now: LATER.now }).ok);
});

test("what does not belong together is not renewed, and stays as it is", async () => {
  const chain = copyOfChain();
  const conf = join(chain, "node0", "conf");
  const before = readFileSync(join(conf, "node.crt"), "utf8");
  const other = await createChain("other");
  assert.match(await refusalOf(renewIn(join(chain, "node0"), other, LATER)), /another chain/);
  cpSync(join(chain, "node1", "conf", "node.key"), join(conf, "node.key"));
  const refusal = await refusalOf(renewIn(join(chain, "node0"), chain, LATER));
  assert.match(refusal, /node\.crt is not of the key in .*node\.key: the two differ/);
  assert.equal(readFileSync(join(conf, "node.crt"), "utf8"), before);
  assert.match(await refusalOf(renewIn(home, chain, LATER)), /holds no node/);
});

test("files that hold something else are named", async () => {
  const chain = copyOfChain();
  const conf = join(chain, "node0", "conf");
  writeFileSync(join(conf, "node.crt"), "no certificate");
  const certificate = await refusalOf(renewIn(join(chain, "node0"), chain, LATER));
  assert.match(certificate, /node\.crt holds no certificate/);
  writeFileSync(join(conf, "node.key"), "no key");
  const key = await refusalOf(renewIn(join(chain, "node0"), chain, LATER));
  assert.match(key, /node\.key holds no secp256k1 private key/);
});

test("a renewal goes to the files that config.ini names, and to no other", async () => {
  const chain = copyOfChain();
  const node = join(chain, "node0");
  const elsewhere = join(home, `elsewhere${++copies}`);
  cpSync(join(node, "conf"), elsewhere, { recursive: true });
  renameSync(join(elsewhere, "node.crt"), join(elsewhere, "me.pem"));
  const config = readFileSync(join(node, "config.ini"), "utf8");
  const changed = config
    .replace(/^ *data_path=.*/m, `data_path=${elsewhere}`)
    .replace(/( *)cert=node\.crt/, "$1cert=me.pem");
  writeFileSync(join(node, "config.ini"), changed);
  const before = readFileSync(join(node, "conf", "node.crt"), "utf8");
  const old = readFileSync(join(elsewhere, "me.pem"), "utf8");
  const { folder, files, daysLeft } = await renewIn(node, chain, LATER);
  assert.deepEqual([folder, files, daysLeft], [elsewhere, ["me.pem"], LATER.days]);
  assert.notEqual(readFileSync(join(elsewhere, "me.pem"), "utf8"), old);
  assert.equal(readFileSync(join(node, "conf", "node.crt"), "utf8"), before);
  assert.ok(!readdirSync(elsewhere).includes("node.crt"));
});

test("a key that stays elsewhere is certified by its public key, in PEM or as a node ID", async () => {
  const key = createKeyPair(CONTEXT.entropy, "standard");
  const file = join(home, "tab.pub");
  writeFileSync(file, publicKeyPem("standard", key.publicKey));
  for (const publicKey of [file, key.nodeId, `0x${key.nodeId.toUpperCase()}`]) {
    const asked = order({ publicKey, name: "tab" });
    const written = await issueInto(asked, CONTEXT);
    assert.equal(written.nodeId, key.nodeId);
    assert.deepEqual(readdirSync(asked.out).sort(), ["ca.crt", "node.crt", "node.nodeid"]);
    const certificates = parseCertificates(readFileSync(join(asked.out, "node.crt"), "utf8"));
    const [authority] = parseCertificates(readFileSync(join(pristine, "cert", "ca.crt"), "utf8"));
    assert.ok(authority);
    const verdict = verifyChain(certificates, { authorities: [authority], now: NOW });
    assert.ok(verdict.ok);
    assert.deepEqual([verdict.nodeId, verdict.agency, verdict.node], [key.nodeId, "A", "tab"]);
  }
});

test("what is no public key of the chain's curve is refused, and so is one next to a key", async () => {
  const national = createKeyPair(CONTEXT.entropy, "national");
  const wrong = join(home, "sm.pub");
  writeFileSync(wrong, publicKeyPem("national", national.publicKey));
  const off = `${"0".repeat(127)}1`;
  for (const publicKey of [wrong, off, "nothing"]) {
    assert.match(await refusalOf(issueInto(order({ publicKey }), CONTEXT)), /public key in PEM/);
  }
  const key = join(pristine, "node0", "conf", "node.key");
  const both = issueInto(order({ key, publicKey: off }), CONTEXT);
  assert.match(await refusalOf(both), /in the place of --key/);
});

test("openssl reads the public key of either curve", async () => {
  for (const suite of ["standard", "national"] as const) {
    const key = createKeyPair(CONTEXT.entropy, suite);
    const pem = publicKeyPem(suite, key.publicKey);
    assert.deepEqual(parsePublicKey(pem, suite), key.publicKey);
    const exported = createPublicKey(pem).export({ type: "spki", format: "der" });
    assert.deepEqual(new Uint8Array(exported.subarray(-64)), key.publicKey);
  }
});
