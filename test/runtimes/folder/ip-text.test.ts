/** IP addresses as texts. */
import assert from "node:assert/strict";
import { isIP } from "node:net";
import fc from "fast-check";
import { test } from "vitest";
import { ipVersion } from "../../../runtimes/formats/config/ip-text.ts";
import { cases } from "../../support/runner/cases.ts";

const part = fc.oneof(fc.ipV4(), fc.ipV6(), fc.ipV4Extended(), fc.string({ maxLength: 4 }));
const letters = fc.stringMatching(/^[0-9a-f:.%]{0,24}$/);

test("every text is the address that the platform takes it for", () => {
  const texts = fc.oneof(
    part,
    letters,
    fc.tuple(part, letters).map((pair) => pair.join("")),
  );
  fc.assert(
    fc.property(texts, (text) => {
      assert.equal(ipVersion(text), isIP(text), text);
    }),
    { numRuns: cases(3_000) },
  );
  for (const text of ["", "1.2.3.4", "01.2.3.4", "::", "::1", "fe80::1%eth0", "::ffff:1.2.3.4"])
    assert.equal(ipVersion(text), isIP(text), text);
});
