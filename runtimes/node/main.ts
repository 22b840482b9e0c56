#!/usr/bin/env node
/** The command `chain-node`. */
import { runCommand } from "./cli/command-run.ts";
import { programOf } from "./cli/programs.ts";

const args = process.argv.slice(2);
const program = programOf(args);
process.exitCode = await (program ? program() : runCommand(args));
// Worker threads that hang must not keep a finished process alive.
process.exit();
