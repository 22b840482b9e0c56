/** Four nodes behind proxies that lose traffic: splits, one-way loss, and healing. */
import { testCuts } from "./process-cuts.ts";

testCuts("pbft");
