/** The files of groups as ini, in the form in which groups ask for them. Source: groups 6, 7 */
import type { GenesisConfig, GroupTuning } from "../../../core/model/config.ts";
import type { Version } from "../../../core/model/version.ts";
import type { ConfigWarning, Reading } from "./config-fault.ts";
import { readGenesisFile, writeGenesisFile } from "./genesis-file.ts";
import { readGroupFile, writeGroupFile } from "./group-file.ts";

/**
 * Reads and writes both files; what is worth knowing goes to the callback. A caller that names no
 * file gets messages that name its kind.
 */
export function iniGroupFormat(onWarning: (warning: ConfigWarning) => void, version: Version) {
  const told = <T>({ value, warnings }: Reading<T>): T => {
    warnings.forEach(onWarning);
    return value;
  };
  return {
    readGenesis: (text: string, file = "group.N.genesis"): GenesisConfig => {
      const { genesis, eventFilter } = told(readGenesisFile(text, file));
      const isSet = Object.values(eventFilter).some((limit) => limit !== undefined);
      return isSet ? { ...genesis, eventFilter } : genesis;
    },
    readTuning: (text: string, file: string, genesis: GenesisConfig): GroupTuning =>
      told(readGroupFile(text, file, { version, genesis })).tuning,
    writeGenesis: (genesis: GenesisConfig): string => writeGenesisFile(genesis),
    writeTuning: (): string => writeGroupFile(),
  };
}
