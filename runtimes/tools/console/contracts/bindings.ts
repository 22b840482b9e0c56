/** TypeScript bindings of contracts, for the typed client of the package. Source: console 7 */
import type { AbiList } from "../../../../core/client/abi-list.ts";

/** A contract to bind. */
export interface BoundContract {
  readonly name: string;
  readonly file: string;
  readonly compiler: string;
  readonly abi: AbiList;
  /** Creation code, digits without 0x; empty for what cannot be deployed. */
  readonly code: string;
}

/** `HelloWorld` as the beginning of a value's name: `helloWorld`. */
function valueName(name: string): string {
  return `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`;
}

function deployLines(name: string, code: string): readonly string[] {
  const value = valueName(name);
  return [
    "",
    "/** Creation code. */",
    `export const ${value}Bytecode =`,
    `  "0x${code}";`,
    "",
    `/** Arguments of the constructor, and how to send. */`,
    `export type ${name}Deployment = Omit<`,
    `  Deployment<typeof ${value}Abi>,`,
    `  "abi" | "bytecode"`,
    ">;",
    "",
    `/** Creates a ${name}. Throws as the client's deploy does. */`,
    `export async function deploy${name}(`,
    "  client: Client,",
    `  deployment: ${name}Deployment = {},`,
    `): Promise<Deployed<typeof ${value}Abi>> {`,
    `  const made = { abi: ${value}Abi, bytecode: ${value}Bytecode };`,
    "  return await client.deploy({ ...made, ...deployment });",
    "}",
  ];
}

/** A module: the ABI as a constant, its type, and how to reach or create the contract. */
export function bindingText({ name, file, compiler, abi, code }: BoundContract): string {
  const value = valueName(name);
  const imported = code === "" ? "Client, Contract" : "Client, Contract, Deployed, Deployment";
  return [
    `// Made by "console sol2ts" of ${file} with Solidity ${compiler}: changes go into the source.`,
    `import type { ${imported} } from "chain-node/client";`,
    "",
    "/** Functions and events. */",
    `export const ${value}Abi = ${JSON.stringify(abi, undefined, 2)} as const;`,
    "",
    `/** A ${name} to talk to: its functions are below call and send. */`,
    `export type ${name} = Contract<typeof ${value}Abi>;`,
    "",
    `/** The ${name} at an address. */`,
    `export function ${value}At(client: Client, address: string): ${name} {`,
    `  return client.contract({ abi: ${value}Abi, address });`,
    "}",
    ...(code === "" ? [] : deployLines(name, code)),
    "",
  ].join("\n");
}
