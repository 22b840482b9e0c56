#!/usr/bin/env node
/** The command `chain-node`. */
import { runCommand } from "./cli/command-run.ts";

process.exitCode = await runCommand(process.argv.slice(2));
// Worker threads that hang must not keep a finished process alive.
process.exit();
