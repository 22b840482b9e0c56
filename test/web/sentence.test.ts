import assert from "node:assert/strict";
import { test } from "vitest";
import { sentence } from "../../web/sentence.ts";

test("words of a node begin with a capital letter and end with a full stop", () => {
  const words = "this is not the passphrase of these keys";
  assert.equal(sentence(words), "This is not the passphrase of these keys.");
  for (const whole of ["It is so.", "Is it so?", "这是一个句子。", "0x1f", "KeyFault", ""])
    assert.equal(sentence(whole), whole);
  assert.equal(sentence("getBlockNumber: none runs"), "getBlockNumber: none runs.");
});
