// rules: node-network 1, README 29
import assert from "node:assert/strict";
import { createPrivateKey, X509Certificate } from "node:crypto";
import fc from "fast-check";
import { test } from "vitest";
import { certificatesPem, parseCertificates } from "../../../runtimes/folder/certificate.ts";
import {
  type ChainProblem,
  createChainVerifier,
  daysLeft,
  describeRefusal,
  REASON_TEXT,
  roleOf,
  type TrustOptions,
  verifyChain,
} from "../../../runtimes/formats/certificates/certificate-chain.ts";
import {
  MAX_CERTIFICATE_BYTES,
  parseCertificate,
} from "../../../runtimes/formats/certificates/parsed-certificate.ts";
import { privateKeyPem } from "../../../runtimes/folder/private-key.ts";
import { type Certified, certify, createChain, DAY_MS, NOW } from "./chain-of-certificates.ts";
import {
  asVersion1,
  encodeUnsigned,
  withExtension,
  withoutExtension,
} from "./crafted-certificates.ts";
import { cases, TAKES_ALL_CASES } from "../../support/runner/cases.ts";

const CHAIN = createChain();
const OTHER = createChain();
const TRUST: TrustOptions = { authorities: [CHAIN.ca.der], now: NOW + DAY_MS };
const LEAF_AND_AGENCY = [CHAIN.node.der, CHAIN.agency.der];

function ders(...certified: readonly Certified[]): Uint8Array[] {
  return certified.map(({ der }) => der);
}

function assertRefused(
  certificates: readonly Uint8Array[],
  expected: { readonly reason: ChainProblem; readonly place?: string; readonly name?: string },
  trust: Partial<TrustOptions> = {},
): void {
  const verdict = verifyChain(certificates, { ...TRUST, ...trust });
  assert.ok(!verdict.ok, "the chain is refused");
  assert.deepEqual({ ...verdict, ...expected }, verdict);
}

test("node and agency certificate prove membership, with or without the chain's own", () => {
  const membership = {
    ok: true,
    nodeId: CHAIN.node.key.nodeId,
    agency: "agencyA",
    node: "node0",
    role: "node",
    validUntil: NOW + 100 * DAY_MS,
  };
  assert.deepEqual(verifyChain(LEAF_AND_AGENCY, TRUST), membership);
  assert.deepEqual(verifyChain([...LEAF_AND_AGENCY, CHAIN.ca.der], TRUST), membership);
});

test("a certificate is read once, and what becomes of the given bytes changes nothing", () => {
  const given = CHAIN.node.der.slice();
  const read = parseCertificate(given);
  assert.ok(typeof read !== "string");
  given.fill(0);
  assert.equal(parseCertificate(given), "malformed");
  assert.equal(parseCertificate(CHAIN.node.der.slice()), read);
  assert.deepEqual(read.der, CHAIN.node.der);
  // Many others make it forgotten, and it is read again.
  for (let others = 0; others < 64; others++) parseCertificate(certify("node", "x", CHAIN.ca).der);
  const again = parseCertificate(CHAIN.node.der);
  assert.notEqual(again, read);
  assert.deepEqual(again, read);
});

test("a node certificate by the chain itself is a chain of two", () => {
  const node = certify("node", "node1", CHAIN.ca);
  for (const presented of [[node.der], ders(node, CHAIN.ca)]) {
    const verdict = verifyChain(presented, TRUST);
    assert.ok(verdict.ok);
    assert.deepEqual([verdict.agency, verdict.node], ["chain", "node1"]);
  }
});

test("the order of the issuers does not matter, and an authority may be one of several", () => {
  const presented = ders(CHAIN.node, CHAIN.ca, CHAIN.agency);
  assert.ok(verifyChain(presented, TRUST).ok);
  const authorities = ders(OTHER.ca, CHAIN.ca);
  assert.ok(verifyChain(presented, { ...TRUST, authorities }).ok);
});

test("the node ID is the public key that the platform reads from the certificate", () => {
  const verdict = verifyChain(LEAF_AND_AGENCY, TRUST);
  const jwk = new X509Certificate(CHAIN.node.der).publicKey.export({ format: "jwk" });
  const bytes = [jwk.x ?? "", jwk.y ?? ""].map((text) => Buffer.from(text, "base64url"));
  assert.equal(verdict.ok && verdict.nodeId, Buffer.concat(bytes).toString("hex"));
});

test("the platform's own reader agrees with every certificate", () => {
  const [ca, agency, node] = ders(CHAIN.ca, CHAIN.agency, CHAIN.node).map(
    (der) => new X509Certificate(der),
  );
  assert.ok(ca && agency && node);
  assert.ok(ca.verify(ca.publicKey) && ca.checkIssued(ca));
  assert.ok(agency.verify(ca.publicKey) && agency.checkIssued(ca));
  assert.ok(node.verify(agency.publicKey) && node.checkIssued(agency));
  assert.ok(!node.checkIssued(ca) && !node.verify(ca.publicKey));
  assert.deepEqual([ca.ca, agency.ca, node.ca], [true, true, false]);
  assert.ok(node.checkPrivateKey(createPrivateKey(privateKeyPem(CHAIN.node.key))));
  assert.equal(node.subject, "CN=node0\nO=chain-node\nOU=node");
  assert.equal(Date.parse(node.validFrom), NOW);
  assert.equal(Date.parse(node.validTo), NOW + 100 * DAY_MS);
});

test("dates behind 2049 are read back by the platform", () => {
  const ca = certify("chain", "chain", undefined, { days: 36_500 });
  assert.equal(Date.parse(new X509Certificate(ca.der).validTo), NOW + 36_500 * DAY_MS);
});

test("a chain holds from the first to the last moment of its certificates", () => {
  const last = NOW + 100 * DAY_MS;
  for (const now of [NOW, last]) assert.ok(verifyChain(LEAF_AND_AGENCY, { ...TRUST, now }).ok);
  assertRefused(LEAF_AND_AGENCY, { reason: "expired" }, { now: last + 1 });
  assertRefused(LEAF_AND_AGENCY, { reason: "notYetValid" }, { now: NOW - 1 });
});

test("the refusal names the certificate that has expired", () => {
  const short = certify("node", "short", CHAIN.agency, { days: 1 });
  const now = NOW + 2 * DAY_MS;
  const presented = ders(short, CHAIN.agency);
  assertRefused(presented, { reason: "expired", place: "node", name: "short" }, { now });
});

test("an expired agency refuses its nodes", () => {
  const agency = certify("agency", "old", CHAIN.ca, { days: 1 });
  const { publicKey } = agency.key;
  const longer = certify("agency", "old", CHAIN.ca, { publicKey });
  const node = certify("node", "node", { key: agency.key, der: longer.der });
  const now = NOW + 2 * DAY_MS;
  assertRefused(ders(node, agency), { reason: "expired", place: "agency", name: "old" }, { now });
  assert.ok(verifyChain(ders(node, longer), { ...TRUST, now }).ok);
});

test("certificates of another chain are called that, even with the same names", () => {
  const presented = ders(OTHER.node, OTHER.agency);
  assertRefused(presented, { reason: "otherChain" });
  assertRefused(ders(OTHER.node, OTHER.agency, OTHER.ca), { reason: "otherChain" });
  assertRefused([OTHER.node.der], { reason: "otherChain" });
  assertRefused(presented, { reason: "otherChain" }, { now: NOW + 1000 * DAY_MS });
});

test("without any authority every chain is another's", () => {
  assertRefused(LEAF_AND_AGENCY, { reason: "otherChain" }, { authorities: [] });
});

test("a changed byte under the signature is a bad signature", () => {
  const changed = CHAIN.node.der.slice();
  const at = Buffer.from(changed).indexOf("node0");
  changed[at] = "m".charCodeAt(0);
  assert.ok(!new X509Certificate(changed).verify(new X509Certificate(CHAIN.agency.der).publicKey));
  assertRefused([changed, CHAIN.agency.der], { reason: "badSignature", name: "mode0" });
});

test("a node certificate that names our agency but is signed by another key is refused", () => {
  const forged = certify("node", "node0", { key: OTHER.agency.key, der: CHAIN.agency.der });
  assertRefused(ders(forged, CHAIN.agency), { reason: "badSignature", place: "node" });
  const agency = certify("agency", "agencyA", { key: OTHER.ca.key, der: CHAIN.ca.der });
  const node = certify("node", "node0", agency);
  assertRefused(ders(node, agency), { reason: "badSignature", place: "agency" });
});

test("a node cannot issue certificates", () => {
  const second = certify("node", "second", CHAIN.node);
  const presented = ders(second, CHAIN.node, CHAIN.agency);
  assertRefused(presented, { reason: "notACa", place: "agency", name: "node0" });
});

test("a CA certificate is no node certificate", () => {
  assertRefused([CHAIN.agency.der], { reason: "leafIsCa", name: "agencyA" });
  assertRefused([CHAIN.ca.der], { reason: "leafIsCa" });
});

test("a node certificate must carry basicConstraints", () => {
  const bare = withoutExtension(CHAIN.node.der, "2.5.29.19", CHAIN.agency.key);
  assertRefused([bare, CHAIN.agency.der], { reason: "leafWithoutConstraints", name: "node0" });
});

test("a trusted root may be of version 1, a presented issuer or leaf may not", () => {
  const root = asVersion1(CHAIN.ca.der, CHAIN.ca.key);
  const trust = { ...TRUST, authorities: [root] };
  assert.ok(verifyChain(LEAF_AND_AGENCY, trust).ok);
  assert.ok(verifyChain([...LEAF_AND_AGENCY, root], trust).ok);
  const others = verifyChain([...LEAF_AND_AGENCY, root], { ...TRUST, authorities: [OTHER.ca.der] });
  assert.deepEqual([others.ok, !others.ok && others.reason], [false, "otherChain"]);
  const agency = asVersion1(CHAIN.agency.der, CHAIN.ca.key);
  assertRefused([CHAIN.node.der, agency], { reason: "notACa", place: "agency" });
  assert.deepEqual(verifyChain([CHAIN.node.der], { ...TRUST, authorities: [agency] }).ok, false);
  const leaf = asVersion1(CHAIN.node.der, CHAIN.agency.key);
  assertRefused([leaf, CHAIN.agency.der], { reason: "leafWithoutConstraints" });
});

test("a CA whose usage forbids signing certificates is none", () => {
  const digitalSignature = Uint8Array.of(3, 2, 7, 0x80);
  const agency = withExtension(CHAIN.agency.der, {
    id: "2.5.29.15",
    value: digitalSignature,
    signer: CHAIN.ca.key,
  });
  assertRefused([CHAIN.node.der, agency], { reason: "notACa", name: "agencyA" });
});

test("the length of the path is bounded by the chain's certificate", () => {
  const none = Uint8Array.of(0x30, 6, 1, 1, 0xff, 2, 1, 0);
  const ca = withExtension(CHAIN.ca.der, { id: "2.5.29.19", value: none, signer: CHAIN.ca.key });
  assertRefused(LEAF_AND_AGENCY, { reason: "notACa", place: "chain" }, { authorities: [ca] });
  const direct = certify("node", "direct", CHAIN.ca);
  assert.ok(verifyChain([direct.der], { ...TRUST, authorities: [ca] }).ok);
});

test("a critical extension that nobody knows is refused, an uncritical one is not", () => {
  const value = Uint8Array.of(5, 0);
  for (const critical of [true, false]) {
    const extension = { id: "1.2.3.4", value, critical, signer: CHAIN.agency.key };
    const certificate = withExtension(CHAIN.node.der, extension);
    const verdict = verifyChain([certificate, CHAIN.agency.der], TRUST);
    assert.equal(
      verdict.ok ? "accepted" : verdict.reason,
      critical ? "unknownCritical" : "accepted",
    );
  }
});

test("a key that is not the certificate's is a mismatch", () => {
  const expectedNodeId = CHAIN.node.key.nodeId;
  assert.ok(verifyChain(LEAF_AND_AGENCY, { ...TRUST, expectedNodeId }).ok);
  assertRefused(
    LEAF_AND_AGENCY,
    { reason: "keyMismatch" },
    { expectedNodeId: OTHER.node.key.nodeId },
  );
});

test("certificates of another algorithm are refused as such", () => {
  const certificate = encodeUnsigned(CHAIN.node.der, "1.2.840.113549.1.1.11");
  assertRefused([certificate, CHAIN.agency.der], { reason: "unsupportedAlgorithm" });
});

test("what is no certificate is malformed", () => {
  const { der } = CHAIN.node;
  assertRefused([], { reason: "malformed" });
  assertRefused([new Uint8Array()], { reason: "malformed" });
  assertRefused([Uint8Array.of(...der, 0)], { reason: "malformed" });
  assertRefused([der.subarray(0, -1)], { reason: "malformed" });
  assertRefused([der, Uint8Array.of(1, 2, 3)], { reason: "malformed", place: "agency" });
  assertRefused([new Uint8Array(MAX_CERTIFICATE_BYTES + 1).fill(0x30)], { reason: "malformed" });
  assertRefused(Array(6).fill(der), { reason: "malformed" });
});

test("no bytes crash the verification, and no changed certificate passes it", () => {
  const { der } = CHAIN.node;
  const change = fc.record({ at: fc.nat(der.length - 1), by: fc.integer({ min: 1, max: 255 }) });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
      const mutated = der.slice();
      for (const { at, by } of changes) mutated[at] = (mutated[at] ?? 0) ^ by;
      if (Buffer.compare(mutated, der) === 0) return;
      const verdict = verifyChain([mutated, CHAIN.agency.der], TRUST);
      assert.ok(!verdict.ok && REASON_TEXT[verdict.reason]);
    }),
    { numRuns: cases(300) },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      assert.ok(!verifyChain([bytes], TRUST).ok);
      assert.ok(!verifyChain([Uint8Array.of(0x30, 0x82, 1, 0x90, ...bytes)], TRUST).ok);
    }),
    { numRuns: cases(300) },
  );
});

test("every changed byte outside the signed part is refused", () => {
  const { der } = CHAIN.node;
  const tail = der.length - 90;
  for (let at = 0; at < der.length; at = at === 7 ? tail : at + 1) {
    const ways = [1, 3, 0x20, 0x80];
    for (const by of TAKES_ALL_CASES ? ways : ways.slice(at % 4).slice(0, 1)) {
      const changed = der.slice();
      changed[at] = (changed[at] ?? 0) ^ by;
      assert.ok(!verifyChain([changed, CHAIN.agency.der], TRUST).ok, `byte ${at} by ${by}`);
    }
  }
});

test("deeply nested input is malformed, not a stack overflow", () => {
  const depth = 5000;
  const nested = new Uint8Array(2 * depth + 4).fill(0x80);
  for (let i = 4; i < nested.length; i += 2) nested[i] = 0x30;
  nested.set([0x30, 0x82, (2 * depth) >> 8, (2 * depth) & 0xff]);
  assertRefused([nested], { reason: "malformed" });
});

test("the network is told a membership or a sentence", () => {
  const verify = createChainVerifier(TRUST.authorities);
  const accepted = verify(LEAF_AND_AGENCY, NOW);
  assert.ok(accepted.ok && accepted.node === "node0");
  assert.deepEqual(verify(LEAF_AND_AGENCY, NOW - 1), {
    ok: false,
    reason:
      'a certificate is not yet valid (node certificate "node0") ' +
      "by this host's clock, 2025-12-31T23:59:59Z",
  });
  assert.deepEqual(verify([], NOW), {
    ok: false,
    reason: "the certificate cannot be read (node certificate)",
  });
});

test("the certificate of an SDK opens no session between nodes", () => {
  const verify = createChainVerifier(TRUST.authorities);
  for (const kind of ["sdk", "ensdk"] as const) {
    const sdk = certify(kind, "sdk", CHAIN.agency);
    const chain = [sdk.der, CHAIN.agency.der];
    // It is of the chain: at the port for SDKs it is good.
    assert.ok(verifyChain(chain, TRUST).ok);
    assert.deepEqual(verify(chain, NOW + DAY_MS), {
      ok: false,
      reason:
        "the certificate is for an SDK (OU=sdk), and a node needs one with OU=node " +
        '(node certificate "sdk")',
    });
  }
  const rows = [
    [["node"], "node"],
    [["ennode"], "node"],
    [["SDK"], "sdk"],
    [["node", "sdk"], "sdk"],
    [["agency", "node"], "node"],
    [["agency"], "none"],
    [[], "none"],
  ] as const;
  for (const [units, role] of rows) assert.equal(roleOf(units), role, units.join());
});

test("names from peers cannot break a log line", () => {
  const name = `a\n\u001b[31mfake${"x".repeat(300)}`;
  const sentence = describeRefusal({ ok: false, reason: "expired", place: "node", name });
  assert.match(sentence, /^a certificate has expired \(node certificate "a\?\?\[31mfakex{53}"\)$/);
});

test("days left are whole days, negative behind the end", () => {
  const { der } = CHAIN.node;
  assert.equal(daysLeft(der, NOW), 100);
  assert.equal(daysLeft(der, NOW + 70 * DAY_MS + 1), 29);
  assert.equal(daysLeft(der, NOW + 100 * DAY_MS), 0);
  assert.equal(daysLeft(der, NOW + 100 * DAY_MS + 1), -1);
  assert.equal(daysLeft(Uint8Array.of(1), NOW), undefined);
});

test("a certificate ends with its issuer's at the latest", () => {
  const agency = certify("agency", "short", CHAIN.ca, { days: 10 });
  assert.equal(daysLeft(certify("node", "node", agency, { days: 3650 }).der, NOW), 10);
});

test("certificates of a PEM text keep their order, whatever stands around them", () => {
  const text = `subject=...\r\n${certificatesPem(...LEAF_AND_AGENCY).replaceAll("\n", "\r\n")}`;
  assert.deepEqual(parseCertificates(text), LEAF_AND_AGENCY);
  assert.deepEqual(parseCertificates(privateKeyPem(CHAIN.node.key)), []);
});
