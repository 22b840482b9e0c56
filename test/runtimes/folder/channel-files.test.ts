// The files of the SDK port: what is wrong with them is reported with the file's name.
// rules: channel-protocol 2.2
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { channelPathsIn, readChannelFiles } from "../../../runtimes/folder/channel-files.ts";
import { keyPem, newEcKey, newToolChain, toolSdkFiles } from "../../support/tool-certificates.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "channel-files-"));
});
afterAll(() => rm(folder, { recursive: true }));

const GOOD = toolSdkFiles(newToolChain("agency"));
const BROKEN = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

for (const { name, change, kind, says } of [
  { name: "good files", change: {}, kind: undefined, says: "" },
  { name: "a broken ca.crt", change: { ca: BROKEN }, kind: "unusable", says: "ca.crt" },
  { name: "a broken node.crt", change: { cert: BROKEN }, kind: "unusable", says: "node.crt" },
  { name: "an empty node.key", change: { key: "" }, kind: "unusable", says: "node.key" },
  {
    name: "the key of another",
    change: { key: keyPem(newEcKey()) },
    kind: "mismatch",
    says: "node.key",
  },
] as const) {
  test(`${name}: ${kind ?? "read"}`, async () => {
    const paths = channelPathsIn(folder, "secp256k1");
    const files = { ...GOOD, ...change };
    await Promise.all([
      writeFile(paths.ca, files.ca),
      writeFile(paths.cert, files.cert),
      writeFile(paths.key, files.key),
    ]);
    if (kind === undefined) {
      assert.deepEqual(await readChannelFiles(paths), { kind: "secp256k1", ...files });
      return;
    }
    await assert.rejects(readChannelFiles(paths), (fault: Error & { kind?: string }) => {
      assert.deepEqual([fault.name, fault.kind], ["FolderFault", kind]);
      assert.ok(fault.message.startsWith(join(folder, says)), fault.message);
      return true;
    });
  });
}
