// Signs a transaction for a chain-node, and sends it. It needs two packages and no SDK:
//   npm install @noble/curves@2 @noble/hashes@2
//   node transaction.mjs sign|send URL GROUP TO DATA [KEY]
// TO is an address, or "" to create a contract. KEY: 64 hexadecimal digits; a new key when absent.
import { randomBytes } from "node:crypto";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";

const [verb, url, group, to, data, key = randomBytes(32).toString("hex")] = process.argv.slice(2);
if (!["sign", "send"].includes(verb) || data === undefined) {
  console.error('usage: node transaction.mjs sign|send URL GROUP TO DATA [KEY]   (TO "": creates)');
  process.exit(2);
}

const isHex = (text, length = "*") => new RegExp(`^(0x)?([0-9a-f]{2})${length}$`, "i").test(text);
if ((to !== "" && !isHex(to, "{20}")) || !isHex(data) || !isHex(key, "{32}")) {
  console.error("TO is 40 hexadecimal digits or empty, DATA whole bytes of them, KEY 64 digits");
  process.exit(2);
}

const bytes = (text) => Buffer.from(text.replace(/^0x/i, ""), "hex");
// Whole numbers have no leading zeros, and zero has no bytes at all.
const uint = (value) => {
  const digits = BigInt(value).toString(16);
  return BigInt(value) === 0n
    ? bytes("")
    : bytes(digits.padStart(2 * Math.ceil(digits.length / 2), "0"));
};
const head = (length, base) =>
  length < 56 ? [base + length] : [base + 55 + uint(length).length, ...uint(length)];
const rlp = (item) => {
  const isSmall = item.length === 1 && item[0] < 128;
  if (!Array.isArray(item))
    return Buffer.from(isSmall ? item : [...head(item.length, 128), ...item]);
  const body = Buffer.concat(item.map(rlp));
  return Buffer.concat([Buffer.from(head(body.length, 192)), body]);
};

async function ask(method, ...params) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const { result, error } = await (await fetch(url, { method: "POST", body })).json();
  if (error) throw new Error(`${error.code} ${error.message}`);
  return result;
}

async function sign() {
  const { "Chain Id": chainId, "FISCO-BCOS Version": version } = await ask("getClientVersion");
  if (version.endsWith("gm")) throw new Error("the chain has the national suite; this signs ECDSA");
  const blockLimit = Number(await ask("getBlockNumber", Number(group))) + 500;
  const randomid = randomBytes(31).toString("hex");
  const fields = [
    // randomid, gasPrice, gas, blockLimit
    ...[`0x${randomid}`, 1, 300_000_000, blockLimit].map(uint),
    ...[bytes(to), uint(0), bytes(data)], // to, value, data
    ...[uint(chainId), uint(group), bytes("")], // chainId, groupId, extraData
  ];
  const options = { prehash: false, format: "recovered" };
  const [recovery, ...rs] = secp256k1.sign(keccak_256(rlp(fields)), bytes(key), options);
  const numbers = [rs.slice(0, 32), rs.slice(32)].map((part) =>
    uint(`0x${Buffer.from(part).toString("hex")}`),
  );
  return `0x${rlp([...fields, uint(27 + recovery), ...numbers]).toString("hex")}`;
}

async function send(raw) {
  const hash = await ask("sendRawTransaction", Number(group), raw);
  for (;;) {
    const receipt = await ask("getTransactionReceipt", Number(group), hash);
    if (receipt !== null) return receipt;
    await new Promise((resume) => setTimeout(resume, 200));
  }
}

try {
  const raw = await sign();
  if (verb === "sign") console.log(raw);
  else {
    const { transactionHash, blockNumber, status, contractAddress, output } = await send(raw);
    const shown = { transactionHash, blockNumber, status, contractAddress, output };
    console.log(JSON.stringify(shown, null, 2));
  }
} catch (fault) {
  console.error(`${url}: ${fault.cause?.message ?? fault.message}`);
  process.exit(1);
}
