/** What every Store port does; each implementation runs this in its real runtime. */
import { describe, test } from "vitest";
import { type OpenedStore, STORE_CASES } from "./store-cases.ts";

/** The suite: pass what opens an empty store of the implementation under test. */
export function storeContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(name, () => {
    for (const { name: rule, run } of STORE_CASES)
      test(rule, async (context) => {
        const reason = await run(open);
        if (reason !== undefined) context.skip(reason);
      });
  });
}
