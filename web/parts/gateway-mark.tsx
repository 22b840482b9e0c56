/** What an answer of a gateway rests on, next to what it shows; nothing where a node answers. */
import { addTexts, text } from "../texts.ts";
import { StatusBadge, type Tone } from "./status-badge.tsx";

addTexts({
  "gateway.proof.certificate": [
    "proven according to the gateway: sealers {sealers} signed block {height}",
    "网关称已证明：共识节点 {sealers} 签署了区块 {height}",
  ],
  "gateway.proof.certificate.first": [
    "proven according to the gateway: block {height} is trusted for its hash, it has no seals",
    "网关称已证明：区块 {height} 凭其哈希受信任，无人签署",
  ],
  "gateway.proof.quorum": [
    "not proven: most upstreams agree at block {height}",
    "未经证明：网关的多数上游在块高 {height} 给出相同答案",
  ],
  "gateway.proof.none": [
    "not proven: the answer of one node, or of the gateway",
    "未经证明：只是某个节点或网关自己的说法",
  ],
});

type Kind = "certificate" | "quorum" | "none";

/** A tick for none: the gateway itself says so, and a user who lies can say it too. */
const TONES: Readonly<Record<Kind, Tone>> = { certificate: "plain", quorum: "plain", none: "warn" };
const LABEL = /^(certificate|quorum|none); height=(\d+); sealers=([\d,]*)$/;

/** @param proof the header of the answer */
export function GatewayMark({ proof = "" }: { readonly proof: string | undefined }) {
  const [, kind, height = "", sealers = ""] = LABEL.exec(proof) ?? [];
  if (kind === undefined) return null;
  const known = kind as Kind;
  const key = known === "certificate" && sealers === "" ? "certificate.first" : known;
  const said = text(`gateway.proof.${key}`, { height, sealers: sealers.replaceAll(",", ", ") });
  return (
    <span class="proof" data-gateway-proof={known}>
      <StatusBadge tone={TONES[known]} title={proof}>
        {said}
      </StatusBadge>
    </span>
  );
}
