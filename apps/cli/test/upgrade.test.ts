/** `capstan upgrade` on disk: projects of older templates with all kinds of user changes. No line of the user is lost. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
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
/** The record belongs to the tool. */
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
  "another formatter": (path, text) =>
    reformatted(path, text) + (path.endsWith(".ts") ? "\nexport const mine = 'a value of mine';\n" : ""),
  "Windows line ends": every((text) => text.replaceAll("\n", "\r\n")),
  "deleted files": (path, text) => (path === "src/main.ts" || path === "README.md" ? undefined : text),
  "an emptied main": only("src/main.ts", () => ""),
  "no line break at the end": every((text) => text.trimEnd()),
};

/** The format of another formatter: it changes every line of a source and none of its tokens. */
function reformatted(path: string, text: string): string {
  return path.endsWith(".ts") ? text.replaceAll("  ", "\t").replaceAll('"', "'") : text;
}

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

/** A template line with other line ends is still a template line. */
function endedAs(model: string, text: string): string {
  return model.includes("\r\n") ? text.replaceAll("\n", "\r\n") : text;
}

/** The count of each line of a text, with its line end; a last line may get a missing one. */
function countsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of toLines(text)) {
    const whole = line === "" || line.endsWith("\n") ? line : `${line}\n`;
    counts.set(whole, (counts.get(whole) ?? 0) + 1);
  }
  return counts;
}

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
      const made = template.get(path) ?? "";
      // A line of the template in another format is not the user's: an upgrade may replace it.
      const ours = countsOf(endedAs(text, what === "another formatter" ? reformatted(path, made) : made));
      const kept = countsOf(now.get(path) ?? assert.fail(`${path} is gone`));
      for (const [line, times] of countsOf(text)) {
        const mine = times - (ours.get(line) ?? 0);
        const left = kept.get(line) ?? 0;
        // Template lines may be removed.
        if (mine > 0 && line !== "") assert.ok(left >= mine, `${path} has ${left} of ${mine} ${JSON.stringify(line)}`);
      }
    }
    for (const path of template.keys()) if (!mine.has(path)) assert.ok(!now.has(path), `${path} came back`);
    const marked = [...now].filter(([, text]) => text.includes("<<<<<<< yours")).map(([path]) => path);
    assert.equal(code === 5, marked.length > 0, `exit code ${code}, marks in ${marked.join(", ")}`);
    const { templates } = JSON.parse(now.get("capstan.json") ?? "{}") as Inputs;
    assert.equal(templates, currentTemplates, "what it is made from now is recorded");
    assert.match((await capstan(["upgrade"], { cwd: root })).out, /up to date|leave/);
  });
}

test("Windows line ends stay, new lines have them too, and nothing conflicts", async () => {
  const root = join(folder, "windows");
  await put(root, new Map([...template].map(([path, text]) => [path, text.replaceAll("\n", "\r\n")])));
  const { code, err } = await capstan(["upgrade", "--yes"], { cwd: root });
  assert.equal(code, 0, err);
  const now = await filesIn(root);
  const { capstan: version, templates } = JSON.parse(now.get("capstan.json") ?? "{}") as Inputs;
  for (const [path, text] of renderProject({ ...old, templates, capstan: version }))
    assert.equal(now.get(path), text.replaceAll("\n", "\r\n"), path);
});

test("a project of a newer capstan is not downgraded", async () => {
  const root = join(folder, "newer");
  const files = renderProject({ ...old, capstan: "9.9.9" });
  await put(root, files);
  const { code, err } = await capstan(["upgrade", "--yes"], { cwd: root });
  assert.equal(code, 3);
  assert.match(err, /^capstan: this project is of capstan 9\.9\.9, and this is only \S+: upgrade it with 9\.9\.9/);
  assert.deepEqual(await filesIn(root), new Map(files));
});

test("a source that is a link stays one, and its target is upgraded", async () => {
  const root = join(folder, "linked");
  await put(root, template);
  await put(folder, new Map([["elsewhere/main.ts", template.get("src/main.ts") ?? ""]]));
  await rm(join(root, "src/main.ts"));
  await symlink("../../elsewhere/main.ts", join(root, "src/main.ts"));
  const { code, err } = await capstan(["upgrade", "--yes"], { cwd: root });
  assert.equal(code, 0, err);
  assert.equal(await readlink(join(root, "src/main.ts")), "../../elsewhere/main.ts");
  assert.match(await readFile(join(folder, "elsewhere/main.ts"), "utf8"), /runIfMain/);
});

for (const words of [
  "upgrade --yes",
  "create api --group shop --version v1 --kind Other",
  "delete api --kind Shop",
  "rename --kind Shop --to-kind Store --yes",
]) {
  test(`${words} rejects a file that is not UTF-8, and no byte of it is lost`, async () => {
    const root = await mkdtemp(join(folder, "latin-"));
    await put(root, template);
    const bytes = Buffer.concat([Buffer.from("// caf"), Buffer.from([0xe9, 0x0a])]);
    await writeFile(join(root, "src/main.ts"), bytes);
    const { code, err } = await capstan(words.split(" "), { cwd: root });
    assert.equal(code, 3, err);
    assert.match(err, /^capstan: cannot read \S+\/src\/main\.ts: it is not UTF-8; save it as UTF-8 first\n$/);
    assert.deepEqual(await readFile(join(root, "src/main.ts")), bytes);
    assert.equal(await readFile(join(root, "capstan.json"), "utf8"), template.get("capstan.json"));
  });
}
