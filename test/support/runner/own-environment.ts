/** Set up for files that share a worker: the variables that one of them sets end with it. */
import { afterAll } from "vitest";
import "./lane-end.ts";

// What programs print into pipes has no colours, whatever those who run the tests like.
delete process.env["FORCE_COLOR"];

const before = { ...process.env };
afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
});
