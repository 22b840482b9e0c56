/** The vector files about receipts, headers, genesis, Merkle trees, bloom, new addresses. */
// rules: tx-block-codec 3, tx-block-codec 4, tx-block-codec 5, tx-block-codec 6
// rules: tx-block-codec 8.1, tx-block-codec 8.2, tx-block-codec 8.4, tx-block-codec 10
import assert from "node:assert/strict";
import { afterAll } from "vitest";
import { utf8Bytes } from "../../core/bytes/byte-string.ts";
import { hashOf, hexBytes, idBytes, toHex } from "../../core/bytes/hex.ts";
import type { Address, Hash, NodeId } from "../../core/bytes/ids.ts";
import { logsBloom } from "../../core/crypto/bloom.ts";
import { create2Address, createAddress } from "../../core/crypto/contract-address.ts";
import { merkleLeaf, merkleRoot, verifyProof } from "../../core/crypto/merkle.ts";
import { merkleProof } from "../support/codecs/proofs.ts";
import type { GenesisConfig } from "../../core/model/config.ts";
import { genesisHeader, genesisMark } from "../../core/model/genesis.ts";
import { decodeHeader, encodeHeader, headerHash } from "../../core/model/header.ts";
import { decodeReceipt, encodeReceipt, receiptHash } from "../../core/model/receipt.ts";
import { receiptsRoot } from "../../core/model/roots.ts";
import { version } from "../../core/model/version.ts";
import {
  headerOf,
  type RenderedHeader,
  type RenderedLog,
  type RenderedProofLevel,
  type RenderedReceipt,
  receiptOf,
} from "./rendered.ts";
import { readVectors, tallyText, type VectorSuite, vectorTests } from "./shared-vectors.ts";
import { STANDARD, suiteOf, versionOf } from "./vector-suites.ts";

interface Cases<Row> {
  readonly cases: readonly Row[];
}

interface Tagged {
  readonly id: string;
  readonly suite: string;
  readonly compatVersion: string;
}

interface ReceiptRow extends Tagged {
  readonly receipt: RenderedReceipt;
  readonly rlpHex: string;
  readonly hash: string;
  readonly receiptsRoot?: string;
  readonly singleReceiptBlock?: boolean;
}

function receiptRows({ row }: VectorSuite): void {
  for (const tagged of readVectors<Cases<ReceiptRow>>("receipts.json").cases) {
    row(`a receipt has its published encoding and hash: ${tagged.id}`, () => {
      const [suite, compatibility] = [suiteOf(tagged.suite), versionOf(tagged.compatVersion)];
      const receipt = receiptOf(tagged.receipt);
      const raw = encodeReceipt(receipt, compatibility);
      assert.equal(toHex(raw), tagged.rlpHex);
      assert.deepEqual(decodeReceipt(raw, compatibility), receipt);
      const hash = receiptHash(receipt, compatibility, suite);
      assert.equal(hash, tagged.hash);
      if (tagged.receiptsRoot !== undefined && tagged.singleReceiptBlock) {
        const root = receiptsRoot([{ raw, hash }], { version: compatibility, suite });
        assert.equal(root, tagged.receiptsRoot);
      }
    });
  }
}

interface HeaderRow extends Tagged {
  readonly header: RenderedHeader;
  readonly rlpHex: string;
  readonly hash: string;
  readonly signatureList?: readonly { readonly index: string; readonly signature: string }[];
}

function headerRows({ row }: VectorSuite): void {
  for (const tagged of readVectors<Cases<HeaderRow>>("headers.json").cases) {
    const header = headerOf(tagged.header);
    row(`a header has its published encoding and hash: ${tagged.id}`, () => {
      assert.equal(toHex(encodeHeader(header)), tagged.rlpHex);
      assert.deepEqual(decodeHeader(hexBytes(tagged.rlpHex)), header);
      assert.equal(headerHash(header, suiteOf(tagged.suite)), tagged.hash);
    });
    if (tagged.signatureList === undefined) continue;
    const seals = tagged.signatureList;
    row(`a header's seals are its sealers': ${tagged.id}`, () => {
      for (const { index, signature } of seals) {
        const key = suiteOf(tagged.suite).recover(hexBytes(tagged.hash), hexBytes(signature));
        assert.equal(key && toHex(key), header.sealerList[Number(index)]);
      }
    });
  }
}

interface GenesisRow extends Tagged {
  readonly mark: string;
  readonly timestamp?: number;
  readonly hash?: string;
  readonly parameters?: {
    readonly groupId: number;
    readonly sealers?: readonly NodeId[];
    readonly sealersInFileOrder?: readonly NodeId[];
    readonly consensusType: "pbft" | "raft";
    readonly storageType?: string;
    readonly stateType: string;
    readonly maxTransNum: number;
    readonly gasLimit: number;
    readonly consensusTimeout?: number;
  };
}

function configOf(row: GenesisRow & Required<Pick<GenesisRow, "parameters">>): GenesisConfig {
  const { parameters } = row;
  return {
    groupId: parameters.groupId,
    timestamp: BigInt(row.timestamp ?? 0),
    consensusType: parameters.consensusType,
    sealers: parameters.sealers ?? parameters.sealersInFileOrder ?? [],
    maxTransactions: parameters.maxTransNum,
    gasLimit: BigInt(parameters.gasLimit),
    consensusTimeoutSeconds: parameters.consensusTimeout ?? 3,
    freeStorage: false,
  };
}

/** The oldest released version of a range that starts with a release candidate. */
function markVersion(tag: string) {
  return tag.startsWith("2.0.0-rc3") ? version(2, 0, 0) : versionOf(tag);
}

function genesisRows({ row }: VectorSuite): void {
  for (const tagged of readVectors<Cases<GenesisRow>>("genesis.json").cases) {
    const { parameters, mark, hash, timestamp } = tagged;
    if (parameters) {
      row(`a configuration has its published mark: ${tagged.id}`, () => {
        const { storageType = "LevelDB", stateType } = parameters;
        const config = configOf({ ...tagged, parameters });
        const compatibility = markVersion(tagged.compatVersion);
        assert.equal(genesisMark(config, compatibility, { storageType, stateType }), mark);
      });
    }
    if (hash === undefined || timestamp === undefined) continue;
    row(`a mark has its published genesis hash: ${tagged.id}`, () => {
      const header = genesisHeader(mark, BigInt(timestamp));
      assert.equal(headerHash(header, suiteOf(tagged.suite)), `0x${hash}`);
    });
  }
}

interface RootRow {
  readonly id: string;
  readonly suite: string;
  readonly count: number;
  readonly root: string;
  readonly proofs?: readonly {
    readonly index: number;
    readonly leaf: string;
    readonly proof: readonly RenderedProofLevel[];
  }[];
}

function merkleRows({ row }: VectorSuite): void {
  for (const { id, suite, count, root, proofs } of readVectors<Cases<RootRow>>("merkle.json")
    .cases) {
    const { hash } = suiteOf(suite);
    const hashes = Array.from({ length: count }, (_, i) => hash(utf8Bytes(`leaf-${i}`)));
    row(`${count} leaves have their root: ${id}`, () => {
      assert.equal(toHex(merkleRoot(hashes, hash)), root);
    });
    for (const { index, leaf, proof } of proofs ?? []) {
      row(`leaf ${index} of ${count} has its proof: ${id}`, () => {
        const itemHash = hashes[index] ?? new Uint8Array(0);
        const made = merkleProof(hashes, index, hash);
        assert.equal(toHex(merkleLeaf(index, itemHash)), leaf);
        const text = made.map((level) => ({
          left: level.left.map((item) => toHex(item)),
          right: level.right.map((item) => toHex(item)),
        }));
        assert.deepEqual(text, proof);
        assert.ok(verifyProof({ index, itemHash, root: hexBytes(root) }, made, hash));
      });
    }
  }
}

interface ProofRow {
  readonly id: string;
  readonly index: string;
  readonly hash?: string;
  readonly receipt?: RenderedReceipt;
  readonly receiptRlpHex?: string;
  readonly receiptHash?: string;
  readonly proof: readonly RenderedProofLevel[];
  readonly root: string;
}

function publishedProofRows({ row }: VectorSuite): void {
  for (const published of readVectors<Cases<ProofRow>>("merkle-proofs-doc.json").cases) {
    row(`a published proof leads to its root: ${published.id}`, () => {
      const { receipt } = published;
      if (receipt) {
        const raw = encodeReceipt(receiptOf(receipt), version(2, 2, 0));
        assert.equal(toHex(raw), published.receiptRlpHex);
        assert.equal(hashOf(STANDARD.hash(raw)), published.receiptHash);
      }
      const itemHash = hexBytes(published.hash ?? published.receiptHash ?? "");
      const proof = published.proof.map(({ left, right }) => ({
        left: left.map(hexBytes),
        right: right.map(hexBytes),
      }));
      const claim = { index: Number(published.index), itemHash, root: hexBytes(published.root) };
      assert.ok(verifyProof(claim, proof, STANDARD.hash));
      assert.ok(!verifyProof({ ...claim, index: claim.index + 1 }, proof, STANDARD.hash));
    });
  }
}

interface BloomRow {
  readonly id?: string;
  readonly name?: string;
  readonly suite: string;
  readonly logs: readonly RenderedLog[];
  readonly bloom?: string;
  readonly logsBloom?: string;
}

function bloomRows({ row }: VectorSuite): void {
  for (const file of ["bloom.json", "exec-bloom.json"]) {
    for (const tagged of readVectors<Cases<BloomRow>>(file).cases) {
      row(`logs have their published bloom: ${tagged.id ?? tagged.name}`, () => {
        const logs = tagged.logs.map(({ address, topics }) => ({
          address: address as Address,
          topics: topics as readonly Hash[],
        }));
        const expected = hexBytes(tagged.bloom ?? tagged.logsBloom ?? "");
        assert.deepEqual(logsBloom(logs, suiteOf(tagged.suite).hash), expected);
      });
    }
  }
}

interface AddressRow {
  readonly id: string;
  readonly suite: string;
  readonly kind: "create" | "create2";
  readonly creator: Address;
  readonly accountNonce: number;
  readonly salt: string;
  readonly initCode: string;
  readonly address: string;
}

function addressRows({ row }: VectorSuite): void {
  for (const made of readVectors<Cases<AddressRow>>("contract-address.json").cases) {
    row(`a new contract has its published address: ${made.id}`, () => {
      const { hash } = suiteOf(made.suite);
      const address =
        made.kind === "create"
          ? createAddress(made.creator, made.accountNonce, hash)
          : create2Address(
              {
                creator: made.creator,
                salt: hexBytes(made.salt),
                initCode: hexBytes(made.initCode),
              },
              hash,
            );
      assert.equal(address, made.address);
      assert.equal(idBytes(address).length, 20);
    });
  }
}

const tally = vectorTests((suite) => {
  receiptRows(suite);
  headerRows(suite);
  genesisRows(suite);
  merkleRows(suite);
  publishedProofRows(suite);
  bloomRows(suite);
  addressRows(suite);
});

afterAll(() => {
  console.log(`model: ${tallyText(tally)}`);
});
