/** The list of nodes that a relay carries, as it travels. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import type { NodeId } from "../../../core/bytes/ids.ts";
import {
  decodeRelayList,
  encodeRelayList,
  MAX_RELAY_LIST_BYTES,
  MAX_RELAYED,
} from "../../../core/network/relay-list.ts";

const nodeId = fc.stringMatching(/^[0-9a-f]{128}$/).map((text) => text as NodeId);
const peerId = fc.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,64}$/);
const list = fc.array(fc.record({ nodeId, peerId }, { noNullPrototype: true }), {
  maxLength: MAX_RELAYED,
});

test("a list is read back as it was written, and fits its bound", () => {
  fc.assert(
    fc.property(list, (relayed) => {
      const bytes = encodeRelayList(relayed);
      assert.ok(bytes.length <= MAX_RELAY_LIST_BYTES);
      assert.deepEqual(decodeRelayList(bytes), relayed);
    }),
    { numRuns: 50 },
  );
});

test("what is beyond the bound is left out", () => {
  const one = { nodeId: "ab".repeat(64) as NodeId, peerId: "1".repeat(52) };
  const many = Array.from({ length: MAX_RELAYED + 1 }, () => one);
  assert.equal(decodeRelayList(encodeRelayList(many))?.length, MAX_RELAYED);
});

test("a list that is cut, longer, or holds no identity is none", () => {
  const bytes = encodeRelayList([{ nodeId: "ab".repeat(64) as NodeId, peerId: "1".repeat(52) }]);
  for (let length = 0; length < bytes.length; length++) {
    assert.equal(decodeRelayList(bytes.subarray(0, length)), undefined);
  }
  assert.equal(decodeRelayList(Uint8Array.of(...bytes, 0)), undefined);
  assert.equal(decodeRelayList(Uint8Array.of(MAX_RELAYED + 1)), undefined);
  const spelled = bytes.slice();
  // A path would lead elsewhere once it stands in an address.
  spelled[spelled.length - 1] = "/".charCodeAt(0);
  assert.equal(decodeRelayList(spelled), undefined);
  assert.deepEqual(decodeRelayList(Uint8Array.of(0)), []);
});

test("random bytes are a list or none, and break nothing", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      decodeRelayList(bytes);
    }),
  );
});
