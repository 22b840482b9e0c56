/** Which addresses count as one client. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { clientOf } from "../../../core/limits/client-address.ts";

const CLIENTS: readonly (readonly [address: string, client: string])[] = [
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8:1:2::9", "2001:db8:1:2::/64"],
  ["[2001:db8:1:2::9]", "2001:db8:1:2::/64"],
  ["2001:db8::9", "2001:db8:0:0::/64"],
  ["2001::7:0:0:0:1:9", "2001:0:7:0::/64"],
  ["::1", "0:0:0:0::/64"],
  // All hosts of a link are in one network: each is a client.
  ["fe80::1%eth0", "fe80::1%eth0"],
  ["", ""],
];

for (const [address, client] of CLIENTS) {
  test(`${address || "an unknown address"} is of ${client || "nobody"}`, () => {
    assert.equal(clientOf(address), client);
  });
}
