/** What every form of the workbench acts on: the chain, its identity, the account that signs. */
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Account } from "../../../core/client/account.ts";
import { type Chain, loadSuite, useChain } from "../../data/chain.ts";
import { contractBook, type KnownContract } from "../../data/contracts.ts";
import { failureText } from "../../failure.ts";
import { accountDesk } from "../accounts/open-desk.ts";
import { useObserved } from "../use-observed.ts";
import type { ActingPlace } from "./chain-client.ts";

interface Identity {
  readonly chain: Chain["source"];
  readonly groupId: number;
  readonly key: string;
}

/** Hash of block 0: whatever node is asked, the same group has the same one. */
export function useChainKey(chain: Chain | undefined): string | undefined {
  const [identity, setIdentity] = useState<Identity>();
  const { source, groupId } = chain ?? {};
  useEffect(() => {
    if (source === undefined || groupId === undefined) return undefined;
    let isWanted = true;
    source.request({ method: "getBlockHashByNumber", params: [groupId, "0"] }).then(
      (key) => isWanted && setIdentity({ chain: source, groupId, key: String(key) }),
      () => isWanted && setIdentity(undefined),
    );
    return () => {
      isWanted = false;
    };
  }, [source, groupId]);
  return identity?.chain === source && identity?.groupId === groupId ? identity?.key : undefined;
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
  return await accountDesk().signer(await loadSuite(chain.facts.suiteName));
}

/** Why nothing can be signed now: a key of a text. */
export function useObstacle(chain: Chain | undefined): string | undefined {
  const { accounts, chosen, vault } = useObserved(accountDesk().state);
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
  useEffect(() => contractBook().onChange(() => setChanges((count) => count + 1)), []);
  return useMemo(
    () => (chainKey === undefined ? [] : contractBook().list(chainKey)),
    [chainKey, changes],
  );
}

/** Something that is being done, once at a time, and what came of it. */
export function useTask<Result>(): {
  readonly isBusy: boolean;
  readonly result: Result | undefined;
  readonly trouble: string | undefined;
  run(work: () => Promise<Result>): void;
} {
  const [state, setState] = useState<{
    isBusy: boolean;
    result: Result | undefined;
    trouble: string | undefined;
  }>({ isBusy: false, result: undefined, trouble: undefined });
  return {
    ...state,
    run(work) {
      setState({ isBusy: true, result: undefined, trouble: undefined });
      work().then(
        (result) => setState({ isBusy: false, result, trouble: undefined }),
        (cause) => setState({ isBusy: false, result: undefined, trouble: failureText(cause) }),
      );
    },
  };
}
