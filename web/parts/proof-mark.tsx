/** Marks at what a node reported: proven values have none, all others report that they are not. */
import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import { addTexts, text } from "../texts.ts";
import { StatusBadge, type Tone } from "./status-badge.tsx";

/** What proofs show of a value, or of a page. */
export type Proof =
  /** It is what the sealers agreed on. */
  | "proven"
  /** It is the word of the node. */
  | "unproven"
  /** It cannot be what the sealers agreed on. */
  | "contradicted"
  /** It is being verified. */
  | "pending";

addTexts({
  "proof.unproven": ["not proven", "未经证明"],
  "proof.contradicted": ["NOT proven", "验证未通过"],
  "proof.page.proven": ["verified by this page", "已由本页验证"],
  "proof.page.proven.told": [
    "verified by this page, except what is marked",
    "已由本页验证（标出者除外）",
  ],
  "proof.page.unproven": ["not fully proven", "未完全验证"],
  "proof.page.contradicted": ["NOT what the sealers agreed on", "与共识结果不符"],
  "proof.page.pending": ["being verified …", "正在验证……"],
  "proof.told": ["This is the node's answer: not proven.", "此处为节点所报，未经证明。"],
});

const SIGNS = { unproven: "?", contradicted: "✗" } as const;

/** Of the values around which it stands; undefined where their list has one mark for all. */
const ProofContext = createContext<Proof | undefined>(undefined);

/** Gives all values in it their proof. */
export function ProofScope(props: { readonly proof: Proof; readonly children: ComponentChildren }) {
  return <ProofContext.Provider value={props.proof}>{props.children}</ProofContext.Provider>;
}

/** The proof of a value: its own, or that of the scope. */
export function useProof(own?: Proof): Proof | undefined {
  const around = useContext(ProofContext);
  return own ?? around;
}

/** The mark behind a value. */
export function ProofMark({ proof }: { readonly proof: Proof | undefined }) {
  if (proof !== "unproven" && proof !== "contradicted") return null;
  return (
    <>
      {" "}
      <span class={`proof-mark ${proof}`} data-proof-mark>
        <span aria-hidden="true">{SIGNS[proof]}</span> {text(`proof.${proof}`)}
      </span>
    </>
  );
}

/** The tone of a word of what is shown. */
export const PROOF_TONES: Readonly<Record<Proof, Tone>> = {
  proven: "good",
  unproven: "warn",
  contradicted: "bad",
  pending: "busy",
};

interface VerdictProps {
  readonly proof: Proof;
  /** Whether values stand next to it that nothing proves. */
  readonly withTold?: boolean;
}

/** What the proofs say of a whole, where its status stands. */
export function Verdict({ proof, withTold }: VerdictProps) {
  const key = proof === "proven" && withTold ? "proof.page.proven.told" : `proof.page.${proof}`;
  return (
    <span data-page-proof={proof}>
      <StatusBadge tone={PROOF_TONES[proof]}>{text(key)}</StatusBadge>
    </span>
  );
}

interface MarkedProps {
  /** Absent: that of the scope. */
  readonly proof?: Proof | undefined;
  readonly children: ComponentChildren;
}

/** A value with its mark. */
export function Marked({ proof: own, children }: MarkedProps) {
  const proof = useProof(own);
  return (
    <span data-proof={proof}>
      {children}
      <ProofMark proof={proof} />
    </span>
  );
}

/** Values that nothing can prove, under one mark. */
export function Told({ children }: { readonly children: ComponentChildren }) {
  return (
    <div data-proof="unproven">
      <p class="soft" data-proof-mark>
        <span aria-hidden="true">{SIGNS.unproven}</span> {text("proof.told")}
      </p>
      {children}
    </div>
  );
}
