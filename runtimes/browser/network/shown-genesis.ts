/** The genesis file of a group from its block 0 as a node shows it. Source: tx-block-codec 10 */
import { hexBytes, isHash } from "../../../core/bytes/hex.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { parseVersion } from "../../../core/model/version.ts";
import { writeGenesisFile } from "../../formats/config/genesis-file.ts";
import { genesisOfHeader } from "../../shared/ledger-check/genesis-mark.ts";
import type { ShownGenesis } from "../link/api.ts";

/**
 * The text; undefined when the block does not follow from the configuration that it spells, by the
 * rules of that version: then one of the three is not this chain's.
 */
export function readShownGenesis(shown: ShownGenesis, suite: CryptoSuite): string | undefined {
  const { hash, timestamp, extraData, supportedVersion } = shown;
  const version = parseVersion(supportedVersion);
  if (version === undefined || !isHash(hash) || !/^0x[0-9a-f]{1,16}$/.test(timestamp))
    return undefined;
  if (!extraData.every((text) => /^0x(?:[0-9a-f]{2})*$/.test(text))) return undefined;
  const header = {
    timestamp: BigInt(timestamp),
    extraData: extraData.map((text) => hexBytes(text.slice(2))),
  };
  const genesis = genesisOfHeader(header, hash, { suite, version });
  return genesis && writeGenesisFile(genesis);
}
