/** Crypto at 0x5006: hashes and proofs beyond those of the chain. Source: precompiles 16 */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { encodeAbi } from "../../abi/encode.ts";
import { bigintOfBytes, concatBytes } from "../../bytes/bytes.ts";
import { addressOf } from "../../bytes/hex.ts";
import { ZERO_ADDRESS } from "../../bytes/ids.ts";
import { vrfRandom, vrfWork } from "../../crypto/curve25519-vrf.ts";
import { SM2_KEY_BYTES, sm2Digest } from "../../crypto/sm2.ts";
import { sm3 } from "../../crypto/sm3.ts";
import type { CryptoSuite } from "../../crypto/suite.ts";
import type { PrecompiledContract } from "./contract.ts";
import { type MethodCall, type Methods, systemContract } from "./methods.ts";

const UINT256 = { kind: "uint", bits: 256 } as const;
const BOOL = { kind: "bool" } as const;
const ADDRESS = { kind: "address" } as const;

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
  const methods: Methods = {
    "sm3(bytes)": (call) => hashes.sm3(firstBytes(call)),
    "keccak256Hash(bytes)": (call) => hashes.keccak256(firstBytes(call)),
    "sm2Verify(bytes32,bytes,bytes32,bytes32)": (call) => verifySm2(call, suite),
    "curve25519VRFVerify(string,string,string)": verifyVrf,
  };
  return systemContract(suite, methods, { unknown: encodeAbi([UINT256], [UNKNOWN_FUNCTION]) });
}

function firstBytes(call: MethodCall): Uint8Array {
  call.work(call.input.length * BYTE_WORK);
  return call.bytes(0);
}

function verifySm2(call: MethodCall, suite: CryptoSuite): Uint8Array {
  const [digest, publicKey] = [call.bytes(0), call.bytes(1)];
  const signature = concatBytes(call.bytes(2), call.bytes(3));
  call.work(SM2_WORK);
  const isValid =
    publicKey.length === SM2_KEY_BYTES &&
    suite.verifySm2(sm2Digest(digest, publicKey), signature, publicKey);
  const address = isValid ? addressOf(sm3(publicKey).subarray(12)) : ZERO_ADDRESS;
  return encodeAbi([BOOL, ADDRESS], [isValid, address]);
}

function verifyVrf(call: MethodCall): Uint8Array {
  const statement = { input: call.text(0), publicKey: call.text(1), proof: call.text(2) };
  call.work(vrfWork(statement));
  const random = vrfRandom(statement);
  const number = random === undefined ? 0n : bigintOfBytes(random);
  return encodeAbi([BOOL, UINT256], [random !== undefined, number]);
}
