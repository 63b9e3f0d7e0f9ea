import assert from "node:assert/strict";
import { test } from "node:test";
import { diffLines, toLines } from "../merge/lines.ts";
import { planChange } from "./change.ts";
import type { Inputs } from "./inputs.ts";
import { currentTemplates, type Files, renderProject } from "./render.ts";

const inputs: Inputs = {
  templates: 1,
  name: "app-operator",
  domain: "example.com",
  capstan: "0.1.0",
  namespaced: false,
  apis: [
    {
      group: "app.example.com",
      version: "v1alpha1",
      kind: "AppService",
      scope: "Namespaced",
      origin: "new",
      controllers: [""],
    },
  ],
};
const base = renderProject(inputs);

/** What a later generation of templates might write: lines change, come and go in most files, one file is new, one is gone. */
function later(files: Files): Files {
  const next = new Map(files);
  const edit = (path: string, change: (text: string) => string): void =>
    void next.set(path, change(next.get(path) ?? ""));
  edit("package.json", (text) => text.replace('"version": "0.1.0"', '"version": "0.1.0",\n  "license": "UNLICENSED"'));
  edit("src/main.ts", (text) =>
    text.replace("/** The operator: every controller, and how it is started. */", "/** The operator. */"),
  );
  edit("src/app-service.ts", (text) =>
    text.replaceAll("busybox:1.37", "busybox:1.38").replace("runAsUser: 65532, ", ""),
  );
  edit("README.md", (text) => text.replace("## Ship it", "## Check it\n\n    npm run check\n\n## Ship it"));
  edit(".github/workflows/ci.yml", (text) => text.replace("node-version: 24", "node-version: 26"));
  edit("AGENTS.md", (text) => text.replace(/- Wait with .*\n/, ""));
  next.delete("Containerfile");
  next.set("CODEOWNERS", "* @everyone\n");
  return next;
}

const unformatted = (line: string): string => line.replaceAll(/\s/g, "").replaceAll("'", '"');

type Mutation = (path: string, text: string) => string | undefined;
const inFile =
  (file: string, change: (text: string) => string | undefined): Mutation =>
  (path, text) =>
    path === file ? change(text) : text;

const mutations: { readonly [what: string]: Mutation } = {
  nothing: (_, text) => text,
  "lines at the end of every file": (_, text) => `${text}// mine, at the end\n`,
  "lines at the top of every file": (_, text) => `// mine, at the top\n${text}`,
  "a line between all lines": (_, text) => toLines(text).join("// mine, between\n"),
  "the line that the templates change": inFile("src/app-service.ts", (text) =>
    text.replace("busybox:1.37", "my/image:7"),
  ),
  "a rewritten file": inFile("src/app-service.ts", () => "// all mine\nexport const AppService = 1;\n"),
  "another formatter": (path, text) => (path.endsWith(".ts") ? text.replaceAll("  ", "\t").replaceAll('"', "'") : text),
  "Windows line ends": (_, text) => text.replaceAll("\n", "\r\n"),
  "deleted files": (path, text) => (path === "AGENTS.md" || path === "README.md" ? undefined : text),
  "the file that goes": inFile("Containerfile", (text) => text.replace("USER 65532:65532", "USER 1000")),
  "no line break at the end": (_, text) => text.trimEnd(),
  "an emptied file": inFile("README.md", () => ""),
};

for (const [what, mutate] of Object.entries(mutations)) {
  test(`an upgrade of a project with ${what} loses no line of the user's`, () => {
    const disk = new Map(
      [...base].flatMap(([path, text]) => {
        const mine = mutate(path, text);
        return mine === undefined ? [] : [[path, mine] as const];
      }),
    );
    const changes = new Map(planChange({ base, next: later(base), disk }).map((change) => [change.path, change]));
    for (const [path, mine] of disk) {
      const change = changes.get(path);
      if (change === undefined || change.action === "leave") continue;
      // Line ends alone make no line a user's.
      const old = toLines((base.get(path) ?? "").replaceAll("\n", mine.includes("\r\n") ? "\r\n" : "\n"));
      const own = toLines(mine);
      // Nor does another format of a generated line.
      const generated = new Set(old.map(unformatted));
      const added = diffLines(old, own)
        .flatMap(({ toStart, toEnd }) => own.slice(toStart, toEnd))
        .filter((line) => !generated.has(unformatted(line)) || line.trim() === "");
      if (change.action === "delete") assert.deepEqual(added, [], path);
      else {
        const left = toLines(change.text);
        for (const line of added) {
          // A last line that had no end may get one.
          const at = left.findIndex((one) => one === line || one === `${line}\n`);
          assert.ok(at >= 0 || line === "", `${path} lost ${JSON.stringify(line)}`);
          left.splice(at, 1);
        }
      }
    }
    for (const path of base.keys())
      if (!disk.has(path)) assert.notEqual(changes.get(path)?.action, "create", `${path} came back`);
  });
}

test("Windows line ends stay, also in new files, and make no conflict", () => {
  const windows = (files: Files): Files =>
    new Map([...files].map(([path, text]) => [path, text.replaceAll("\n", "\r\n")]));
  const next = later(base);
  for (const change of planChange({ base, next, disk: windows(base) })) {
    if (change.action === "delete") assert.equal(next.get(change.path), undefined);
    else assert.equal("text" in change ? change.text : change.action, windows(next).get(change.path));
  }
});

test("an untouched project becomes what the new templates write", () => {
  const next = later(base);
  const made = new Map(base);
  for (const change of planChange({ base, next, disk: base })) {
    if (change.action === "delete") made.delete(change.path);
    else if (change.action !== "leave") made.set(change.path, change.text);
    assert.notEqual(change.action, "conflict");
  }
  assert.deepEqual(Object.fromEntries(made), Object.fromEntries(next));
});

test("projects of the first templates upgrade to the newest and keep user lines", () => {
  const next = renderProject({ ...inputs, templates: currentTemplates });
  const mine = base.get("src/main.ts")?.replace("controllers: [", "// mine\n  controllers: [") ?? "";
  const changes = planChange({ base, next, disk: new Map([...base, ["src/main.ts", mine]]) });
  assert.deepEqual(
    changes.map(({ path, action }) => [path, action]),
    [
      [".vscode/launch.json", "create"],
      ["capstan.json", "update"],
      ["package.json", "update"],
      ["src/app-service.ts", "update"],
      ["src/main.ts", "update"],
    ],
  );
  const main = changes.find(({ path }) => path === "src/main.ts");
  const text = main?.action === "update" ? main.text : "";
  assert.match(text, /\/\/ mine\n/);
  assert.match(text, /\nawait app\.runIfMain\(import\.meta\);\n$/);
  assert.doesNotMatch(text, /import\.meta\.main/);
});
