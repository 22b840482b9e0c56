/** Contracts by name and version. Source: console 4.3; precompiles 8 */
import { requireNewVersion, requireVersionLength } from "../../../../core/fault/client-codes.ts";
import { type AbiList, readAbi } from "../../../../core/client/abi-list.ts";
import type { Hex } from "../../../../core/client/rpc-objects.ts";
import type { Outcome } from "../command.ts";
import { type CodeCall, PRECOMPILED, sendForCode } from "../precompiled.ts";
import type { Session } from "../session.ts";

/** A row of the name service. */
export interface NamedContract {
  readonly name: string;
  readonly version: string;
  readonly address: Hex;
  /** JSON; empty when a user who registered it had none. */
  readonly abi: string;
}

/** The rows of a name, or of one version of it, in the order of the chain. */
export async function namedContracts(
  session: Session,
  name: string,
  version?: string,
): Promise<readonly NamedContract[]> {
  const [answer] =
    version === undefined
      ? await session.constantCall(PRECOMPILED.cns, "selectByName(string)(string)", [name])
      : await session.constantCall(
          PRECOMPILED.cns,
          "selectByNameAndVersion(string,string)(string)",
          [name, version],
        );
  return JSON.parse(String(answer)) as readonly NamedContract[];
}

/**
 * Before anything is sent: the version is short enough and not taken.
 * @throws ClientCodeFault -51201, -51200. Source: interface 7.5
 */
export async function requireFreeName(
  session: Session,
  name: string,
  version: string,
): Promise<void> {
  requireVersionLength(version);
  const rows = await namedContracts(session, name);
  requireNewVersion(
    rows.map((row) => row.version),
    version,
  );
}

/** What is to be registered. */
export interface Registration {
  readonly name: string;
  readonly version: string;
  readonly address: Hex;
  /** Undefined when it is not known. */
  readonly abi: AbiList | undefined;
}

/** Registers a contract. @throws ConsoleFault with the code of the name service */
export async function registerName(
  session: Session,
  { name, version, address, abi }: Registration,
  options: Pick<CodeCall, "hidesHash"> = {},
): Promise<Outcome> {
  const abiText = abi === undefined ? "" : JSON.stringify(abi);
  return await sendForCode(session, {
    to: PRECOMPILED.cns,
    signature: "insert(string,string,string,string)",
    args: [name, version, address, abiText],
    ...options,
  });
}

/** The ABI of a row; undefined when it has none. */
export function abiOfRow({ abi }: NamedContract): AbiList | undefined {
  return abi === "" ? undefined : readAbi(abi);
}
