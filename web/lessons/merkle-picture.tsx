/** The proof as a tree: the transaction, its neighbours, the levels above, header and seals. */
import { text } from "../texts.ts";
import type { MerklePart } from "./merkle-lesson.ts";
import type { Proved } from "./proved-transaction.ts";
import type { Verdict } from "./verdict.ts";

interface MerklePictureProps {
  readonly proved: Proved;
  readonly part: MerklePart;
  readonly verdict: Verdict;
}

const WIDTH = 640;
const ROW = 74;
const CELL = 32;

/** The part that a fault belongs to. */
const FAULT_PARTS: Readonly<Record<string, MerklePart>> = {
  transaction: "transaction",
  proof: "neighbours",
  headerHash: "root",
  seals: "seals",
  sealers: "seals",
};

/** The picture. */
export function MerklePicture({ proved, part, verdict }: MerklePictureProps) {
  const levels = proved.proved.txProof.filter(({ left, right }) => left.length + right.length > 0);
  const bad = verdict.ok ? undefined : (FAULT_PARTS[verdict.fault] ?? "transaction");
  const classOf = (one: MerklePart) =>
    [part === one || part === "all" ? "shown" : "", bad === one ? "bad" : ""].join(" ");
  const bottom = ROW * (levels.length + 2);
  return (
    <svg
      class="merkle"
      viewBox={`0 0 ${WIDTH} ${bottom + 44}`}
      role="img"
      aria-label={text("merkle.picture")}
    >
      <Seals proved={proved} className={classOf("seals")} />
      <Box y={ROW} label={text("merkle.header")} className={classOf("root")} />
      {levels.map(({ left, right }, level) => {
        const y = ROW * (levels.length - level + 1);
        const name = level === 0 ? "neighbours" : "root";
        return (
          <Level
            key={y}
            y={y}
            before={left.length}
            after={right.length}
            className={classOf(name)}
          />
        );
      })}
      <Box y={bottom} label={text("merkle.transaction")} className={classOf("transaction")} />
    </svg>
  );
}

function Box({ y, label, className }: { y: number; label: string; className: string }) {
  return (
    <g class={`part ${className}`}>
      <line x1={WIDTH / 2} x2={WIDTH / 2} y1={y - ROW + 36} y2={y} />
      <rect x={WIDTH / 2 - 120} y={y} width={240} height={36} rx={8} />
      <text x={WIDTH / 2} y={y + 23}>
        {label}
      </text>
    </g>
  );
}

/** Hashes that are hashed together; the one that was computed is filled. */
function Level(props: { y: number; before: number; after: number; className: string }) {
  const { y, before, after, className } = props;
  const count = before + 1 + after;
  const left = (WIDTH - count * (CELL + 4)) / 2;
  return (
    <g class={`part ${className}`}>
      <path d={`M${left} ${y - 4} L${WIDTH / 2} ${y - ROW + 40} L${WIDTH - left} ${y - 4}`} />
      {Array.from({ length: count }, (_, index) => (
        <rect
          key={index}
          class={index === before ? "own" : ""}
          x={left + index * (CELL + 4)}
          y={y}
          width={CELL}
          height={CELL}
          rx={5}
        />
      ))}
    </g>
  );
}

function Seals({ proved, className }: { proved: Proved; className: string }) {
  const signed = new Set((proved.header.signatureList ?? []).map(({ index }) => Number(index)));
  const count = proved.header.sealerList.length;
  const left = WIDTH / 2 - count * 36;
  return (
    <g class={`part seals ${className}`}>
      {proved.header.sealerList.map((id, index) => (
        <g key={id} class={signed.has(index) ? "signed" : ""}>
          <circle cx={left + index * 72 + 36} cy={20} r={16} />
          <text x={left + index * 72 + 36} y={26}>
            {signed.has(index) ? "✓" : index + 1}
          </text>
        </g>
      ))}
    </g>
  );
}
