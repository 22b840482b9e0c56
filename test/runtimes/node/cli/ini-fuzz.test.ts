/** Mutated configuration files: a small share of `npm run soak -- fuzz-ini`. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { fuzzIni, INI_KINDS } from "../../../soak/fuzz/ini.ts";

const FILES = 1_000;

test("the files that are mutated are accepted as they are", () => {
  for (const { name, texts, read } of INI_KINDS)
    for (const text of texts) assert.deepEqual(typeof read(text, name).value, "object");
});

test(`${FILES} mutated files are read, or refused with place, value and what is allowed`, () => {
  const seed = Number(process.env["FUZZ_SEED"] ?? 20_261_121);
  const { accepted, refused, refusals } = fuzzIni(FILES, seed);
  assert.ok(accepted > FILES / 10 && refused > FILES / 4, `${accepted} accepted, ${refused} not`);
  for (const reason of ["notAllowed", "syntax"])
    for (const { name } of INI_KINDS)
      assert.ok(
        refusals.lines().some((line) => line.includes(`${name} ${reason}`)),
        reason,
      );
  assert.ok(refusals.has("config.ini notAllowed [p2p] listen_port"));
  assert.ok(refusals.has("group.7.genesis missing [group] id"));
});
