/**
 * A tiny assembler for tests: opcode names, numbers as the shortest PUSH, `name:` and `@name` for
 * jumps.
 */

const NAMES: Readonly<Record<string, number>> = {
  stop: 0x00,
  add: 0x01,
  mul: 0x02,
  sub: 0x03,
  div: 0x04,
  sdiv: 0x05,
  mod: 0x06,
  smod: 0x07,
  addmod: 0x08,
  mulmod: 0x09,
  exp: 0x0a,
  signextend: 0x0b,
  lt: 0x10,
  gt: 0x11,
  slt: 0x12,
  sgt: 0x13,
  eq: 0x14,
  iszero: 0x15,
  and: 0x16,
  or: 0x17,
  xor: 0x18,
  not: 0x19,
  byte: 0x1a,
  shl: 0x1b,
  shr: 0x1c,
  sar: 0x1d,
  sha3: 0x20,
  address: 0x30,
  balance: 0x31,
  origin: 0x32,
  caller: 0x33,
  callvalue: 0x34,
  calldataload: 0x35,
  calldatasize: 0x36,
  calldatacopy: 0x37,
  codesize: 0x38,
  codecopy: 0x39,
  gasprice: 0x3a,
  extcodesize: 0x3b,
  extcodecopy: 0x3c,
  returndatasize: 0x3d,
  returndatacopy: 0x3e,
  extcodehash: 0x3f,
  blockhash: 0x40,
  coinbase: 0x41,
  timestamp: 0x42,
  number: 0x43,
  difficulty: 0x44,
  gaslimit: 0x45,
  chainid: 0x46,
  selfbalance: 0x47,
  basefee: 0x48,
  pop: 0x50,
  mload: 0x51,
  mstore: 0x52,
  mstore8: 0x53,
  sload: 0x54,
  sstore: 0x55,
  jump: 0x56,
  jumpi: 0x57,
  pc: 0x58,
  msize: 0x59,
  gas: 0x5a,
  jumpdest: 0x5b,
  push0: 0x5f,
  log0: 0xa0,
  log1: 0xa1,
  log2: 0xa2,
  log3: 0xa3,
  log4: 0xa4,
  create: 0xf0,
  call: 0xf1,
  callcode: 0xf2,
  return: 0xf3,
  delegatecall: 0xf4,
  create2: 0xf5,
  staticcall: 0xfa,
  revert: 0xfd,
  invalid: 0xfe,
  selfdestruct: 0xff,
};

/** The opcode of a name; dup1 to dup16 and swap1 to swap16 too. */
export function opcode(name: string): number {
  const known = NAMES[name];
  if (known !== undefined) return known;
  const [, kind, n] = /^(dup|swap)(\d+)$/.exec(name) ?? [];
  if (kind === undefined) throw new SyntaxError(`no such instruction: ${name}`);
  return (kind === "dup" ? 0x7f : 0x8f) + Number(n);
}

/**
 * Assembles a program. A number may name its width: `0@4` is PUSH4 of 0; `hex"..."` inserts bytes.
 */
export function assemble(source: string): Uint8Array {
  const out: number[] = [];
  const labels = new Map<string, number>();
  const uses: { at: number; label: string }[] = [];
  for (const token of source
    .replace(/\/\/.*$/gm, "")
    .split(/\s+/)
    .filter(Boolean)) {
    const label = /^(\w+):$/.exec(token)?.[1];
    const raw = /^hex"([0-9a-fA-F]*)"$/.exec(token)?.[1];
    const number = /^(0x[0-9a-fA-F]+|\d+)(?:@(\d+))?$/.exec(token);
    if (label !== undefined) {
      labels.set(label, out.length);
      out.push(0x5b);
    } else if (raw !== undefined) out.push(...Buffer.from(raw, "hex"));
    else if (token.startsWith("@")) {
      out.push(0x61, 0, 0);
      uses.push({ at: out.length - 2, label: token.slice(1) });
    } else if (number) out.push(...push(BigInt(number[1] as string), Number(number[2] ?? 0)));
    else out.push(opcode(token));
  }
  for (const { at, label } of uses) {
    const offset = labels.get(label);
    if (offset === undefined) throw new SyntaxError(`no such label: ${label}`);
    out[at] = offset >> 8;
    out[at + 1] = offset & 0xff;
  }
  return Uint8Array.from(out);
}

/** PUSH of a number in as few bytes as it has, or as the width says. */
export function push(value: bigint, width = 0): number[] {
  const text = value.toString(16);
  const digits = text.padStart(Math.max(2 * width, text.length + (text.length % 2)), "0");
  return [0x5f + digits.length / 2, ...Buffer.from(digits, "hex")];
}
