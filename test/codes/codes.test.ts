/** Each code of interface 7.3, 7.4 and 7.5 in the answers of a running node, over HTTP. */
// rules: interface 7.3, interface 7.4, interface 7.5
import { test } from "vitest";
import { HTTP_PLACE } from "./http-place.ts";
import { runCase } from "./run-case.ts";
import { SECTIONS } from "./sections.ts";

for (const { section, cases, show } of SECTIONS) {
  for (const it of cases) {
    test.concurrent(`${section} ${show(it.code)}: ${it.test}`, () =>
      runCase(HTTP_PLACE, section, it));
  }
}
