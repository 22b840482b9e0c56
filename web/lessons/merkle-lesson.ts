/** What the lesson about Merkle proofs says, step by step. */
import type { Words } from "../texts.ts";
import type { PlaceId } from "./verdict.ts";

/** What the picture lights. */
export type MerklePart = "transaction" | "neighbours" | "root" | "seals" | "all";

/** One idea. */
interface MerkleStep {
  readonly says: Words;
  readonly part: MerklePart;
  /** Texts that may be changed here. */
  readonly places: readonly PlaceId[];
}

/** The steps. */
export const MERKLE_STEPS: readonly MerkleStep[] = [
  {
    part: "transaction",
    places: ["input", "sender"],
    says: [
      "This is a transaction of a chain of four sealers, as a node answered it. Its hash " +
        "covers every field, and its sender's signature covers the hash. Change a byte of it, " +
        "and it is another transaction, which nobody signed.",
      "这是四个共识节点的链上的一笔交易，由节点返回。它的哈希覆盖所有字段，发送者的签名覆盖哈希。" +
        "改动一个字节，它就成了另一笔没有人签名的交易。",
    ],
  },
  {
    part: "neighbours",
    places: ["sibling"],
    says: [
      "The block holds many transactions. Sixteen neighbours are hashed together into one " +
        "hash. The proof brings the fifteen others, so that you can do the same: only the right " +
        "neighbours in the right order give the right hash.",
      "区块中有许多交易。每十六个相邻的哈希合在一起再取哈希。证明给出另外十五个，" +
        "这样您可以自己计算：只有正确的邻居和正确的顺序才能得到正确的哈希。",
    ],
  },
  {
    part: "root",
    places: ["upper", "root"],
    says: [
      "The same again with the hashes of the groups of sixteen, until one is left: the root. " +
        "It stands in the block's header. A block of a million transactions needs five levels.",
      "对每组的哈希重复同样的计算，直到只剩一个：根。它写在区块头中。" +
        "一百万笔交易的区块只需要五层。",
    ],
  },
  {
    part: "seals",
    places: ["stateRoot", "seal"],
    says: [
      "But who says that this header is of the chain? Its hash is signed by the sealers: three " +
        "of four are needed, and you know their keys. Without the signatures a proof proves only " +
        "that a transaction fits a header that anybody may have made up.",
      "但谁能说明这个区块头属于这条链？共识节点对它的哈希签名：四个中需要三个，而您知道它们的公钥。" +
        "没有签名，证明只能说明交易与某个区块头相符，而区块头可以由任何人编造。",
    ],
  },
  {
    part: "all",
    places: ["input", "sender", "sibling", "upper", "root", "stateRoot", "seal"],
    says: [
      "So you need not trust the node that answered: what it says is proved, or it is red. " +
        "What a proof does not prove: that there is no newer block, or that nothing else is in " +
        "this one. Change any byte and see which check fails.",
      "因此您不必信任返回数据的节点：它说的要么被证明，要么变红。证明不能说明的是：没有更新的区块，" +
        "或者区块中没有别的内容。改动任意字节，看看哪项检查失败。",
    ],
  },
];
