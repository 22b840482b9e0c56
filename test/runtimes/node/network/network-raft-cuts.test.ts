/**
 * A Raft group behind proxies that lose traffic: it is split in halves, and comes together. With
 * all cases its leader is cut off, too: whole nodes meet that in the simulator, and its death in
 * network-raft-processes.
 */
import { TAKES_ALL_CASES } from "../../../support/runner/cases.ts";
import { testCuts } from "./process-cuts.ts";

testCuts("raft", TAKES_ALL_CASES ? "all" : "halves");
