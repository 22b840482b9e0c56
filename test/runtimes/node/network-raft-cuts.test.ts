/** A Raft group behind proxies that lose traffic: its leader is cut off, and back. */
import { testCuts } from "./process-cuts.ts";

testCuts("raft");
