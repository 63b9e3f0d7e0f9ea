/** Checks the layers: imports go only where layers.json allows, and package.json agrees with them. */
import { builtinModules } from "node:module";
import type { Finding } from "./findings.ts";
import { matches } from "./glob.ts";
import { lineAt, type Source, withoutTemplates } from "./sources.ts";

export interface Rule {
  readonly room: string;
  readonly may: readonly string[];
  readonly sentence: string;
}

export interface Layers {
  readonly rules: readonly Rule[];
  readonly testsMay: readonly Rule[];
  readonly pure: { readonly sentence: string; readonly rooms: readonly string[]; readonly except?: readonly string[] };
  readonly effects: { readonly sentence: string; readonly allowed: readonly string[] };
}

export interface Manifest {
  readonly room: string;
  readonly name: string;
  readonly dependencies: readonly string[];
  readonly devDependencies: readonly string[];
  readonly exports: readonly string[];
}

interface Import {
  readonly specifier: string;
  readonly line: number;
}

/** The imports of a source: static, re-exported, dynamic and type-only ones alike. */
export function importsOf(source: Source): Import[] {
  const pattern =
    /(?:^|[\n;])\s*(?:import|export)\s(?:[^"'`;]*?\sfrom\s*)?["']([^"'\n]+)["']|\bimport\(\s*["']([^"'\n]+)["']\s*[,)]/g;
  const found: Import[] = [];
  const text = withoutTemplates(source.text);
  for (const match of text.matchAll(pattern)) {
    const specifier = match[1] ?? match[2] ?? "";
    found.push({ specifier, line: lineAt(text, match.index + match[0].lastIndexOf(specifier)) });
  }
  return found;
}

/** The package of a file: two folders deep for packages and the like, one for others. */
export function roomOf(path: string): string {
  const [first = "", second = ""] = path.split("/");
  return ["packages", "apps", "operators", "examples", "tools"].includes(first) ? `${first}/${second}` : first;
}

export function isTest(path: string): boolean {
  return (
    /\.(test|type-test)\.ts$/.test(path) ||
    /^(packages|apps|operators|examples|tools)\/[^/]+\/(test|conformance)\//.test(path)
  );
}

export function checkLayers(sources: readonly Source[], manifests: readonly Manifest[], layers: Layers): Finding[] {
  const byName = new Map(manifests.map((manifest) => [manifest.name, manifest]));
  const findings: Finding[] = [];
  for (const source of sources) {
    findings.push(...checkComputed(source));
    for (const found of importsOf(source)) {
      const finding = checkImport({ source, found, byName, layers, manifests });
      if (finding) findings.push({ file: source.path, line: found.line, ...finding });
    }
  }
  return [...findings, ...checkManifests(sources, manifests, byName), ...checkCycles(sources)];
}

/** An import with a computed target cannot be checked, so packages have none; apps load what users name. */
function checkComputed(source: Source): Finding[] {
  if (isTest(source.path) || !/^packages\/[^/]+\/src\//.test(source.path)) return [];
  const text = withoutTemplates(source.text);
  return [...text.matchAll(/(?<!\.)\bimport\(\s*(?!["'\s])/g)].map((match) => ({
    file: source.path,
    line: lineAt(text, match.index),
    problem: "an import of something computed",
    cure: "write the name as a plain string, or let the caller hand in what is loaded",
  }));
}

interface ImportCase {
  readonly source: Source;
  readonly found: Import;
  readonly byName: ReadonlyMap<string, Manifest>;
  readonly layers: Layers;
  readonly manifests: readonly Manifest[];
}

type Trouble = Pick<Finding, "problem" | "cure">;

function checkImport(given: ImportCase): Trouble | undefined {
  const { found, source, layers } = given;
  if (found.specifier.startsWith(".")) return checkRelative(source.path, found.specifier);
  if (isBuiltin(found.specifier)) return checkPurity(source.path, found.specifier, layers);
  const target = given.byName.get(packageName(found.specifier));
  return target === undefined ? checkForeign(given) : checkRoom(given, target);
}

function checkRelative(path: string, specifier: string): Trouble | undefined {
  const target = resolve(path, specifier);
  if (roomOf(target) === roomOf(path)) {
    if (/\.(ts|json|tsx|css)$/.test(specifier)) return undefined;
    return {
      problem: `import of "${specifier}" has no file ending`,
      cure: "write the .ts, Node runs the sources as they are",
    };
  }
  return {
    problem: `deep import of "${specifier}" reaches into ${roomOf(target)}`,
    cure: "import that room by its package name, and export what you need from its src/index.ts",
  };
}

function checkPurity(path: string, specifier: string, layers: Layers): Trouble | undefined {
  const excepted = (layers.pure.except ?? []).some((pattern) => matches(pattern, path));
  if (isTest(path) || excepted || !layers.pure.rooms.includes(roomOf(path)) || !path.includes("/src/"))
    return undefined;
  return { problem: `${roomOf(path)} imports ${specifier}`, cure: layers.pure.sentence };
}

function checkForeign({ source, found, manifests }: ImportCase): Trouble | undefined {
  const manifest = manifests.find(({ room }) => room === roomOf(source.path));
  const name = packageName(found.specifier);
  if (manifest === undefined || isTest(source.path)) return undefined;
  if (manifest.dependencies.includes(name) || !source.path.startsWith(`${manifest.room}/src/`)) return undefined;
  return {
    problem: `"${name}" is not a dependency of ${manifest.name}`,
    cure: `add it to ${manifest.room}/package.json, with a decision record, or do without it`,
  };
}

function checkRoom({ source, found, layers }: ImportCase, target: Manifest): Trouble | undefined {
  const subpath = found.specifier.slice(target.name.length);
  if (!target.exports.some((entry) => matches(entry.replaceAll("*", "**"), `.${subpath}`))) {
    return {
      problem: `"${found.specifier}" is not exported by ${target.name}`,
      cure: `export the name from ${target.room}/src/index.ts and import "${target.name}"`,
    };
  }
  const room = roomOf(source.path);
  if (target.room === room) {
    return isTest(source.path)
      ? undefined
      : { problem: `${room} imports itself by name`, cure: "import the file by its relative path" };
  }
  return allowed(source.path, target.room, layers) ? undefined : forbidden(room, target.room, layers);
}

function allowed(path: string, target: string, layers: Layers): boolean {
  const room = roomOf(path);
  const rules = isTest(path) ? [...layers.rules, ...layers.testsMay] : layers.rules;
  return rules.some((rule) => matches(rule.room, room) && rule.may.some((pattern) => matches(pattern, target)));
}

function forbidden(room: string, target: string, layers: Layers): Trouble {
  const rule = layers.rules.find((candidate) => matches(candidate.room, room));
  if (rule === undefined)
    return { problem: `${room} has no rule in layers.json`, cure: "add one sentence that says what it may import" };
  return {
    problem: `${room} imports ${target}, but ${rule.sentence}`,
    cure: `move the code to a room that may see both, or hand in what is needed (${room} may import ${rule.may.join(", ") || "nothing"})`,
  };
}

function checkManifests(
  sources: readonly Source[],
  manifests: readonly Manifest[],
  byName: ReadonlyMap<string, Manifest>,
): Finding[] {
  return manifests.flatMap((manifest) => {
    const own = sources.filter(({ path }) => path.startsWith(`${manifest.room}/`));
    const used = (tests: boolean): Set<string> =>
      new Set(
        own
          .filter(
            ({ path }) =>
              tests ||
              (!isTest(path) && (path.startsWith(`${manifest.room}/src/`) || !manifest.room.startsWith("packages/"))),
          )
          .flatMap((source) => importsOf(source).map(({ specifier }) => packageName(specifier)))
          .filter((name) => byName.has(name) && name !== manifest.name),
      );
    const file = `${manifest.room}/package.json`;
    const missing = [...used(false)].filter((name) => !manifest.dependencies.includes(name));
    const idle = manifest.dependencies.filter((name) => byName.has(name) && !used(true).has(name));
    return [
      ...missing.map((name) => ({
        file,
        problem: `${name} is imported but not listed`,
        cure: `add "${name}" to dependencies`,
      })),
      ...idle.map((name) => ({
        file,
        problem: `${name} is listed but never imported`,
        cure: "remove it from dependencies",
      })),
    ];
  });
}

/** Files that import each other in a cycle, without type-only imports: they vanish when Node runs the file. */
function checkCycles(sources: readonly Source[]): Finding[] {
  const graph = new Map(sources.map((source) => [source.path, runtimeImports(source)]));
  const state = new Map<string, "open" | "done">();
  const findings: Finding[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (state.get(path) === "done") return;
    if (state.get(path) === "open") {
      const circle = [...trail.slice(trail.indexOf(path)), path];
      findings.push({
        file: path,
        problem: `import cycle ${circle.join(" -> ")}`,
        cure: "move what both need into a file below them",
      });
      return;
    }
    state.set(path, "open");
    for (const next of graph.get(path) ?? []) if (graph.has(next)) visit(next, [...trail, path]);
    state.set(path, "done");
  };
  for (const path of graph.keys()) visit(path, []);
  return findings;
}

function runtimeImports(source: Source): string[] {
  const text = source.text.replaceAll(/(?:^|\n)\s*(?:import|export)\s+type\s[^;]*?from\s*["'][^"'\n]+["']/g, "");
  return importsOf({ path: source.path, text })
    .filter(({ specifier }) => specifier.startsWith(".") && !isLazy(text, specifier))
    .map(({ specifier }) => resolve(source.path, specifier));
}

/** A file that is only reached through `import()` is loaded later, so it does not close a cycle. */
function isLazy(text: string, specifier: string): boolean {
  return (
    !new RegExp(`from\\s*["']${specifier.replaceAll(/[.+?^${}()|[\]\\/]/g, "\\$&")}["']`).test(text) &&
    !text.includes(`import "${specifier}"`)
  );
}

function isBuiltin(specifier: string): boolean {
  return specifier.startsWith("node:") || builtinModules.includes(specifier);
}

function packageName(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

function resolve(from: string, specifier: string): string {
  const parts = from.split("/").slice(0, -1);
  for (const part of specifier.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}
