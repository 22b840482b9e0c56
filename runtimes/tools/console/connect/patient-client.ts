/** The client of a console: it says for what it waits when a block does not come soon. */
import { type Client, clientOver } from "../../../../core/client/create-client.ts";
import { createNodeClock } from "../../../node/machine/clock.ts";
import { createNodeEntropy } from "../../../node/machine/entropy.ts";

/** Blocks come sooner. */
const TELL_AFTER_MS = 5_000;
const WAITS = "no block has the transaction yet; chain-node status says whether a quorum votes";

/** @param tell takes the line, for people */
export function patientClient(
  options: Parameters<typeof clientOver>[0],
  tell: (line: string) => void,
  clock = createNodeClock(),
): Client {
  const client = clientOver(options, { clock, entropy: createNodeEntropy() });
  return {
    ...client,
    async execute(...args) {
      const cancel = clock.after(TELL_AFTER_MS, () => tell(WAITS));
      try {
        return await client.execute(...args);
      } finally {
        cancel();
      }
    },
  };
}
