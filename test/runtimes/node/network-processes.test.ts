/** Four nodes as processes over TCP: transactions, kill -9, too few nodes, and back. */
import { testKills } from "./process-kills.ts";

testKills("pbft");
