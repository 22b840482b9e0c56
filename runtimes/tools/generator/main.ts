#!/usr/bin/env node
/** The command `generator`. */
import { runGenerator } from "./run.ts";

process.exitCode = await runGenerator(process.argv.slice(2));
