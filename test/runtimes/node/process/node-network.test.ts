// rules: README 29
/** Peers whose certificates do not say what they are for. Source: decision 29 */
import assert from "node:assert/strict";
import { test } from "vitest";
import { chainVerifier } from "../../../../runtimes/node/process/node-network.ts";
import { certify, createChain, DAY_MS, NOW } from "../../folder/chain-of-certificates.ts";

test("a certificate without a role is accepted, and each is reported once", () => {
  const { ca, agency, node } = createChain();
  const told: unknown[] = [];
  const log = {
    write: (level: string, _message: string, fields: unknown) => void told.push({ level, fields }),
  };
  const verify = chainVerifier({ authorities: [ca.der] }, log);
  const odd = certify("gateway" as "node", "odd", agency);
  for (const leaf of [node, odd, node, odd])
    assert.ok(verify([leaf.der, agency.der], NOW + DAY_MS).ok);
  const fields = { node: "odd", agency: "agencyA", nodeId: odd.key.nodeId };
  assert.deepEqual(told, [{ level: "warning", fields }]);
});
