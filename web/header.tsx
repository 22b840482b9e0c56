/** The head of the page: parts, the chain that is shown, language, theme and help. */
import type { SourceKind } from "./data/source.ts";
import { addressOf } from "./address.ts";
import { ROUTES } from "./routes.ts";
import { addTexts, text } from "./texts.ts";
import { THEMES } from "./theme.ts";
import type { Shell } from "./use-shell.ts";

addTexts({
  "shell.skip": ["Skip to the content", "跳到正文"],
  "shell.parts": ["Parts of the page", "页面导航"],
  "shell.chain": ["Chain that is shown", "当前链"],
  "shell.source": ["Node", "节点"],
  "shell.source.node": ["Node of this page", "本页节点"],
  "shell.source.tab": ["Node in this tab", "浏览器内节点"],
  "shell.group": ["Group", "群组"],
  "shell.group.one": ["Group {group}", "群组 {group}"],
  "shell.height": ["Height {height}", "高度 {height}"],
  "shell.height.unknown": ["Height …", "高度 …"],
  "shell.proof": ["signed by sealers {sealers}", "由共识节点 {sealers} 签署"],
  "shell.proof.none": ["not proven", "未经证明"],
  "shell.connecting": ["Connecting", "连接中"],
  "shell.live": ["live", "实时"],
  "shell.away": ["no answer", "无应答"],
  "shell.failed": ["no chain", "无链"],
  "shell.theme": ["Theme: {theme}", "主题：{theme}"],
  "shell.theme.auto": ["as the system", "跟随系统"],
  "shell.theme.light": ["light", "浅色"],
  "shell.theme.dark": ["dark", "深色"],
  "shell.help": ["Keys and help", "快捷键与帮助"],
});

interface HeaderProps {
  readonly shell: Shell;
  /** Name of the part that is open. */
  readonly part: string;
  readonly onGroup: (groupId: number) => void;
}

const SOURCES: readonly SourceKind[] = ["node", "tab"];
const THEME_MARKS = { auto: "◐", light: "☀", dark: "☾" } as const;

/** Of a gateway's header: who signed the newest block. Block 0 is signed by nobody. */
const CERTIFICATE = /^certificate; height=\d+; sealers=([\d,]*)$/;

/** What the height rests on; nothing where a node answers itself. */
function Proof({ proof }: { readonly proof: string | undefined }) {
  if (proof === undefined) return null;
  const sealers = CERTIFICATE.exec(proof)?.[1];
  if (sealers === "") return null;
  const said =
    sealers === undefined
      ? text("shell.proof.none")
      : text("shell.proof", { sealers: sealers.replaceAll(",", ", ") });
  return (
    <span class="proof" title={proof}>
      {said}
    </span>
  );
}

function ChainPill({ shell, onGroup }: Omit<HeaderProps, "part">) {
  const { state, send } = shell;
  const { opened, source, groupId, height, trouble } = state.context;
  const word = shell.condition;
  const shown =
    height === undefined ? text("shell.height.unknown") : text("shell.height", { height });
  return (
    <fieldset class="chain" aria-label={text("shell.chain")}>
      <select
        aria-label={text("shell.source")}
        value={opened?.source.kind ?? source ?? "node"}
        onChange={({ currentTarget }) =>
          send({ type: "source.choose", kind: currentTarget.value as SourceKind })
        }
      >
        {SOURCES.map((kind) => (
          <option key={kind} value={kind}>
            {kind === "node" && opened?.source.kind === "node"
              ? opened.source.name
              : text(`shell.source.${kind}`)}
          </option>
        ))}
      </select>
      <select
        aria-label={text("shell.group")}
        value={String(groupId)}
        disabled={opened === undefined}
        onChange={({ currentTarget }) => onGroup(Number(currentTarget.value))}
      >
        {[...new Set([...(opened?.groups ?? []), groupId])].map((group) => (
          <option key={group} value={String(group)}>
            {text("shell.group.one", { group })}
          </option>
        ))}
      </select>
      <span class="height" data-height={height}>
        {shown}
      </span>
      <Proof proof={opened?.source.proof?.()} />
      <span class={`condition ${word}`} title={trouble}>
        {text(`shell.${word}`)}
      </span>
    </fieldset>
  );
}

function Switches({ shell: { state, send } }: Pick<HeaderProps, "shell">) {
  const { theme, language } = state.context;
  const nextTheme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "auto";
  const themeLabel = text("shell.theme", { theme: text(`shell.theme.${theme}`) });
  const other = language === "en" ? "zh" : "en";
  return (
    <div class="switches">
      <button
        type="button"
        class="icon"
        lang={other === "zh" ? "zh" : "en"}
        aria-label={other === "zh" ? "中文" : "English"}
        onClick={() => send({ type: "language.choose", language: other })}
      >
        {other === "zh" ? "中" : "En"}
      </button>
      <button
        type="button"
        class="icon"
        aria-label={themeLabel}
        title={themeLabel}
        onClick={() => send({ type: "theme.choose", theme: nextTheme })}
      >
        {THEME_MARKS[theme]}
      </button>
      <button
        type="button"
        class="icon"
        aria-label={text("shell.help")}
        title={text("shell.help")}
        onClick={() => send({ type: "help.toggle" })}
      >
        ?
      </button>
    </div>
  );
}

/** The head of the page. */
export function Header({ shell, part, onGroup }: HeaderProps) {
  return (
    <header class="shell">
      <a class="brand" href={addressOf("explorer")}>
        <img src="favicon.svg" alt="" width="20" height="20" />
        chain-node
      </a>
      <nav aria-label={text("shell.parts")}>
        {ROUTES.map(({ name, title }) => (
          <a key={name} href={addressOf(name)} aria-current={name === part ? "page" : undefined}>
            {text(title)}
          </a>
        ))}
      </nav>
      <ChainPill shell={shell} onGroup={onGroup} />
      <Switches shell={shell} />
    </header>
  );
}
