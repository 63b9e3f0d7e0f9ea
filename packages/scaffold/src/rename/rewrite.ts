/** Rewrites what people wrote when a kind gets another name: what means the kind, and no word that only looks like it. */
import { clausesOf, fileMeant } from "./modules.ts";
import { type Edit, renamesOf, withEdits } from "./names.ts";
import { type Token, tokensOf } from "./tokens.ts";

/** A name of a kind in its group. */
export interface KindName {
  readonly kind: string;
  readonly plural: string;
  readonly group: string;
}

/** What changes in a project. */
export interface Renaming {
  readonly from: KindName;
  readonly to: KindName;
  /** Files that are called otherwise, from the root of the project. */
  readonly moved: ReadonlyMap<string, string>;
  /** What files of the project export under another name, by their old paths. */
  readonly exports: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Files that speak of this kind only, by their old paths. */
  readonly own: ReadonlySet<string>;
}

/** A file of a project with what its people wrote, for the new name. */
export function rewrite(path: string, text: string, renaming: Renaming): string {
  const isSource = /\.[cm]?[jt]s$/.test(path);
  const rewritten = isSource ? rewriteSource(path, text, renaming) : rewritePaths(text, renaming);
  return rewriteKind(renaming.own.has(path) ? rewriteOwn(rewritten, renaming) : rewritten, renaming);
}

function rewriteSource(path: string, text: string, renaming: Renaming): string {
  const tokens = tokensOf(text);
  const quoted = tokens.filter(({ sort }) => sort === "string").flatMap((token) => pathEdit(token, path, renaming));
  const imported = importEdits(tokens, path, renaming);
  const made = [...(renaming.exports.get(path) ?? [])].map(([from, to]) => ownEdits(tokens, { from, to, text }));
  const edits = [...quoted, ...imported, ...made.flatMap(({ edits: own }) => own)];
  return withEdits(text, edits) + made.map(({ ending }) => ending).join("");
}

function pathEdit({ text, start, end }: Token, path: string, { moved }: Renaming): Edit[] {
  const file = fileMeant(text, path);
  const target = moved.get(file);
  if (target === undefined) return [];
  const [was, is] = [file, target].map((one) => one.slice(one.lastIndexOf("/") + 1).replace(/\.ts$/, ""));
  return [{ start, end, text: text.replace(new RegExp(`${escape(was ?? "")}(?=[^/]*$)`), is ?? "") }];
}

/** What a file takes from the kind's files. Where a new name cannot be used in it, the old one stays, as an alias. */
function importEdits(tokens: readonly Token[], path: string, { exports }: Renaming): Edit[] {
  return clausesOf(tokens, path).flatMap(({ verb, from, listed }) => {
    const names = from === undefined ? undefined : exports.get(from);
    return listed.flatMap(({ token, as }) => {
      const to = names?.get(token.text);
      if (to === undefined) return [];
      const { start, end, text } = token;
      if (as !== undefined) return [{ start, end, text: to }];
      const uses = verb === "export" ? undefined : renamesOf(tokens, text, to);
      if (uses === undefined) return [{ start, end, text: `${to} as ${text}` }];
      return [{ start, end, text: to }, ...uses, ...listedEdits(tokens, path, { from: text, to })];
    });
  });
}

/** A file that re-exports a name keeps the exported name. */
function listedEdits(tokens: readonly Token[], path: string, { from, to }: { from: string; to: string }): Edit[] {
  return clausesOf(tokens, path)
    .filter((clause) => clause.verb === "export" && clause.from === undefined)
    .flatMap(({ listed }) => listed)
    .filter(({ token }) => token.text === from)
    .map(({ token: { start, end }, as }) => ({ start, end, text: as === undefined ? `${to} as ${from}` : to }));
}

/** What the kind's own file exports. */
function ownEdits(
  tokens: readonly Token[],
  { from, to, text }: { readonly from: string; readonly to: string; readonly text: string },
): { readonly edits: readonly Edit[]; readonly ending: string } {
  const edits = renamesOf(tokens, from, to);
  const listed = clausesOf(tokens, "")
    .filter((clause) => clause.verb === "export" && clause.from === undefined)
    .flatMap((clause) => clause.listed.filter(({ token }) => token.text === from))
    .map(({ token: { start, end }, as }) => ({ start, end, as }));
  if (edits !== undefined) return { edits: [...edits, ...listed.map((one) => ({ ...one, text: to }))], ending: "" };
  const declared = new RegExp(String.raw`^export (?=const ${escape(from)}\b)`, "m").exec(text);
  if (declared !== null) {
    const { index } = declared;
    return {
      edits: [{ start: index, end: index + "export ".length, text: "" }],
      ending: `\nexport { ${from} as ${to} };\n`,
    };
  }
  const aliased = listed.filter(({ as }) => as === undefined).map((one) => ({ ...one, text: `${from} as ${to}` }));
  return { edits: aliased, ending: "" };
}

/** Paths in documents and settings. */
function rewritePaths(text: string, { moved }: Renaming): string {
  return replaceAll(text, [...moved], { before: String.raw`\w|-|[\w-]/|\.\./`, after: String.raw`[\w/-]|\.\w` });
}

/** In the kind's own files, its group and its name as texts are its own. */
function rewriteOwn(text: string, { from, to }: Renaming): string {
  const field = (name: string, was: string, is: string): ((text: string) => string) => {
    const expression = new RegExp(String.raw`(\b${name}:\s*)(["'])${escape(was)}\2`, "g");
    return (one) => one.replaceAll(expression, (_, head: string, quote: string) => `${head}${quote}${is}${quote}`);
  };
  const named = field("plural", from.plural, to.plural)(field("kind", from.kind, to.kind)(text));
  return replaceAll(named, [[from.group, to.group]], domain);
}

/** The name of the CRD, and the kind beside its group: in every file they mean this kind and no other. */
function rewriteKind(text: string, { from, to }: Renaming): string {
  const named = replaceAll(text, [[`${from.plural}.${from.group}`, `${to.plural}.${to.group}`]], domain);
  const quote = `["']?`;
  const group = `(${quote}apiVersion${quote}:\\s*${quote})(?:${escape(from.group)}|${escape(to.group)})(/\\w+${quote})`;
  const kind = `(${quote}kind${quote}:\\s*${quote})${escape(from.kind)}(?!\\w)`;
  return named
    .replaceAll(new RegExp(`${group}(,?\\s+)${kind}`, "g"), (_, ...parts: string[]) => {
      const [head, version, between, tail] = parts;
      return `${head}${to.group}${version}${between}${tail}${to.kind}`;
    })
    .replaceAll(new RegExp(`${kind}(${quote},?\\s+)${group}`, "g"), (_, ...parts: string[]) => {
      const [head, between, tail, version] = parts;
      return `${head}${to.kind}${between}${tail}${to.group}${version}`;
    });
}

/** The characters that must not surround a word. */
interface Border {
  readonly before: string;
  readonly after: string;
}

/** Names of domains; a full stop may end a sentence. */
const domain: Border = { before: String.raw`[\w.-]`, after: String.raw`[\w-]|\.\w` };

function replaceAll(text: string, pairs: readonly (readonly [string, string])[], { before, after }: Border): string {
  return pairs
    .filter(([from, to]) => from !== to)
    .reduce((made, [from, to]) => {
      const expression = new RegExp(`(?<!${before})${escape(from)}(?!${after})`, "g");
      return made.replaceAll(expression, () => to);
    }, text);
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
