/** The form with which this browser joins a network. */
import { useEffect, useState } from "preact/hooks";
import type { JoinFinding, JoinKey, JoinWish, TabNode } from "../../runtimes/browser/link/api.ts";
import { pageFacts } from "../data/open-source.ts";
import { FileField } from "../parts/file-field.tsx";
import { HashText } from "../parts/hash-text.tsx";
import { text } from "../texts.ts";
import { groupOf, type HandedFile, NO_PAPERS, type Papers, sortFiles } from "./join-papers.ts";
import { joinServingChain, readServedChain } from "./join-serving.ts";
import "./join-texts.ts";

/** What the panel is told. */
export interface JoinPanelProps {
  readonly node: TabNode;
  readonly isBusy: boolean;
  /** Whether lost data shall not be waited for. */
  readonly isNew: boolean;
  /** Whether a key is kept already. */
  readonly hasKey: boolean;
  /** The algorithms of the key that is kept. */
  readonly sm: boolean;
  /** Does it, and says what failed. */
  readonly onWork: (work: () => Promise<void>) => void;
}

/** What is typed. */
interface Fields {
  readonly peers: string;
  readonly chainId: string;
  readonly version: string;
  readonly hash: string;
  readonly passphrase: string;
  readonly sm: boolean;
}

const NO_FIELDS: Fields = {
  peers: "",
  chainId: "1",
  version: "",
  hash: "",
  passphrase: "",
  sm: false,
};

/** The wish that the form spells. */
export function wishOf(papers: Papers, fields: Fields): JoinWish {
  const { certificate, authority, groups } = papers;
  const { peers, chainId, version, hash, passphrase, sm } = fields;
  const groupId = Number(groupOf(groups[0] ?? ""));
  return {
    kind: "join",
    chainId: Number(chainId),
    sm,
    certificate,
    authority,
    groups,
    peers: peers.split(/\s+/).filter((line) => line !== ""),
    ...(version === "" ? {} : { supportedVersion: version }),
    ...(hash.trim() === "" ? {} : { genesisHashes: { [groupId]: hash.trim() } }),
    ...(passphrase === "" ? {} : { passphrase }),
  };
}

async function readFiles(files: Iterable<File>): Promise<readonly HandedFile[]> {
  const read = async (file: File) => ({ name: file.name, text: await file.text() });
  return await Promise.all([...files].map(read));
}

function save(name: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: "application/x-pem-file" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

const COMMAND =
  "chain-node cert issue --ca mychain --agency agency --public-key tab.pub --name tab --out tab";

function KeyStep({ made }: { readonly made: JoinKey }) {
  return (
    <div class="join-step">
      <p>
        {text("join.key.id")}: <HashText value={made.nodeId} what={text("join.key.id")} />
      </p>
      <p>{text("join.key.next")}</p>
      <pre class="join-command">{COMMAND}</pre>
      <button type="button" onClick={() => save("tab.pub", made.publicKey)}>
        {text("join.key.save")}
      </button>
    </div>
  );
}

interface PapersProps {
  readonly papers: Papers;
  /** Names of files that are none. */
  readonly unknown: readonly string[];
  readonly onFiles: (files: Iterable<File>) => void;
}

function PapersStep({ papers, unknown, onFiles }: PapersProps) {
  const { certificate, authority, groups } = papers;
  const found = [
    ...(certificate === "" ? [] : [text("join.paper.certificate")]),
    ...(authority === "" ? [] : [text("join.paper.authority")]),
    ...groups.map((group) => text("join.paper.genesis", { group: groupOf(group) })),
  ];
  const drop = (event: DragEvent) => {
    event.preventDefault();
    onFiles(event.dataTransfer?.files ?? []);
  };
  return (
    <section
      class="join-drop"
      aria-label={text("join.papers")}
      onDragOver={(event) => event.preventDefault()}
      onDrop={drop}
    >
      <FileField isMany isKept={false} onFiles={onFiles}>
        {text("join.papers.drop")}
      </FileField>
      <ul>
        {found.map((what) => (
          <li key={what}>✓ {what}</li>
        ))}
        {unknown.map((name) => (
          <li key={name} class="problem">
            {text("join.paper.unknown", { name })}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface FieldsProps {
  readonly fields: Fields;
  readonly onChange: (changes: Partial<Fields>) => void;
}

function NetworkStep({ fields, onChange }: FieldsProps) {
  const { peers, chainId, version, hash } = fields;
  return (
    <>
      <label class="join-wide">
        {text("join.peers")}
        <textarea
          rows={3}
          spellcheck={false}
          value={peers}
          onInput={(event) => onChange({ peers: event.currentTarget.value })}
        />
      </label>
      <label>
        {text("join.chainId")}
        <input
          inputMode="numeric"
          value={chainId}
          onInput={(event) => onChange({ chainId: event.currentTarget.value })}
        />
      </label>
      <label>
        {text("join.version")}
        <input
          placeholder={text("join.version.newest")}
          value={version}
          onInput={(event) => onChange({ version: event.currentTarget.value })}
        />
      </label>
      <label class="join-wide">
        {text("join.hash")}
        <input
          spellcheck={false}
          value={hash}
          onInput={(event) => onChange({ hash: event.currentTarget.value })}
        />
      </label>
    </>
  );
}

function DevStep({ node, isBusy, onWork }: Pick<JoinPanelProps, "node" | "isBusy" | "onWork">) {
  const [isDev, setDev] = useState(false);
  useEffect(() => void pageFacts().then(({ dev }) => setDev(dev)), []);
  if (!isDev) return null;
  return (
    <div class="join-step">
      <p>{text("join.dev.words")}</p>
      <button
        type="button"
        class="primary"
        disabled={isBusy}
        onClick={() => onWork(() => joinServingChain(node, ""))}
      >
        {text("join.dev")}
      </button>
    </div>
  );
}

interface NewKeyProps extends FieldsProps {
  readonly onMake: () => void;
  /** A key of before is brought along. */
  readonly onFiles: (files: Iterable<File>) => void;
}

/** Suite and passphrase of a key that is still to be made. */
function NewKey({ fields, onChange, onMake, onFiles }: NewKeyProps) {
  return (
    <div class="node-form">
      <label>
        {text("node.suite")}
        <select
          value={fields.sm ? "sm" : "standard"}
          onChange={(event) => onChange({ sm: event.currentTarget.value === "sm" })}
        >
          <option value="standard">{text("node.standard")}</option>
          <option value="sm">{text("node.national")}</option>
        </select>
      </label>
      <label>
        {text("join.passphrase")}
        <input
          type="password"
          autocomplete="new-password"
          placeholder={text("node.passphrase.none")}
          value={fields.passphrase}
          onInput={(event) => onChange({ passphrase: event.currentTarget.value })}
        />
      </label>
      <button type="button" onClick={onMake}>
        {text("join.key.make")}
      </button>
      <FileField accept=".pem,.key,.txt" isKept={false} onFiles={onFiles}>
        {text("join.key.import")}
      </FileField>
    </div>
  );
}

/** State of the form, and what its buttons do. */
function useJoinForm({ node, isNew, hasKey, sm, onWork }: JoinPanelProps) {
  const [papers, setPapers] = useState(NO_PAPERS);
  const [fields, setFields] = useState<Fields>({ ...NO_FIELDS, sm });
  const [unknown, setUnknown] = useState<readonly string[]>([]);
  const [made, setMade] = useState<JoinKey>();
  const [finding, setFinding] = useState<JoinFinding>();
  const change = (changes: Partial<Fields>) => setFields((known) => ({ ...known, ...changes }));
  const makeKey = (privateKey?: string) =>
    onWork(async () => {
      const { sm: national, passphrase } = fields;
      const secret = passphrase === "" ? {} : { passphrase };
      const given = privateKey === undefined ? {} : { privateKey };
      setMade(await node.worker.joinKey({ sm: national, isNew, ...secret, ...given }));
    });
  const takeFiles = async (files: Iterable<File>) => {
    const { papers: known, unknown: others } = sortFiles(papers, await readFiles(files));
    setUnknown(others);
    setPapers({ ...known, privateKey: undefined });
    if (known.privateKey !== undefined) makeKey(known.privateKey);
  };
  const takeServed = () =>
    onWork(async () => {
      const {
        groups,
        chainId,
        supportedVersion = "",
        sm: national = false,
      } = await readServedChain(node, 1);
      setPapers((known) => ({ ...known, groups }));
      const suite = made ? {} : { sm: national };
      change({ chainId: String(chainId), version: supportedVersion, ...suite });
    });
  const join = (event: Event) => {
    event.preventDefault();
    onWork(async () => {
      const wish = { ...wishOf(papers, fields), isNew };
      const found = await node.worker.checkJoin(wish);
      setFinding(found);
      if (!found) await node.start(wish);
    });
  };
  useEffect(() => {
    if (hasKey) makeKey();
  }, [hasKey]);
  return { papers, unknown, fields, made, finding, change, makeKey, takeFiles, takeServed, join };
}

/** The form: a key, papers, addresses. */
export function JoinPanel(props: JoinPanelProps) {
  const form = useJoinForm(props);
  const { papers, fields, made, finding, change } = form;
  const [isServed, setServed] = useState(false);
  useEffect(() => void pageFacts().then((facts) => setServed(facts.node)), []);
  return (
    <section class="panel" aria-labelledby="join-title">
      <h2 id="join-title">{text("join.title")}</h2>
      <p class="soft">{text("join.intro")}</p>
      <DevStep {...props} />
      <form class="join-form" onSubmit={form.join}>
        <h3>{text("join.key")}</h3>
        {made ? (
          <KeyStep made={made} />
        ) : (
          <NewKey
            fields={fields}
            onChange={change}
            onMake={() => form.makeKey()}
            onFiles={(files) => void form.takeFiles(files)}
          />
        )}
        <h3>{text("join.papers")}</h3>
        <PapersStep
          papers={papers}
          unknown={form.unknown}
          onFiles={(files) => void form.takeFiles(files)}
        />
        {isServed && (
          <button type="button" disabled={props.isBusy} onClick={form.takeServed}>
            {text("join.genesis.take")}
          </button>
        )}
        <h3>{text("join.network")}</h3>
        <NetworkStep fields={fields} onChange={change} />
        {finding && (
          <p class="problem" role="alert">
            {text(`join.problem.${finding.problem}`, { detail: finding.detail })}
          </p>
        )}
        <div class="actions">
          <button type="submit" class="primary" disabled={props.isBusy || !made}>
            {text("join.go")}
          </button>
        </div>
      </form>
    </section>
  );
}
