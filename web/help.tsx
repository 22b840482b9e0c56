/** The keys of the page, shown on `?`. Parts add their own. */
import { Dialog } from "./parts/dialog.tsx";
import { addTexts, text } from "./texts.ts";

addTexts({
  "help.title": ["Keys", "快捷键"],
  "help.everywhere": ["Everywhere", "所有页面"],
  "help.search": ["Search for a block, transaction or address", "搜索区块、交易或地址"],
  "help.help": ["Show or hide this list", "显示或隐藏此列表"],
  "help.close": ["Close dialogs and menus", "关闭对话框和菜单"],
  "help.move": ["Move between links and fields", "在链接和输入框之间移动"],
});

/** Keys, and the key of the text that says what they do. */
interface KeyHelp {
  readonly keys: string;
  readonly title: string;
}

const SHELL: readonly KeyHelp[] = [
  { keys: "/", title: "help.search" },
  { keys: "?", title: "help.help" },
  { keys: "Esc", title: "help.close" },
  { keys: "Tab", title: "help.move" },
];
const ofParts = new Map<string, readonly KeyHelp[]>();

/** Adds the keys of a part, by the name of its route. */
export function addKeys(part: string, keys: readonly KeyHelp[]): void {
  ofParts.set(part, keys);
}

function KeyList({ title, keys }: { readonly title: string; readonly keys: readonly KeyHelp[] }) {
  return (
    <>
      <h3>{title}</h3>
      <dl class="keys">
        {keys.map((it) => (
          <div key={it.keys}>
            <dt>
              <kbd>{it.keys}</kbd>
            </dt>
            <dd>{text(it.title)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** The list; the keys of the part that is open stand first. */
export function Help({ part, onClose }: { readonly part: string; readonly onClose: () => void }) {
  const own = ofParts.get(part);
  return (
    <Dialog title={text("help.title")} onClose={onClose}>
      {own && <KeyList title={text(`nav.${part}`)} keys={own} />}
      <KeyList title={text("help.everywhere")} keys={SHELL} />
    </Dialog>
  );
}

/** Fields that nothing is typed into. */
const PRESSED: ReadonlySet<string> = new Set(["checkbox", "radio", "range", "button", "file"]);

/** Whether a key is being typed into a field, where it is no shortcut. */
export function isTyping({ target }: Event): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !PRESSED.has(target.type);
  return target.isContentEditable || target instanceof HTMLTextAreaElement;
}
