/** Contracts of proofs: Paillier, group and ring signatures, hashes, SM2 and VRF. */
import { sm2PublicKey, sm2Sign } from "../../../core/crypto/sm2.ts";
import { signForGroup } from "../../support/execution/group-signer.ts";
import { signForRing } from "../../support/execution/ring-signer.ts";
import type { Sending } from "../../support/execution/test-chain.ts";
import { proveVrf } from "../../support/execution/vrf-prover.ts";
import { callOf, type Family, plainFamily } from "./family.ts";

const [PAILLIER, GROUP, RING, CRYPTO] = [0x5003, 0x5004, 0x5005, 0x5006];
const HASHED_BYTES = 1_024;
const RING_MEMBERS = 4;
const MODULUS = "c7".repeat(256);
const SECRET = new Uint8Array(32).fill(3);

const base64 = (text: string): string => Buffer.from(text, "latin1").toString("base64");
const json = (fields: object): string => base64(JSON.stringify(fields));

/** A cipher under the key of 2,048 bits. */
function cipher(value: bigint): string {
  const bytes = MODULUS.length / 2;
  return (
    bytes.toString(16).padStart(4, "0") + MODULUS + value.toString(16).padStart(4 * bytes, "0")
  );
}

const key = BigInt(`0x${MODULUS}`);
const square = key * key;

function groupCall(): Sending {
  const { signature, group, parameters } = signForGroup("pay 5");
  const texts = [json(signature), "pay 5", json(group), base64(parameters)];
  return callOf(GROUP, "groupSigVerify(string,string,string,string)", texts);
}

function ringCall(): Sending {
  const { signature, parameters } = signForRing("vote", RING_MEMBERS);
  const texts = [json(signature), "vote", json(parameters)];
  return callOf(RING, "ringSigVerify(string,string,string)", texts);
}

function sm2Call(index: number): Sending {
  const digest = new Uint8Array(32).fill(index + 1);
  const signature = sm2Sign(digest, SECRET);
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)];
  const values = [digest, sm2PublicKey(SECRET), r, s];
  return callOf(CRYPTO, "sm2Verify(bytes32,bytes,bytes32,bytes32)", values);
}

function vrfCall(index: number): Sending {
  const input = `block ${index}`;
  const { publicKey, proof } = proveVrf("a secret", input);
  return callOf(CRYPTO, "curve25519VRFVerify(string,string,string)", [input, publicKey, proof]);
}

const data = (index: number): Uint8Array => new Uint8Array(HASHED_BYTES).fill(index);

/** Verifies what is true. */
const verified = (name: string, size: number, call: (index: number) => Sending): Family => ({
  ...plainFamily(name, size, call),
  answer: 1n,
});

/** Families of proofs. */
export const PROOF_FAMILIES: readonly Family[] = [
  plainFamily("Paillier: add, 2,048 bits", 20, (i) => {
    const ciphers = [cipher(square - 2n - BigInt(i)), cipher(square - 3n)];
    return callOf(PAILLIER, "paillierAdd(string,string)", ciphers);
  }),
  verified("GroupSig: verify", 2, groupCall),
  verified("RingSig: verify, 4 members of 1,024 bits", 2, ringCall),
  plainFamily("Crypto: sm3 of 1 KiB", 100, (i) => callOf(CRYPTO, "sm3(bytes)", [data(i)])),
  plainFamily("Crypto: keccak of 1 KiB", 100, (i) =>
    callOf(CRYPTO, "keccak256Hash(bytes)", [data(i)]),
  ),
  verified("Crypto: sm2Verify", 20, sm2Call),
  verified("Crypto: VRF", 10, vrfCall),
];
