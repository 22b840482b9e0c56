/** What a ready workload is made of. */

/** A contract of the network file. */
export type SampleContract =
  | {
      readonly id: string;
      readonly path: string;
      readonly language: "solidity";
      readonly version: "v1";
    }
  | {
      readonly id: string;
      readonly address: string;
      readonly language: "precompiled";
      readonly version: "v1";
    };

/** A round of the benchmark file. */
export interface SampleRound {
  readonly label: string;
  readonly description: string;
  readonly txNumber: number;
  /** Rate of all workers together. */
  readonly tps: number;
  /** File of the workload, relative to the folder. */
  readonly module: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/** A ready workload: what `benchmark new` writes. */
export interface Sample {
  readonly name: string;
  readonly says: string;
  readonly workers: number;
  /** Groups over which the workers are spread. */
  readonly groups: readonly number[];
  readonly contracts: readonly SampleContract[];
  readonly rounds: readonly SampleRound[];
  /** Workloads and contracts, by path. */
  readonly files: Readonly<Record<string, string>>;
}

/** A Solidity contract of a sample. */
export function solidity(id: string, name: string): SampleContract {
  return { id, path: `contracts/${name}.sol`, language: "solidity", version: "v1" };
}

/** A precompiled contract. */
export function precompiled(id: string, place: number): SampleContract {
  const address = `0x${place.toString(16).padStart(40, "0")}`;
  return { id, address, language: "precompiled", version: "v1" };
}
