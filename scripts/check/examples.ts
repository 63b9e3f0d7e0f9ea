/** Every name that users import has an example in its doc comment, and the compiler checks all of them. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import type { Finding } from "./findings.ts";
import { run } from "./run.ts";
import { lineAt } from "./sources.ts";

/** An export of a module: its name, and its declaration or source module. */
export interface Exported {
  readonly name: string;
  readonly original: string;
  /** The module that it is exported from; undefined if it is declared in the same file. */
  readonly from: string | undefined;
}

/** A name that users import. */
export interface PublicName {
  readonly name: string;
  /** The specifier that users write after `from`. */
  readonly module: string;
  /** The file of the declaration. */
  readonly file: string;
  readonly line: number;
  /** Its doc comment. */
  readonly comment: string;
  /** The code of its examples. */
  readonly examples: readonly string[];
}

/** Reads the text of a file, and finds the file of a package name. */
export interface Files {
  readonly read: (file: string) => string;
  readonly resolve: (specifier: string) => string | undefined;
}

/** The names in the export lists and the exported declarations of a module. */
export function exportsOf(text: string): readonly Exported[] {
  const listed = [...text.matchAll(/^export (?:type )?\{([^}]*)\}(?: from "([^"]+)")?;/gmu)].flatMap(
    ([, names = "", from]) =>
      names
        .split(",")
        .map((entry) => entry.trim())
        .filter((entry) => entry !== "")
        .map((entry) => {
          const [original = "", name = original] = entry.replace(/^type /u, "").split(" as ");
          return { name, original, from };
        }),
  );
  const declared = [...text.matchAll(DECLARATION)].map(([, name = ""]) => ({ name, original: name, from: undefined }));
  return [...listed, ...declared];
}

const DECLARATION = /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|class|interface|type) (\w+)/gmu;

/** All names of an entry point, with their declarations and examples. */
export function publicNames(module: string, entry: string, files: Files): readonly PublicName[] {
  const names = new Map(exportsOf(files.read(entry)).map(({ name }) => [name, declarationOf(name, entry, files)]));
  return [...names].map(([name, { file, line, comment }]) => ({
    name,
    module,
    file,
    line,
    comment,
    examples: examplesIn(comment),
  }));
}

interface Declaration {
  readonly file: string;
  readonly line: number;
  readonly comment: string;
}

function declarationOf(name: string, file: string, files: Files): Declaration {
  const text = files.read(file);
  const found = exportsOf(text).find((each) => each.name === name);
  if (found?.from !== undefined) {
    const next = found.from.startsWith(".") ? posix.join(posix.dirname(file), found.from) : files.resolve(found.from);
    return next === undefined ? { file, line: 1, comment: "" } : declarationOf(found.original, next, files);
  }
  const pattern = new RegExp(
    String.raw`^(?:export )?(?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|class|interface|type) ${found?.original ?? name}\b`,
    "mu",
  );
  const at = text.search(pattern);
  return { file, line: lineAt(text, Math.max(0, at)), comment: at < 0 ? "" : commentBefore(text, at) };
}

/** Where a type that a file declares or imports is declared; undefined if it is not in these packages. */
export function whereIs(
  name: string,
  file: string,
  files: Files,
): { readonly file: string; readonly line: number } | undefined {
  const text = files.read(file);
  const at = text.search(new RegExp(String.raw`^(?:export )?(?:interface|type) ${name}\b`, "mu"));
  if (at >= 0) return { file, line: lineAt(text, at) };
  for (const [, names = "", from = ""] of text.matchAll(/^(?:im|ex)port (?:type )?\{([^}]*)\} from "([^"]+)";/gmu)) {
    if (!wordsOf(names).includes(name)) continue;
    const next = from.startsWith(".") ? posix.join(posix.dirname(file), from) : files.resolve(from);
    return next === undefined ? undefined : whereIs(name, next, files);
  }
  return undefined;
}

/** The doc comment that ends right before a position. */
function commentBefore(text: string, at: number): string {
  const before = text.slice(0, at).trimEnd();
  if (!before.endsWith("*/")) return "";
  return before.slice(before.lastIndexOf("/**"));
}

/** The code of the `@example` blocks of a doc comment: each extends to the next tag or to the end. */
export function examplesIn(comment: string): readonly string[] {
  const lines = comment
    .replace(/\*\/$/u, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\*(?: |$)/u, ""));
  const examples: string[][] = [];
  let current: string[] | undefined;
  for (const line of lines) {
    if (/^@\w+/u.test(line)) current = undefined;
    if (line.startsWith("@example")) examples.push((current = []));
    else if (current !== undefined && !line.startsWith("```")) current.push(line);
  }
  return examples.map((example) => example.join("\n").trim()).filter((example) => example !== "");
}

/** The TypeScript examples of a page, to be compiled like those of names. */
export function examplesOfPage(file: string, text: string): readonly PublicName[] {
  const page = posix.basename(file, ".md");
  return [...text.matchAll(/<!-- example -->\n\n```ts\n([\s\S]*?)```/gu)].map(({ 1: example = "", index }, at) => ({
    name: `${page}-${at + 1}`,
    module: page,
    file,
    line: lineAt(text, index),
    comment: "",
    examples: [example],
  }));
}

/** Names that every example may use without an import. */
const SCENE: { readonly [name: string]: string } = {
  Memcached: "./scene.ts",
  memcached: "./scene.ts",
  app: "./scene.ts",
  ConfigMap: "capstan/kinds/v1",
  Pod: "capstan/kinds/v1",
  Secret: "capstan/kinds/v1",
  Service: "capstan/kinds/v1",
  Deployment: "capstan/kinds/apps/v1",
  assert: "node:assert/strict",
};

const SCENE_FILE = `import { controller, defineResource, operator, s } from "capstan";
import { ConfigMap, Pod, Secret, Service } from "capstan/kinds/v1";
import { Deployment } from "capstan/kinds/apps/v1";

export const Memcached = defineResource({
  group: "cache.example.com",
  version: "v1",
  kind: "Memcached",
  spec: s.object({ size: s.int32().min(0).default(1), image: s.string().default("memcached:1.6") }),
  status: s.object({ nodes: s.array(s.string()).default([]) }),
  conditions: { Available: "As many servers answer as were asked for" },
});

export const memcached = controller(Memcached, { owns: [Deployment, ConfigMap, Secret, Service], reads: [Pod] }, () => undefined);
export const app = operator({ name: "memcached-operator", controllers: [memcached] });
`;

/** The module that the compiler checks for one example: names that it uses are imported from where users import them. */
export function moduleOf(example: string, known: ReadonlyMap<string, string>, own: PublicName): string {
  const imported = new Set(
    [...example.matchAll(/^import (?:type )?\{([^}]*)\}/gmu)].flatMap(([, names = ""]) => wordsOf(names)),
  );
  const declared = new Set(
    [...example.matchAll(/\b(?:const|let|function|class|type|interface) (\w+)/gu)].map(([, name = ""]) => name),
  );
  const from = new Map<string, string[]>();
  for (const name of new Set(
    wordsOf(example.replaceAll(/"(?:[^"\\\n]|\\.)*"/gu, '""').replaceAll(/(?<!\.)\.\w+/gu, "")),
  )) {
    const module = name === own.name ? own.module : (known.get(name) ?? SCENE[name]);
    if (module === undefined || imported.has(name) || declared.has(name)) continue;
    from.set(module, [...(from.get(module) ?? []), name]);
  }
  const imports = [...from].map(([module, names]) =>
    module.startsWith("node:")
      ? `import ${names.join()} from "${module}";`
      : `import { ${names.join(", ")} } from "${module}";`,
  );
  return [...imports, example, "export {};", ""].join("\n");
}

function wordsOf(text: string): readonly string[] {
  return [...text.matchAll(/\b[A-Za-z_$][\w$]*/gu)].map(([word]) => word);
}

/** Names without an example, and compile errors of examples. */
export async function checkExamples(names: readonly PublicName[], folder: string): Promise<readonly Finding[]> {
  const missing = names
    .filter(({ examples }) => examples.length === 0)
    .map(({ name, module, file, line }) => ({
      file,
      line,
      problem: `\`${name}\` of "${module}" has no example`,
      cure: "write an `@example` block into its doc comment",
    }));
  return [...missing, ...(await compileExamples(names, folder))];
}

async function compileExamples(names: readonly PublicName[], folder: string): Promise<readonly Finding[]> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // Examples of other names import a name from the first module in the list that exports it.
  const known = new Map([...names].reverse().map(({ name, module }) => [name, module]));
  const written = new Map<string, PublicName>();
  for (const own of names) {
    for (const example of own.examples) {
      // Numbered, because names such as `controller` and `Controller` differ only in case.
      const file = `${written.size}-${own.name}.ts`;
      written.set(file, own);
      writeFileSync(join(folder, file), moduleOf(example, known, own));
    }
  }
  writeFileSync(join(folder, "scene.ts"), SCENE_FILE);
  const root = posix.relative(folder, ".");
  const options = {
    noEmit: true,
    verbatimModuleSyntax: false,
    noImplicitReturns: false,
    incremental: true,
    tsBuildInfoFile: "../tsc/examples.tsbuildinfo",
  };
  const config = { extends: `${root}/tsconfig.base.json`, compilerOptions: options, include: ["*.ts"], exclude: [] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const { code, output } = await run("node_modules/.bin/tsc", ["-p", folder, "--pretty", "false"]);
  const findings = output.split("\n").flatMap((line) => {
    const [, file = "", message = ""] = /([^/\s(]+\.ts)\(\d+,\d+\): error (.*)/u.exec(line) ?? [];
    const own = written.get(file);
    if (own === undefined) return [];
    const problem = `the example of \`${own.name}\` does not compile: ${message}`;
    return [{ file: own.file, line: own.line, problem, cure: `correct it; the whole module is ${folder}/${file}` }];
  });
  if (code === 0 || findings.length > 0) return findings;
  return [{ file: folder, problem: `the examples do not compile: ${output.trim()}`, cure: "see the compiler's words" }];
}
