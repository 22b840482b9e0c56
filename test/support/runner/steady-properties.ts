/** Set up for every file: properties begin where {@link propertySeed} says. */
import fc from "fast-check";
import { cases, propertySeed } from "./cases.ts";

/** What fast-check takes by itself. */
const USUAL_CASES = 100;

fc.configureGlobal({ seed: propertySeed(), numRuns: cases(USUAL_CASES) });
