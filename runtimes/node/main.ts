#!/usr/bin/env node
/** The command `chain-node`. Its parts are loaded behind a first line that takes a signal away. */
import "./machine/no-inspector.ts";

const [{ runCommand }, { programOf }] = await Promise.all([
  import("./cli/command-run.ts"),
  import("./cli/programs.ts"),
]);
const args = process.argv.slice(2);
const program = programOf(args);
process.exitCode = await (program ? program() : runCommand(args));
// Worker threads that hang must not keep a finished process alive.
process.exit();
