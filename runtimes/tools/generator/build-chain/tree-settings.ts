/** What the letters of build_chain.sh come to in settings. Source: generator 6, 10.1 */
import type { SuiteName } from "../../../../core/crypto/suite.ts";
import { CA_DAYS } from "../../../folder/certificate.ts";
import { nodeConfigTemplate } from "../../../folder/node-texts.ts";
import { VERSION } from "../../../formats/config/config-kinds.ts";
import { setValue } from "../../../formats/config/ini-edit.ts";
import { UsageFault } from "../flags.ts";
import type { Words } from "./words.ts";

/** Everything about the chain is written below this folder. */
const OUT = "nodes";

/** Words whose values are no names of files. @throws UsageFault */
export function refuseValues(words: Words): void {
  const storage = words.get("s") ?? "rocksdb";
  if (!/^rocksdb$/i.test(storage)) {
    throw new UsageFault(
      `-s ${storage}: nodes keep their ledgers in their own store; leave -s out`,
    );
  }
  const consensus = words.get("c") ?? "pbft";
  if (!/^(pbft|raft)$/i.test(consensus))
    throw new UsageFault(`-c ${consensus} is not offered: pbft or raft is wanted`);
  if (words.has("K") && !words.has("g")) throw new UsageFault("-K is for -g");
  const version = words.get("v");
  if (version !== undefined && VERSION.read(version) === undefined)
    throw new UsageFault(`-v "${version}" is not allowed: ${VERSION.allowed}`);
  const id = words.get("C");
  if (id !== undefined && !/^\d{1,9}$/.test(id))
    throw new UsageFault(`-C "${id}" is not allowed: a number of 9 digits at most`);
}

/** Validity of all certificates, in days. @throws UsageFault */
export function daysOf(words: Words): number {
  const text = words.get("X") ?? `${CA_DAYS}`;
  const days = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= CA_DAYS) return days;
  throw new UsageFault(`-X "${text}" is not allowed: days from 1 to ${CA_DAYS}`);
}

/** Where the chain is written, as it was given. */
export function outOf(words: Words): string {
  return words.get("o") ?? OUT;
}

/** config.ini that all nodes begin with. */
export function configTemplate(words: Words, suite: SuiteName): string {
  const values: readonly (readonly [string, string, string | undefined])[] = [
    ["chain", "id", words.get("C")],
    ["compatibility", "supported_version", words.get("v")],
    ["log", "level", words.has("T") ? "debug" : undefined],
    ["log", "enable_statistic", words.has("S") ? "true" : undefined],
    ["log", "flush", words.has("F") ? "false" : undefined],
  ];
  let text = nodeConfigTemplate(suite);
  for (const [section, key, value] of values)
    if (value !== undefined) text = setValue(text, { section, key, value });
  return text;
}

/** group.N.genesis that all groups begin with. @param template that of tpl/ */
export function genesisTemplate(words: Words, template: string): string {
  const consensus = (words.get("c") ?? "pbft").toLowerCase();
  const key = { section: "consensus", key: "consensus_type", value: consensus };
  const text = setValue(template, key);
  if (!words.has("E")) return text;
  return setValue(text, { section: "evm", key: "enable_free_storage", value: "true" });
}
