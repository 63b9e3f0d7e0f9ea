/** Shows the declaration of a name as users need it: types and comments, without bodies and private members. */

/** A place in the sources. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

/** Finds declarations. */
export interface Sources {
  readonly read: (file: string) => string;
  /** Where a name that a file uses is declared; undefined if users import it themselves, or if it is not ours. */
  readonly find: (name: string, from: string) => Place | undefined;
}

/** The declaration at a place, with the declarations behind it that users cannot look up: bases, and the types of parameters. */
export function signatureAt(place: Place, sources: Sources): string {
  return partsAt(place, sources, new Set()).join("\n\n");
}

function partsAt(place: Place, sources: Sources, seen: Set<string>): readonly string[] {
  const id = `${place.file}:${place.line}`;
  if (seen.has(id)) return [];
  seen.add(id);
  const own = declarationIn(
    sources
      .read(place.file)
      .split("\n")
      .slice(place.line - 1),
  );
  const behind = neededBy(own, seen.size > 1).flatMap((name) => sources.find(name, place.file) ?? []);
  return [own, ...behind.flatMap((next) => partsAt(next, sources, seen))];
}

function declarationIn(lines: readonly string[]): string {
  const first = (lines[0] ?? "").replace(/^export (?:declare )?/u, "");
  const whole = [first, ...lines.slice(1)];
  if (/^(?:async )?function/u.test(first)) return functionIn(whole);
  if (/^(?:abstract )?class/u.test(first)) return classIn(whole);
  if (first.startsWith("interface")) return interfaceIn(whole);
  if (first.startsWith("type")) return balanced(whole, (line) => line.endsWith(";"));
  return constIn(whole);
}

/** The overloads of a function, or its head: the line of the head that opens the body ends with a brace of its own. */
function functionIn(lines: readonly string[]): string {
  const name = /function\*? (\w+)/u.exec(lines[0] ?? "")?.[1] ?? "";
  const heads: string[] = [];
  let rest = lines;
  for (;;) {
    const end = rest.findIndex((line) => /^\S.*(?:;|[^:<|&=(,\s] \{)$/u.test(line));
    const head = rest.slice(0, end + 1).join("\n");
    const isOverload = head.endsWith(";");
    if (isOverload || heads.length === 0) heads.push(head.replace(/ \{$/u, ";"));
    rest = rest.slice(end + 1);
    if (!isOverload || end < 0) break;
    const next = rest.findIndex((line) => new RegExp(String.raw`^(?:export )?function ${name}\b`, "u").test(line));
    if (next < 0) break;
    rest = [(rest[next] ?? "").replace(/^export /u, ""), ...rest.slice(next + 1)];
  }
  return heads.map((head) => head.replace(/^async /u, "")).join("\n");
}

/** The public members of a class: bodies are left out, as are members that are private or of no use outside. */
function classIn(lines: readonly string[]): string {
  const kept: string[] = [];
  let comment: string[] = [];
  let isInBody = false;
  for (const line of lines.slice(1, lines.indexOf("}"))) {
    if (isInBody) isInBody = line !== "  }" && line !== "  };";
    else if (/^ {2}(?:\/\*\*| \*|\/\/)/u.test(line)) comment.push(line);
    else {
      const opens = /[^:<|&=(,\s] \{$/u.test(line);
      const isHidden = /^ {2}(?:static )?(?:readonly |async |get |\*)*#|^ {2}private /u.test(line);
      if (!isHidden && line.trim() !== "") kept.push(...comment, opens ? line.replace(/ \{$/u, ";") : line);
      comment = [];
      isInBody = opens;
    }
  }
  return [lines[0], ...kept, "}"].join("\n");
}

function interfaceIn(lines: readonly string[]): string {
  if (lines[0]?.endsWith("}") === true) return lines[0] ?? "";
  return lines.slice(0, lines.indexOf("}") + 1).join("\n");
}

/** The name and type of a value; the value only where it is short and there is no type. */
function constIn(lines: readonly string[]): string {
  // An object is shown as a whole: its members are what users call.
  if (/^const \w+ = \{$/u.test(lines[0] ?? ""))
    return lines.slice(0, lines.findIndex((line) => line.startsWith("}")) + 1).join("\n");
  const head = balanced(lines, (line) => / (?:=|=>)(?: |$)/u.test(line));
  const [, typed] = /^(const \w+: [\s\S]*?) = /u.exec(`${head} `) ?? [];
  return `${typed ?? head.replace(/ =>[\s\S]*$/u, "").replace(/;$/u, "")};`;
}

/** The lines until one at which all brackets are closed and that ends the declaration. */
function balanced(lines: readonly string[], isEnd: (line: string) => boolean): string {
  let depth = 0;
  let isInComment = false;
  for (const [at, line] of lines.entries()) {
    isInComment ||= /^\s*\/\*\*/u.test(line);
    const code = isInComment ? "" : line.replaceAll(/"[^"]*"|`[^`]*`|\/\/.*$/gu, "");
    if (line.includes("*/")) isInComment = false;
    depth += (code.match(/[([{]/gu)?.length ?? 0) - (code.match(/[)\]}]/gu)?.length ?? 0);
    if (depth <= 0 && isEnd(line)) return lines.slice(0, at + 1).join("\n");
  }
  return lines[0] ?? "";
}

/**
 * The names that a reader looks up next: after `extends` and in options of an interface, in the parameters of a function, in the type of
 * a value, in an alias, and in the parts of a type behind these.
 */
function neededBy(declaration: string, isBehind: boolean): readonly string[] {
  if (declaration.startsWith("function"))
    return namesIn(declaration.slice(declaration.indexOf("(")).replace(/\): [^)]*;$/u, ""));
  const isAlias = /^type \w+ = [\w<>, ]+(?: & [\w<>, ]+)*;$/u.test(declaration);
  if (declaration.startsWith("type"))
    return isBehind || isAlias
      ? namesIn(declaration.slice(declaration.indexOf(" = ")).replaceAll(/[:,<] *[A-Z]\w*/gu, ""))
      : [];
  if (declaration.startsWith("const")) return namesIn(declaration.split(/ = /u)[0] ?? "");
  const [, list = ""] = /^interface [^{]*?\bextends ([^{]*)\{/u.exec(declaration) ?? [];
  const options = [...declaration.matchAll(/\?: ([A-Z]\w*)/gu)].map(([, name = ""]) => name);
  return [...new Set([...namesIn(list.replaceAll(/<[^{]*?>(?=[,\s]|$)/gu, "")), ...options])];
}

function namesIn(text: string): readonly string[] {
  return [...new Set(text.match(/(?<![.\w"`])[A-Z][a-z]\w*/gu))];
}
