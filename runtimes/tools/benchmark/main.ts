#!/usr/bin/env node
/** The command `bench`; under the name `caliper` it is the same. */
import { runBench } from "./run-bench.ts";

process.exitCode = await runBench(process.argv.slice(2));
