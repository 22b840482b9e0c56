/** The reference of all configuration keys as Markdown, from the schemas. */
import type { Key, Schema, Section } from "../../../runtimes/formats/config/config-schema.ts";
import { GENESIS_SCHEMA } from "../../../runtimes/formats/config/config-schema-genesis.ts";
import { GROUP_SCHEMA } from "../../../runtimes/formats/config/config-schema-group.ts";
import { NODE_SCHEMA } from "../../../runtimes/formats/config/config-schema-node.ts";
import { inLanguage, type Language, type Words } from "./in-language.ts";

/** One kind of configuration file. */
export interface ConfigFileKind {
  readonly help: string;
  readonly name: string;
  readonly schema: Schema;
}

/** All kinds of configuration files. */
export const CONFIG_FILES: readonly ConfigFileKind[] = [
  {
    name: "config.ini",
    schema: NODE_SCHEMA,
    help: "One for each node, in its folder. Changes need a restart unless a key says otherwise.",
  },
  {
    name: "conf/group.N.genesis",
    schema: GENESIS_SCHEMA,
    help: "One for each group, the same on all its members; `group.id` and a sealer are required.",
  },
  {
    name: "conf/group.N.ini",
    schema: GROUP_SCHEMA,
    help: "One for each group and node. Changes need a stop and a start of the group.",
  },
];

const TITLE: Words = { en: "Configuration reference", zh: "配置参考" };
const HEAD: Words = {
  en: `Generated from the code; do not edit. To write it anew:
\`REWRITE_REFERENCE=1 npx vitest run test/runtimes/folder/config-reference.test.ts\`

Names of sections and keys are case-sensitive. A line that begins with \`;\` or \`#\` is a comment.
A section and a key appear once in a file. An empty value is an absent one. A wrong value ends the
start with a line that names file, line, section, key, value and what is allowed; an unknown key is
a warning. A name that ends in \`.<i>\` is a list: \`.0\`, \`.1\` and so on, in file order.`,
  zh: `由代码生成，请勿编辑。重新生成：
\`REWRITE_REFERENCE=1 npx vitest run test/runtimes/folder/config-reference.test.ts\`

节名与键名区分大小写。以 \`;\` 或 \`#\` 开头的行是注释。同一文件中节与键只出现一次。空值等同于未设置。
错误的值会终止启动，并给出文件、行号、节、键、值以及允许的内容；
未知的键只产生警告。
以 \`.<i>\` 结尾的名称是列表：\`.0\`、\`.1\` 等，按文件中的顺序。`,
};
const COLUMNS: Words = {
  en: "| Key | Default | Allowed | Meaning |\n|---|---|---|---|",
  zh: "| 键 | 默认值 | 允许的值 | 含义 |\n|---|---|---|---|",
};
const LEGACY: Words = { en: "Older name of the section", zh: "旧节名" };
const EMPTY: Words = { en: "empty", zh: "空" };
const FORGIVING: Words = {
  en: "A value that is not allowed is replaced by the default, with a warning.",
  zh: "不允许的值会被默认值替换，并给出警告。",
};
const SKIPPED: Words = {
  en: "An item that is not allowed is skipped, with a warning.",
  zh: "不允许的条目会被跳过，并给出警告。",
};
const RELOADABLE: Words = { en: "Reloadable.", zh: "可热加载。" };
const NO_EFFECT: Words = { en: "No effect in this node.", zh: "在本节点中无作用。" };
const OURS: Words = { en: "Only of this node.", zh: "本节点独有。" };
const REFUSED: Words = { en: "Refused", zh: "拒绝" };

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function defaultText({ kind, item, fallback, notes }: Key<unknown>, language: Language): string {
  if (notes.shown) return inLanguage(notes.shown, language);
  const text = item ? "" : kind.write(fallback);
  return text === "" ? EMPTY[language] : `\`${text}\``;
}

function meaning({ item, notes }: Key<unknown>, language: Language): string {
  const sentences = [inLanguage(notes.help, language)];
  const { notOffered } = notes;
  if (notOffered) sentences.push(`${REFUSED[language]}: ${inLanguage(notOffered.help, language)}.`);
  if (notes.forgiving) sentences.push((item ? SKIPPED : FORGIVING)[language]);
  if (notes.reloadable) sentences.push(RELOADABLE[language]);
  if (notes.noEffect) sentences.push(NO_EFFECT[language]);
  if (notes.ours) sentences.push(OURS[language]);
  return sentences.join(language === "en" ? " " : "");
}

function sectionText(name: string, section: Section, language: Language): string {
  const legacy = section.legacy && `${LEGACY[language]}: \`[${section.legacy}]\`.`;
  const rows = Object.entries(section.keys).map(([key, row]) => {
    const { allowed } = row.kind;
    const cells = [`\`${key}\``, defaultText(row, language), inLanguage(allowed, language)];
    return `| ${[...cells, meaning(row, language)].map(cell).join(" | ")} |`;
  });
  const intro = [inLanguage(section.help, language), legacy].filter(Boolean).join(" ");
  return [`### [${name}]`, intro, [COLUMNS[language], ...rows].join("\n")].join("\n\n");
}

/** The page in one language. */
export function configReference(language: Language): string {
  const files = CONFIG_FILES.map((file) => {
    const sections = Object.entries(file.schema).map(([name, section]) =>
      sectionText(name, section, language),
    );
    return [`## ${file.name}`, inLanguage(file.help, language), ...sections].join("\n\n");
  });
  return `${[`# ${TITLE[language]}`, HEAD[language], ...files].join("\n\n")}\n`;
}
