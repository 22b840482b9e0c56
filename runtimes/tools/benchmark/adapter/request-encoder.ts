/** Turns requests of workloads into call data. Source: benchmark 3 (request object) */
import { type AbiValue, encodeAbi, selectorOf } from "../../../../core/abi/encode.ts";
import { type AbiType, abiTypeText, parseSignature } from "../../../../core/abi/type.ts";
import { concatBytes } from "../../../../core/bytes/bytes.ts";
import {
  itemsOf,
  type JsonItem,
  signatureOf,
  typedParameters,
} from "../../../../core/client/abi-item.ts";
import { toAbiValue } from "../../../../core/client/abi-value.ts";
import type { CryptoSuite } from "../../../../core/crypto/suite.ts";
import { BenchmarkFault, faultText } from "../../../shared/benchmark/benchmark-fault.ts";
import type { RequestArguments, SutRequest } from "../../../shared/benchmark/sut.ts";
import { argumentValue } from "../../console/contracts/argument-value.ts";

/** A contract that requests may name. */
export interface InstalledContract {
  readonly id: string;
  /** `0x` and 40 digits. */
  readonly address: string;
  /** The group that it was deployed in; undefined for what every group has. */
  readonly groupId?: number;
  /** Undefined for precompiled ones, and for those that an earlier run has installed. */
  readonly abi: readonly JsonItem[] | undefined;
}

interface ChosenFunction {
  readonly selector: Uint8Array;
  readonly types: readonly AbiType[];
  readonly text: string;
}

/** The names under which requests tell their function. */
const FUNCTION_ARGUMENT = "transaction_type";

function functionText(request: SutRequest): string {
  const { args, contractFunction, verb } = request;
  const named = isNamed(args) ? args[FUNCTION_ARGUMENT] : undefined;
  const text = named ?? contractFunction ?? verb;
  if (typeof text === "string" && text !== "") return text;
  const wanted = "args.transaction_type (or contractFunction), such as 'set(string)'";
  throw new BenchmarkFault("module", `a request to ${request.contractId} lacks ${wanted}`);
}

function isNamed(args: RequestArguments | undefined): args is Readonly<Record<string, unknown>> {
  return args !== undefined && !Array.isArray(args);
}

function valuesOf(args: RequestArguments | undefined): readonly unknown[] {
  if (args === undefined) return [];
  if (!isNamed(args)) return args;
  return Object.entries(args).flatMap(([name, value]) =>
    name === FUNCTION_ARGUMENT ? [] : [value],
  );
}

/** Texts mean values of their types, as they are typed; other values are taken as they are. */
function meantValue(type: AbiType, given: unknown, path: string): AbiValue {
  if (typeof given === "string" && type.kind === "string") return toAbiValue(type, given, path);
  const isText = typeof given === "string";
  if (isText) return toAbiValue(type, argumentValue(type, given, path), path);
  if (type.kind === "string" && (typeof given === "number" || typeof given === "bigint"))
    return String(given);
  if (type.kind === "array" && Array.isArray(given))
    return given.map((item, index) => meantValue(type.element, item, `${path}[${index}]`));
  return toAbiValue(type, given, path);
}

/** Encodes requests; what is the same for all requests to a function is made once. */
export class RequestEncoder {
  readonly #contracts: ReadonlyMap<string, InstalledContract>;
  readonly #suite: CryptoSuite;
  readonly #functions = new Map<string, ChosenFunction>();

  constructor(contracts: readonly InstalledContract[], suite: CryptoSuite) {
    this.#contracts = new Map(contracts.map((contract) => [contract.id, contract]));
    this.#suite = suite;
  }

  /** @throws BenchmarkFault `module` for what the contract has not, and values that do not fit */
  encode(request: SutRequest): { readonly to: string; readonly input: Uint8Array } {
    const contract = this.#contracts.get(request.contractId);
    if (contract === undefined) {
      const known = [...this.#contracts.keys()].join(", ") || "none";
      const what = `there is no contract ${request.contractId} in the network file`;
      throw new BenchmarkFault("module", `${what}; it has ${known}`);
    }
    const values = valuesOf(request.args);
    const text = functionText(request);
    const key = `${contract.id} ${values.length} ${text}`;
    const chosen = this.#functions.get(key) ?? this.#choose(contract, text, values.length);
    this.#functions.set(key, chosen);
    try {
      const encoded = chosen.types.map((type, index) =>
        meantValue(type, values[index], `argument ${index + 1} (${abiTypeText(type)})`),
      );
      const input = concatBytes(chosen.selector, encodeAbi(chosen.types, encoded));
      return { to: contract.address, input };
    } catch (cause) {
      const where = `${contract.id}.${chosen.text}`;
      throw new BenchmarkFault("module", `${where}: ${faultText(cause)}`, { cause });
    }
  }

  #choose(contract: InstalledContract, text: string, count: number): ChosenFunction {
    const chosen = text.includes("(")
      ? this.#bySignature(text)
      : this.#byName(contract, text, count);
    if (chosen.types.length === count) return chosen;
    const what = `takes ${chosen.types.length} arguments, not ${count}`;
    throw new BenchmarkFault("module", `${contract.id}.${chosen.text} ${what}`);
  }

  #bySignature(text: string): ChosenFunction {
    const signature = parseSignature(text);
    if (signature === undefined)
      throw new BenchmarkFault("module", `"${text}" is no function, such as set(string)`);
    return this.#made(signature.text, signature.inputs);
  }

  #byName(contract: InstalledContract, name: string, count: number): ChosenFunction {
    if (contract.abi === undefined) {
      const what = "is precompiled, or not installed by this run: its functions need their types";
      throw new BenchmarkFault("module", `${contract.id} ${what}, such as ${name}(string)`);
    }
    const all = itemsOf(contract.abi, "function", name);
    const item = all.find(({ inputs }) => (inputs ?? []).length === count) ?? all[0];
    if (item === undefined)
      throw new BenchmarkFault("module", `${contract.id} has no function ${name}`);
    const types = typedParameters(item.inputs).map(({ type }) => type);
    return this.#made(signatureOf(item), types);
  }

  #made(text: string, types: readonly AbiType[]): ChosenFunction {
    return { selector: selectorOf(text, this.#suite.hash), types, text };
  }
}
