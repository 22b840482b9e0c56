/** A Raft group of four processes over TCP: its leader is killed, too few nodes, and back. */
import { testKills } from "./process-kills.ts";

testKills("raft");
