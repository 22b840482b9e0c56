/** The types of a contract's functions and events, inferred from its ABI (`as const`). */
import type {
  Abi,
  AbiConstructor,
  AbiEvent,
  AbiFunction,
  AbiParameter,
  AbiParametersToPrimitiveTypes,
  AbiParameterToPrimitiveType,
  ExtractAbiEvent,
  ExtractAbiEventNames,
  ExtractAbiFunction,
  ExtractAbiFunctionNames,
} from "abitype";
import type { Account } from "./account.ts";
import type { RawLog } from "./contract-output.ts";
import type { Signal, WaitOptions } from "./platform.ts";
import type { Hex, Receipt } from "./rpc-objects.ts";

/** Arguments of a function; a union of lists where several have the name. */
export type ArgsOf<Function extends AbiFunction> = Function extends AbiFunction
  ? AbiParametersToPrimitiveTypes<Function["inputs"], "inputs">
  : never;

type Unwrapped<Values extends readonly unknown[]> = number extends Values["length"]
  ? unknown
  : Values extends readonly []
    ? undefined
    : Values extends readonly [infer Only]
      ? Only
      : Values;

/** What a function returns: nothing, a value, or a list of values. */
type ResultOf<Function extends AbiFunction> = Function extends AbiFunction
  ? Unwrapped<AbiParametersToPrimitiveTypes<Function["outputs"], "outputs">>
  : never;

/** The arguments, which may be left out when there are none, and the options behind them. */
type WithOptions<Args, Options> = Args extends readonly []
  ? [args?: Args, options?: Options]
  : [args: Args, options?: Options];

/** Settings of a call. */
export interface CallOptions {
  /** Who asks; the account of the client, or address zero, when absent. */
  readonly from?: Hex;
  readonly signal?: Signal;
}

/** Settings of a transaction. */
export interface SendOptions extends WaitOptions {
  /** Who signs; the account of the client when absent. */
  readonly account?: Account;
}

/** Settings of a transaction to a function. */
export interface SendFunctionOptions extends SendOptions {
  /** What a payable function is reported as its value; nothing is transferred. */
  readonly value?: bigint;
}

/** Every function, run on the latest state without a transaction. */
export type CallMethods<ContractAbi extends Abi> = {
  readonly [Name in ExtractAbiFunctionNames<ContractAbi>]: (
    ...params: WithOptions<ArgsOf<ExtractAbiFunction<ContractAbi, Name>>, CallOptions>
  ) => Promise<ResultOf<ExtractAbiFunction<ContractAbi, Name>>>;
};

/** What a transaction did. */
export interface Sent<ContractAbi extends Abi, Result> {
  readonly receipt: Receipt;
  /** What the function returned. */
  readonly result: Result;
  /** The events of the contract, in order. */
  readonly events: readonly ContractEvent<ContractAbi>[];
}

/** The functions that change state, each as a transaction that is waited for. */
export type SendMethods<ContractAbi extends Abi> = {
  readonly [Name in ExtractAbiFunctionNames<ContractAbi, "nonpayable" | "payable">]: (
    ...params: WithOptions<ArgsOf<ExtractAbiFunction<ContractAbi, Name>>, SendFunctionOptions>
  ) => Promise<Sent<ContractAbi, ResultOf<ExtractAbiFunction<ContractAbi, Name>>>>;
};

/** Indexed values of these types are in the log as their hash only. */
type Hashed = "string" | "bytes" | `${string}]` | `tuple${string}`;

type EventValue<Parameter extends AbiParameter> = Parameter extends { readonly indexed: true }
  ? Parameter["type"] extends Hashed
    ? Hex
    : AbiParameterToPrimitiveType<Parameter, "outputs">
  : AbiParameterToPrimitiveType<Parameter, "outputs">;

/** Values of an event by name; a list where a parameter has no name. */
type EventArgs<Event extends AbiEvent> = Event["inputs"][number] extends infer Parameter
  ? [Parameter] extends [{ readonly name: infer Name }]
    ? "" extends Name
      ? readonly unknown[]
      : {
          readonly [P in Event["inputs"][number] as P["name"] & string]: EventValue<P>;
        }
    : readonly unknown[]
  : never;

/** An event of a contract, with the log that it was. */
export type ContractEvent<ContractAbi extends Abi> = {
  [Name in ExtractAbiEventNames<ContractAbi>]: {
    readonly eventName: Name;
    readonly args: EventArgs<ExtractAbiEvent<ContractAbi, Name>>;
    readonly log: RawLog;
  };
}[ExtractAbiEventNames<ContractAbi>];

type ConstructorOf<ContractAbi extends Abi> = Extract<
  ContractAbi[number],
  { readonly type: "constructor" }
>;

/** Arguments of the constructor. */
export type ConstructorArgs<ContractAbi extends Abi> = [ConstructorOf<ContractAbi>] extends [never]
  ? readonly []
  : ConstructorOf<ContractAbi> extends AbiConstructor
    ? AbiParametersToPrimitiveTypes<ConstructorOf<ContractAbi>["inputs"], "inputs">
    : readonly unknown[];
