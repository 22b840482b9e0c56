/** The generator in a page that holds a node: what is sent lies there already. */
import { hexBytes } from "../../core/bytes/hex.ts";
import { customTransport, type Provider } from "../../core/client/http-transport.ts";
import { realClock } from "../../runtimes/shared/benchmark/bench-clock.ts";
import { ReceiptWatch } from "../../runtimes/shared/benchmark/receipt-watch.ts";
import type { RoundFigures } from "../../runtimes/shared/benchmark/round-figures.ts";
import { RpcLane } from "../../runtimes/tools/benchmark/adapter/rpc-lane.ts";
import { startLoad } from "./signed-load.ts";

/** What a page has when this script is loaded. */
interface BenchPage {
  readonly tab: { providerOf(node: number): Provider };
  /** Signed bytes with `0x`, and their hash. */
  readonly benchCalls: readonly (readonly [raw: string, hash: string])[];
  benchLoad: (nodes: number, mostPending: number) => Promise<RoundFigures>;
}

const GROUP = 1;
const page = globalThis as unknown as BenchPage;

page.benchLoad = async (nodes, mostPending) => {
  const clock = realClock();
  const watch = new ReceiptWatch({ pick: () => laneOf(0), groupId: GROUP, clock });
  const lanes = Array.from({ length: nodes }, (_, i) => {
    const transport = customTransport(page.tab.providerOf(i));
    return new RpcLane({ name: `node ${i}`, transport, groupId: GROUP, watch });
  });
  const laneOf = (turn: number): RpcLane => {
    const lane = lanes[turn % lanes.length];
    if (lane === undefined) throw new Error("a chain has a node");
    return lane;
  };
  const calls = page.benchCalls.map(([raw, hash]) => ({ raw: hexBytes(raw.slice(2)), hash }));
  await watch.begin();
  let sent = 0;
  const { end } = await startLoad({
    next: () => calls[sent++] ?? { raw: new Uint8Array(0), hash: "" },
    submit: (call) => laneOf(sent).submit(call),
    clock,
    ...{ count: calls.length, mostPending },
  });
  return await end.finally(() => watch.close());
};
