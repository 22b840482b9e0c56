#!/usr/bin/env node
/** The command `console`. */
import { runConsole } from "./run-console.ts";

process.exitCode = await runConsole(process.argv.slice(2));
// What still waits on a connection must not keep a finished console alive.
process.exit();
