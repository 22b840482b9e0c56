/** Which members of a type the sources read, by the compiler's types and not by names. */
import { join } from "node:path";
import ts from "typescript";
import { ROOT, visit } from "./source-tree.ts";

/** An exported type, and members below it: each path leads from the type to one of them. */
export interface MemberPaths {
  readonly file: string;
  readonly type: string;
  readonly paths: readonly (readonly string[])[];
}

function programOf(files: readonly string[]): ts.Program {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    lib: ["lib.es2023.d.ts"],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
    strict: true,
    types: [],
    // The declarations of packages take long to read and declare nothing that is asked for.
    noResolve: true,
  };
  const host = ts.createCompilerHost(options);
  host.jsDocParsingMode = ts.JSDocParsingMode.ParseNone;
  return ts.createProgram(
    files.map((file) => join(ROOT, file)),
    options,
    host,
  );
}

function sourceOf(program: ts.Program, file: string): ts.SourceFile {
  const source = program.getSourceFile(join(ROOT, file));
  if (source === undefined) throw new Error(`${file} is not among the sources`);
  return source;
}

/** The declarations along a path, one step each. */
function stepsOf(
  checker: ts.TypeChecker,
  start: ts.Type,
  path: readonly string[],
): (readonly ts.Declaration[])[] {
  let type = start;
  return path.map((name) => {
    const member = checker.getPropertyOfType(checker.getNonNullableType(type), name);
    if (member === undefined) throw new Error(`there is no ${path.join(".")}`);
    type = checker.getTypeOfSymbol(member);
    return member.declarations ?? [];
  });
}

function typeOf(program: ts.Program, { file, type }: MemberPaths): ts.Type {
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(sourceOf(program, file));
  const found = module && checker.tryGetMemberInModuleExports(type, module);
  if (found === undefined) throw new Error(`${file} has no type ${type}`);
  return checker.getDeclaredTypeOfSymbol(found);
}

/** The member that a node reads: `a.member`, or `{ member }` taken apart. A copy is no read. */
function memberRead(checker: ts.TypeChecker, node: ts.Node, isAsked: (name: string) => boolean) {
  if (ts.isPropertyAccessExpression(node)) {
    return isAsked(node.name.text) ? checker.getSymbolAtLocation(node.name) : undefined;
  }
  if (!ts.isBindingElement(node) || !ts.isObjectBindingPattern(node.parent)) return undefined;
  const name = node.propertyName ?? node.name;
  if (node.dotDotDotToken || !(ts.isIdentifier(name) || ts.isStringLiteral(name))) return undefined;
  if (!isAsked(name.text)) return undefined;
  return checker.getPropertyOfType(checker.getTypeAtLocation(node.parent), name.text);
}

/**
 * The paths of which no reader reads every step, as `Type.a.b`.
 *
 * @param files all sources that the types need, the readers included
 * @param readers the files in which a read counts; those that read most come first
 */
export function unreadPaths(
  files: readonly string[],
  readers: readonly string[],
  asked: readonly MemberPaths[],
): string[] {
  const program = programOf(files);
  const checker = program.getTypeChecker();
  const paths = asked.flatMap((members) =>
    members.paths.map((path) => {
      const steps = stepsOf(checker, typeOf(program, members), path);
      return { name: [members.type, ...path].join("."), path, steps };
    }),
  );
  const open = new Map<string, Set<ts.Declaration>>();
  for (const { path, steps } of paths) {
    for (const [index, name] of path.entries()) {
      const declarations = open.get(name) ?? new Set();
      for (const declaration of steps[index] ?? []) declarations.add(declaration);
      open.set(name, declarations);
    }
  }
  // Types are worked out only where a name that is still open stands: the rest costs nothing.
  const isAsked = (name: string) => (open.get(name)?.size ?? 0) > 0;
  for (const reader of readers) {
    visit(sourceOf(program, reader), (node) => {
      const member = memberRead(checker, node, isAsked);
      for (const found of member?.declarations ?? []) open.get(member?.name ?? "")?.delete(found);
    });
  }
  const isUnread = (name: string, declarations: readonly ts.Declaration[] = []) =>
    declarations.some((declaration) => open.get(name)?.has(declaration));
  return paths
    .filter(({ path, steps }) => path.some((name, index) => isUnread(name, steps[index])))
    .map(({ name }) => name);
}
