/** The system under test as a worker has it: an open chain, encoder, signer, sender. */
import type { BenchClock } from "../../../shared/benchmark/bench-clock.ts";
import { BenchmarkFault } from "../../../shared/benchmark/benchmark-fault.ts";
import type { NetworkPlan } from "../files/network-file.ts";
import type { WorkerArguments } from "../worker/messages.ts";
import { requireAccount, signersOf } from "./accounts.ts";
import { openChain } from "./chain.ts";
import { ChainSender } from "./chain-sender.ts";
import { HeightWatch } from "./height-watch.ts";
import { installContracts } from "./install.ts";
import { type InstalledContract, RequestEncoder } from "./request-encoder.ts";
import { TransactionMaker } from "../../../shared/benchmark/signing.ts";

/** An open system. */
export interface WorkerSut {
  readonly sender: ChainSender;
  close(): Promise<void>;
}

/** Where a worker is. */
export interface WorkerPlace {
  readonly workerIndex: number;
  readonly workspace: string;
  readonly clock: BenchClock;
}

/** Opens the chain for a worker. @throws BenchmarkFault */
export async function openWorkerSut(
  network: NetworkPlan,
  { contracts, privateKey }: WorkerArguments,
  { workerIndex, workspace, clock }: WorkerPlace,
): Promise<WorkerSut> {
  const key = network.privateKey ?? privateKey;
  if (key === undefined) throw new BenchmarkFault("engine", "the manager sent no key");
  const { groupIds } = network;
  const groupId = groupIds[workerIndex % groupIds.length] ?? network.groupId;
  const chain = await openChain({ ...network, groupId }, clock);
  const height = new HeightWatch(chain, clock);
  try {
    const signers = signersOf(key, network.accounts, chain.suite);
    requireAccount(network.account, signers[0]);
    const maker = new TransactionMaker(chain, signers, workerIndex);
    await height.start();
    // The chain inside a worker is its own: nobody else has installed anything there.
    const isOwn = network.mode === "inproc";
    const place = { workspace, maker, progress: () => undefined };
    const installed = isOwn ? await installContracts(network, chain, place) : contracts;
    const isHere = ({ groupId: own = groupId }: InstalledContract) => own === groupId;
    const encoder = new RequestEncoder(installed.filter(isHere), chain.suite);
    const { blockchain: type } = network;
    const parts = { type, chain, encoder, maker, height, clock };
    return {
      sender: new ChainSender(parts),
      async close() {
        height.stop();
        await chain.close();
      },
    };
  } catch (cause) {
    height.stop();
    await chain.close();
    throw cause;
  }
}
