/** A ledger that differs, kept: its transactions, and the ledger that `chain-node replay` reads. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { OracleBlock, OracleChain, OracleLedger } from "./oracle-process.ts";

/** What is kept of a case. */
export interface KeptCase {
  readonly chain: OracleChain;
  readonly blocks: readonly OracleBlock[];
  /** What differed, for people. */
  readonly shows: string;
}

/** Writes the files of a case. @returns the one with the transactions */
export function keepCase(
  folder: string,
  name: string,
  kept: KeptCase,
  ledger: OracleLedger,
): string {
  mkdirSync(folder, { recursive: true });
  const { version, sm } = kept.chain;
  const meta = { supported_version: version, sm_crypto: sm };
  writeFileSync(join(folder, `${name}.genesis.txt`), ledger.genesis);
  writeFileSync(join(folder, `${name}.meta.json`), `${JSON.stringify(meta)}\n`);
  writeFileSync(join(folder, `${name}.jsonl.gz`), gzipSync(`${ledger.lines.join("\n")}\n`));
  const file = join(folder, `${name}.case.json`);
  writeFileSync(file, `${JSON.stringify(kept, undefined, 1)}\n`);
  return file;
}

/** Reads the transactions of a case. */
export function readCase(file: string): KeptCase {
  return JSON.parse(readFileSync(file, "utf8")) as KeptCase;
}
