/** The decoder of a chain: the ABIs of this browser and those of the precompiled contracts. */
import { useEffect, useState } from "preact/hooks";
import { type ChainFacts, loadSuite } from "../../data/chain.ts";
import { contractRegistry } from "../../data/contracts.ts";
import { PRECOMPILED } from "../../data/precompiled.ts";
import { failureText } from "../../failure.ts";
import { toast } from "../../parts/toast.tsx";
import { takeStep } from "../../data/turn.ts";
import { Decoder, type KnownAbi } from "./decode.ts";

/** All contracts of a chain whose ABIs are known. */
function knownAbis(chainKey: string | undefined): readonly KnownAbi[] {
  const own = chainKey === undefined ? [] : contractRegistry().list(chainKey);
  return [
    ...own.map(({ address, label, name, abi }) => ({
      address: address.toLowerCase(),
      name: label || name,
      abi,
      isPrecompiled: false,
    })),
    ...PRECOMPILED.map((it) => ({ ...it, isPrecompiled: true })),
  ];
}

async function makeDecoder(facts: ChainFacts, chainKey: string): Promise<Decoder> {
  const suite = await loadSuite(facts.suiteName);
  // Compilers for Keccak-256 make contracts for chains of the national suite too.
  const others = suite.name === "national" ? [(await loadSuite("standard")).hash] : [];
  return await new Decoder(knownAbis(chainKey), [suite.hash, ...others]).learn(takeStep);
}

/** The decoder; undefined until it is ready. It is made anew when an ABI is added. */
export function useDecoder(
  facts: ChainFacts | undefined,
  chainKey: string | undefined,
): Decoder | undefined {
  const [made, setMade] = useState<{ readonly chainKey: string; readonly decoder: Decoder }>();
  const [turn, setTurn] = useState(0);
  useEffect(() => contractRegistry().onChange(() => setTurn((last) => last + 1)), []);
  // Another turn means other ABIs.
  useEffect(() => {
    if (facts === undefined || chainKey === undefined) return undefined;
    let isWanted = true;
    makeDecoder(facts, chainKey).then(
      (decoder) => isWanted && setMade({ chainKey, decoder }),
      (cause: unknown) => isWanted && toast(failureText(cause), "bad"),
    );
    return () => {
      isWanted = false;
    };
  }, [facts, chainKey, turn]);
  // Names of another chain's contracts are not those of this one.
  return made?.chainKey === chainKey ? made?.decoder : undefined;
}
