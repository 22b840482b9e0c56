/** Crypto at 0x5006: hashes and proofs beyond those of the chain. Source: precompiles 16 */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { encodeAbi } from "../../abi/encode.ts";
import type { AbiType } from "../../abi/type.ts";
import { bigintOfBytes, concatBytes, EMPTY_BYTES } from "../../bytes/bytes.ts";
import { addressOf } from "../../bytes/hex.ts";
import { ZERO_ADDRESS } from "../../bytes/ids.ts";
import { vrfRandom, vrfWork } from "../../crypto/curve25519-vrf.ts";
import { SM2_KEY_BYTES, sm2Digest } from "../../crypto/sm2.ts";
import { sm3 } from "../../crypto/sm3.ts";
import type { CryptoSuite } from "../../crypto/suite.ts";
import { methodsBySelector, readArguments, readStrings, selectorText } from "./call-data.ts";
import type { PrecompiledCall, PrecompiledContract } from "./contract.ts";

const BYTES = { kind: "bytes" } as const satisfies AbiType;
const BYTES32 = { kind: "fixedBytes", size: 32 } as const satisfies AbiType;
const UINT256 = { kind: "uint", bits: 256 } as const satisfies AbiType;
const BOOL = { kind: "bool" } as const satisfies AbiType;
const ADDRESS = { kind: "address" } as const satisfies AbiType;

/** What the reference answers to an unknown function: -50101 in 32 bits. Source: precompiles 16 */
const UNKNOWN_FUNCTION = 4_294_917_195n;
/** Work of an SM2 verification, and of each byte hashed; see PrecompiledCall.work. */
const SM2_WORK = 500_000;
const BYTE_WORK = 8;

/** Creates the contract for a suite. */
export function createCrypto(suite: CryptoSuite): PrecompiledContract {
  // The chain's own hash may come from a faster engine.
  const isNational = suite.name === "national";
  const hashes = {
    sm3: isNational ? suite.hash : sm3,
    keccak256: isNational ? keccak_256 : suite.hash,
  };
  const methods = methodsBySelector(suite, {
    "sm3(bytes)": (call: PrecompiledCall) => hashes.sm3(firstBytes(call)),
    "keccak256Hash(bytes)": (call: PrecompiledCall) => hashes.keccak256(firstBytes(call)),
    "sm2Verify(bytes32,bytes,bytes32,bytes32)": (call: PrecompiledCall) => verifySm2(call, suite),
    "curve25519VRFVerify(string,string,string)": verifyVrf,
  });
  return {
    run(call) {
      call.gas.noteMemory(call.input.length);
      const method = methods.get(selectorText(call.input));
      return method === undefined ? encodeAbi([UINT256], [UNKNOWN_FUNCTION]) : method(call);
    },
  };
}

function firstBytes(call: PrecompiledCall): Uint8Array {
  call.work(call.input.length * BYTE_WORK);
  return bytesArgument(readArguments(call.input, [BYTES])[0]);
}

function bytesArgument(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : EMPTY_BYTES;
}

function verifySm2(call: PrecompiledCall, suite: CryptoSuite): Uint8Array {
  const types = [BYTES32, BYTES, BYTES32, BYTES32];
  const values = readArguments(call.input, types).map(bytesArgument);
  const [digest = EMPTY_BYTES, publicKey = EMPTY_BYTES, r = EMPTY_BYTES, s = EMPTY_BYTES] = values;
  call.work(SM2_WORK);
  const isValid =
    publicKey.length === SM2_KEY_BYTES &&
    suite.verifySm2(sm2Digest(digest, publicKey), concatBytes(r, s), publicKey);
  const address = isValid ? addressOf(sm3(publicKey).subarray(12)) : ZERO_ADDRESS;
  return encodeAbi([BOOL, ADDRESS], [isValid, address]);
}

function verifyVrf(call: PrecompiledCall): Uint8Array {
  const [input = "", publicKey = "", proof = ""] = readStrings(call.input, 3);
  const statement = { input, publicKey, proof };
  call.work(vrfWork(statement));
  const random = vrfRandom(statement);
  const number = random === undefined ? 0n : bigintOfBytes(random);
  return encodeAbi([BOOL, UINT256], [random !== undefined, number]);
}
