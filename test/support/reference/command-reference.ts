/** The reference of the command line as Markdown, from the rows of commands. */
import { inLanguage, type Language, type Words } from "./in-language.ts";
import {
  argumentsOf,
  type CommandRow,
  isParent,
  isSwitch,
  type OptionRow,
} from "../../../runtimes/node/cli/command-line.ts";
import { COMMAND_ROWS } from "../../../runtimes/node/cli/command-rows.ts";

const TITLE: Words = { en: "Command line reference", zh: "命令行参考" };
const HEAD: Words = {
  en: `Generated from the code; do not edit. To write it anew:
\`REWRITE_REFERENCE=1 npx vitest run test/runtimes/node/cli/command-reference.test.ts\`

\`chain-node -v\` prints the version, \`chain-node COMMAND --help\` the options of a command. What
a program should read goes to standard output, everything else to standard error. The exit code is
0 when the command did what was asked, 1 when it failed, and 2 when its arguments cannot be.`,
  zh: `由代码生成，请勿编辑。重新生成：
\`REWRITE_REFERENCE=1 npx vitest run test/runtimes/node/cli/command-reference.test.ts\`

\`chain-node -v\` 输出版本，\`chain-node 命令 --help\` 输出该命令的选项。
供程序读取的内容写到标准输出，其余写到标准错误。
退出码：0 表示命令已完成，1 表示失败，2 表示参数不可用。`,
};
const COLUMNS: Words = {
  en: "| Option | Default | Allowed | Meaning |\n|---|---|---|---|",
  zh: "| 选项 | 默认值 | 允许的值 | 含义 |\n|---|---|---|---|",
};
const ARGUMENT: Words = { en: "Argument", zh: "参数" };
const EXAMPLES: Words = { en: "Examples", zh: "示例" };
const REQUIRED: Words = { en: "required", zh: "必填" };
const ABSENT: Words = { en: "none", zh: "无" };
const SWITCH: Words = { en: "no value", zh: "不带值" };
const ANY: Words = { en: "any text", zh: "任意文本" };
const OR: Words = { en: " or ", zh: " 或 " };

/** What belongs to the sources and not to the program. */
const SCRIPTS: Words = {
  en: `## Scripts of the repository

They are part of a checkout, not of the installed package; each builds what it needs.

| Script | What it does |
|---|---|
| \`npm start\` | \`chain-node dev\`; options behind \`--\` |
| \`npm test\` | all tests; options behind \`--\` go to vitest |
| \`npm run check\` | types, format, lint, rules and fast tests |
| \`npm run simulate -- --help\` | the simulator: seeds, protocols, faults |
| \`npm run soak -- NAME\` | a long check; without a name, the list of them |
| \`npm run bench -- --help\` | measurements, alone or against another chain |`,
  zh: `## 仓库脚本

这些脚本属于源代码仓库，不属于已安装的软件包；每个脚本会构建自己需要的内容。

| 脚本 | 作用 |
|---|---|
| \`npm start\` | \`chain-node dev\`；选项写在 \`--\` 之后 |
| \`npm test\` | 全部测试；\`--\` 之后的选项传给 vitest |
| \`npm run check\` | 类型、格式、静态检查、规则和快速测试 |
| \`npm run simulate -- --help\` | 模拟器：种子、协议、故障 |
| \`npm run soak -- NAME\` | 长时间检查；不给名称则列出全部 |
| \`npm run bench -- --help\` | 性能测量，单独运行或与其他链对比 |`,
};

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function defaultText(row: OptionRow, language: Language): string {
  if (row.required) return REQUIRED[language];
  const text = row.shown ?? (row.fallback === undefined ? "" : String(row.fallback));
  return text === "" ? ABSENT[language] : `\`${text}\``;
}

function allowedText(row: OptionRow, language: Language): string {
  if (isSwitch(row)) return SWITCH[language];
  if (row.choices) return row.choices.map((choice) => `\`${choice}\``).join(OR[language]);
  return row.kind ? inLanguage(row.kind.allowed, language) : ANY[language];
}

function meaning(row: OptionRow, language: Language): string {
  const others = row.conflicts?.map((name) => `\`--${name}\``).join(OR[language]);
  const help = inLanguage(row.help, language);
  if (others === undefined) return help;
  return language === "en"
    ? `${help}. Not together with ${others}.`
    : `${help}。不能与 ${others} 同时使用。`;
}

function usage(row: CommandRow): string {
  const { name, options } = row;
  const given = argumentsOf(row).map((argument) => ` ${argument.name}`);
  const needed = options.filter(({ required }) => required).map(({ flags }) => ` ${flags}`);
  return `chain-node ${name}${[...given, ...needed].join("")} [options]`;
}

function commandText(row: CommandRow, language: Language): string {
  const { options, examples } = row;
  const parts = [`## chain-node ${row.name}`, `\`${usage(row)}\``, sentence(row.help, language)];
  for (const argument of argumentsOf(row)) {
    const colon = language === "en" ? ": " : "：";
    const text = sentence(argument.help, language);
    parts.push(`${ARGUMENT[language]} \`${argument.name}\`${colon}${text}`);
  }
  const rows = options.map((option) => {
    const cells = [`\`${option.flags}\``, defaultText(option, language)];
    cells.push(allowedText(option, language), meaning(option, language));
    return `| ${cells.map(cell).join(" | ")} |`;
  });
  if (rows.length > 0) parts.push([COLUMNS[language], ...rows].join("\n"));
  if (examples.length > 0) {
    const lines = examples.map((example) => `chain-node ${example}`);
    parts.push(`${EXAMPLES[language]}:`, ["```sh", ...lines, "```"].join("\n"));
  }
  return parts.join("\n\n");
}

function sentence(help: string, language: Language): string {
  const text = inLanguage(help, language);
  return language === "en" ? `${text.charAt(0).toUpperCase()}${text.slice(1)}.` : `${text}。`;
}

/** The page in one language. */
export function commandReference(language: Language): string {
  // A parent of commands has nothing of its own to say.
  const commands = COMMAND_ROWS.filter((row) => !isParent(row)).map((row) =>
    commandText(row, language),
  );
  const parts = [`# ${TITLE[language]}`, HEAD[language], ...commands, SCRIPTS[language]];
  return `${parts.join("\n\n")}\n`;
}
