/**
 * Four nodes behind proxies that lose traffic: a split, a node that is cut off, and healing. With
 * all cases one-way loss, too, which whole nodes meet in the simulator.
 */
import { TAKES_ALL_CASES } from "../../../support/runner/cases.ts";
import { testCuts } from "./process-cuts.ts";

testCuts("pbft", TAKES_ALL_CASES ? "all" : "both ways");
