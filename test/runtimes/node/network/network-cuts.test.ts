/**
 * Four nodes behind proxies that lose traffic: they are split in halves, and come together. With
 * all cases a node is cut off, one way too: whole nodes meet that in the simulator.
 */
import { TAKES_ALL_CASES } from "../../../support/runner/cases.ts";
import { testCuts } from "./process-cuts.ts";

testCuts("pbft", TAKES_ALL_CASES ? "all" : "halves");
