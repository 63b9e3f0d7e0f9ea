/** `capstan upgrade` on disk: projects of older templates that their people have changed in every way, and no line of theirs is lost. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { currentTemplates, type Files, type Inputs, renderProject, toLines } from "@capstan/scaffold";
import { capstan } from "./terminal.ts";

const old: Inputs = {
  templates: 1,
  name: "shop-operator",
  domain: "example.com",
  capstan: "0.0.9",
  namespaced: false,
  apis: [
    {
      group: "shop.example.com",
      version: "v1alpha1",
      kind: "Shop",
      scope: "Namespaced",
      origin: "new",
      controllers: [""],
    },
  ],
};
const template = renderProject(old);

type Mutation = (path: string, text: string) => string | undefined;
const only =
  (file: string, change: (text: string) => string | undefined): Mutation =>
  (path, text) =>
    path === file ? change(text) : text;
/** The record is the tool's own. */
const every =
  (change: (text: string) => string): Mutation =>
  (path, text) =>
    path === "capstan.json" ? text : change(text);

const mutations: { readonly [what: string]: Mutation } = {
  "lines at the end of every source": (path, text) => (path.endsWith(".ts") ? `${text}// mine, at the end\n` : text),
  "lines at the top of every source": (path, text) => (path.endsWith(".ts") ? `// mine, at the top\n${text}` : text),
  "a line between all lines of main": only("src/main.ts", (text) => toLines(text).join("// mine, between\n")),
  "the line that the templates change": only("src/main.ts", (text) =>
    text.replace("if (import.meta.main) await app.run();", "if (import.meta.main) await app.run({ mine: true });"),
  ),
  "the version that the templates change": only("package.json", (text) => text.replace('"0.0.9"', '"file:../my-own"')),
  "scripts and packages of its own": only("package.json", (text) =>
    text
      .replace('"scripts": {', '"scripts": {\n    "mine": "echo mine",')
      .replace('"devDependencies": {', '"devDependencies": {\n    "mine": "1.0.0",'),
  ),
  "a rewritten main": only("src/main.ts", () => "// all mine\nexport const mine = 1;\n"),
  "another formatter": (path, text) => (path.endsWith(".ts") ? text.replaceAll("  ", "\t").replaceAll('"', "'") : text),
  "Windows line ends": every((text) => text.replaceAll("\n", "\r\n")),
  "deleted files": (path, text) => (path === "src/main.ts" || path === "README.md" ? undefined : text),
  "an emptied main": only("src/main.ts", () => ""),
  "no line break at the end": every((text) => text.trimEnd()),
};

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "capstan-upgrade-"));
});
after(() => rm(folder, { recursive: true, force: true }));

async function put(root: string, files: Files): Promise<void> {
  for (const [path, text] of files) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

async function filesIn(root: string): Promise<Map<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return new Map(
    await Promise.all(paths.map(async (path) => [path.slice(root.length + 1), await readFile(path, "utf8")] as const)),
  );
}

const trimmed = (text: string): string[] => toLines(text).map((line) => line.trimEnd());

for (const [index, [what, mutate]] of Object.entries(mutations).entries()) {
  test(`loses no line of a project with ${what}`, async () => {
    const root = join(folder, `project-${index}`);
    const mine = new Map(
      [...template].flatMap(([path, text]) => {
        const changed = mutate(path, text);
        return changed === undefined ? [] : [[path, changed] as const];
      }),
    );
    await put(root, new Map([...mine, ["notes.md", "a file of mine\n"]]));
    const shown = await capstan(["upgrade", "--dry-run"], { cwd: root });
    assert.equal(shown.code, 0, shown.err);
    assert.deepEqual(
      await filesIn(root),
      new Map([...mine, ["notes.md", "a file of mine\n"]]),
      "a dry run writes nothing",
    );

    const { code, err } = await capstan(["upgrade", "--yes"], { cwd: root });
    assert.ok(code === 0 || code === 5, err);
    const now = await filesIn(root);
    assert.equal(now.get("notes.md"), "a file of mine\n");
    for (const [path, text] of mine) {
      const ours = new Set(trimmed(template.get(path) ?? ""));
      const kept = new Set(trimmed(now.get(path) ?? assert.fail(`${path} is gone`)));
      for (const line of trimmed(text).filter((one) => !ours.has(one)))
        assert.ok(kept.has(line), `${path} lost ${JSON.stringify(line)}`);
    }
    for (const path of template.keys()) if (!mine.has(path)) assert.ok(!now.has(path), `${path} came back`);
    const marked = [...now].filter(([, text]) => text.includes("<<<<<<< yours")).map(([path]) => path);
    assert.equal(code === 5, marked.length > 0, `exit code ${code}, marks in ${marked.join(", ")}`);
    const { templates } = JSON.parse(now.get("capstan.json") ?? "{}") as Inputs;
    assert.equal(templates, currentTemplates, "what it is made from now is recorded");
    assert.match((await capstan(["upgrade"], { cwd: root })).out, /up to date|leave/);
  });
}
