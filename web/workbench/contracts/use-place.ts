/** What every form of the workbench acts on: the chain, its identity, the account that signs. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Account } from "../../../core/client/account.ts";
import { type Chain, loadSuite, useChain } from "../../data/chain.ts";
import { contractRegistry, type KnownContract } from "../../data/contracts.ts";
import { useAnswer } from "../../data/use-answer.ts";
import { failureText } from "../../failure.ts";
import { accountManager } from "../accounts/account-manager.ts";
import { useObserved } from "../observed.ts";
import type { ActingPlace } from "./chain-client.ts";

/** Hash of block 0: whatever node is asked, the same group has the same one. */
function useChainKey(chain: Chain | undefined): string | undefined {
  const { source, groupId } = chain ?? {};
  const asked = { method: "getBlockHashByNumber", params: [groupId, "0"] };
  const key = useAnswer(async () => await source?.request(asked), [source, groupId]);
  return key === undefined ? undefined : String(key);
}

/** The place, or undefined while no chain answers. The account is found when it is needed. */
export function usePlace(): ActingPlace | undefined {
  const chain = useChain();
  const chainKey = useChainKey(chain);
  if (chain === undefined || chainKey === undefined) return undefined;
  return { chain, chainKey, account: undefined };
}

/** The account that signs, found anew for each action: it may have been locked meanwhile. */
export async function signerFor(chain: Chain): Promise<Account | undefined> {
  return await accountManager().signer(await loadSuite(chain.facts.suiteName));
}

/** Why nothing can be signed now: a key of a text. */
export function useObstacle(chain: Chain | undefined): string | undefined {
  const { accounts, chosen, vault } = useObserved(accountManager().state);
  if (chain === undefined) return "workbench.obstacle.chain";
  const account = accounts.find(({ address }) => address === chosen);
  if (account === undefined) return "workbench.obstacle.account";
  if (account.suite !== chain.facts.suiteName) return "workbench.obstacle.suite";
  if (account.origin === "kept" && vault !== "open") return "workbench.obstacle.locked";
  return undefined;
}

/** The contracts that are known on a chain, followed. */
export function useContracts(chainKey: string | undefined): readonly KnownContract[] {
  const [changes, setChanges] = useState(0);
  useEffect(() => contractRegistry().onChange(() => setChanges((count) => count + 1)), []);
  return useMemo(
    () => (chainKey === undefined ? [] : contractRegistry().list(chainKey)),
    [chainKey, changes],
  );
}

interface TaskState<Result> {
  readonly isBusy: boolean;
  readonly result?: Result;
  readonly trouble?: string;
}

/** Something that is being done, once at a time, and what came of it. */
export function useTask<Result>() {
  const [state, setState] = useState<TaskState<Result>>({ isBusy: false });
  const run = (work: () => Promise<Result>): void => {
    setState({ isBusy: true });
    work().then(
      (result) => setState({ isBusy: false, result }),
      (cause) => setState({ isBusy: false, trouble: failureText(cause) }),
    );
  };
  return { ...state, run };
}
