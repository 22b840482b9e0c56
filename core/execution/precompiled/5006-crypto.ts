/** Crypto at 0x5006: hashes and proofs beyond those of the chain. Source: precompiles 16 */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { encodeAbi } from "../../abi/encode.ts";
import { bigintOfBytes, concatBytes } from "../../bytes/bytes.ts";
import { addressOf } from "../../bytes/hex.ts";
import { ZERO_ADDRESS } from "../../bytes/ids.ts";
import { vrfRandom, vrfWork } from "../../crypto/curve25519-vrf.ts";
import type { HashFunction } from "../../crypto/merkle.ts";
import { SM2_KEY_BYTES, sm2Digest } from "../../crypto/sm2.ts";
import { sm3 } from "../../crypto/sm3.ts";
import { ADDRESS, BOOL, UINT256 } from "./contract.ts";
import { type MethodCall, systemContract } from "./methods.ts";

/** What the reference answers to an unknown function: -50101 in 32 bits. Source: precompiles 16 */
const UNKNOWN_FUNCTION = 4_294_917_195n;
/** Work of an SM2 verification, and of each byte hashed; see PrecompiledCall.work. */
const SM2_WORK = 500_000;
const BYTE_WORK = 8;

/** The contract. */
export const CRYPTO = systemContract({
  unknown: encodeAbi([UINT256], [UNKNOWN_FUNCTION]),
  methods: {
    "sm3(bytes)": (call) => hashed(call, "national", sm3),
    "keccak256Hash(bytes)": (call) => hashed(call, "standard", keccak_256),
    "sm2Verify(bytes32,bytes,bytes32,bytes32)": verifySm2,
    "curve25519VRFVerify(string,string,string)": verifyVrf,
  },
});

/** The hash of the argument. The chain's own, of that suite, may come from a faster engine. */
function hashed(call: MethodCall, suiteName: string, hash: HashFunction): Uint8Array {
  call.work(call.input.length * BYTE_WORK);
  const { suite } = call.scope;
  return (suite.name === suiteName ? suite.hash : hash)(call.bytes(0));
}

function verifySm2(call: MethodCall): Uint8Array {
  const { suite } = call.scope;
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
