/** Every package, packed as it would be published, can be imported in an empty project. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { before, after, describe, test } from "node:test";

interface Manifest {
  readonly name: string;
  readonly repository?: { readonly directory: string };
  readonly homepage?: string;
  readonly bugs?: string;
  readonly keywords?: readonly string[];
  readonly scripts?: { readonly prepack?: string };
  readonly exports: { readonly [entry: string]: unknown };
  readonly dependencies?: { readonly [name: string]: string };
  readonly peerDependencies?: { readonly [name: string]: string };
}

const folders = globSync(["packages/*/package.json", "apps/*/package.json"]).map(dirname).sort();
const manifests = new Map(
  folders.map((folder) => [folder, JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as Manifest]),
);
const own = new Set([...manifests.values()].map(({ name }) => name));

describe("packed packages", () => {
  let project = "";

  before(() => {
    execFileSync(process.execPath, ["scripts/build.ts"]);
    project = mkdtempSync(join(tmpdir(), "capstan-pack-"));
    for (const [folder, manifest] of manifests) unpack(project, folder, manifest);
  });
  after(() => rmSync(project, { recursive: true, force: true }));

  for (const [folder, { name, exports }] of manifests) {
    // The command is run, not imported.
    if (folder.startsWith("apps/")) continue;
    test(`${name} imports without the sources`, () => {
      for (const entry of Object.keys(exports).filter((key) => !key.includes("*"))) {
        const specifier = entry === "." ? name : `${name}/${entry.slice(2)}`;
        const program = `const found = await import(${JSON.stringify(specifier)}); console.log(import.meta.resolve(${JSON.stringify(specifier)}), Object.keys(found).length);`;
        const said = execFileSync(
          process.execPath,
          ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", program],
          { cwd: project, encoding: "utf8" },
        );
        assert.match(said, /\/dist\/.*\.js \d+/, `${folder} resolves ${specifier} to ${said}`);
      }
    });
  }

  test("npm create capstan creates a project", () => {
    const create = join(project, "node_modules/create-capstan/dist/main.js");
    const help = execFileSync(process.execPath, [create, "--help"], { cwd: project, encoding: "utf8" });
    assert.match(help, /capstan init/);
    execFileSync(process.execPath, [create, "widget-operator", "--kind", "Widget"], { cwd: project });
    const manifest = JSON.parse(readFileSync(join(project, "widget-operator/package.json"), "utf8")) as Manifest;
    assert.equal(manifest.name, "widget-operator");
  });

  test("the command that npx finds creates a project, and its test passes", () => {
    const capstan = (cwd: string, ...words: string[]): string =>
      execFileSync(process.execPath, [join(project, "node_modules/capstan/bin/capstan.js"), ...words], {
        cwd,
        encoding: "utf8",
      });
    assert.match(capstan(project, "--help"), /capstan dev/);
    capstan(project, "init", "parcel-operator", "--group", "ship", "--kind", "Parcel");
    const made = join(project, "parcel-operator");
    assert.match(capstan(made, "generate", "crds"), /kind: CustomResourceDefinition\n/);
    execFileSync(process.execPath, ["--test", "src/**/*.test.ts"], {
      cwd: made,
      env: { ...process.env, NODE_TEST_CONTEXT: undefined },
      stdio: "pipe",
    });
  });
});

for (const [folder, { name, repository, homepage, bugs, keywords, scripts }] of manifests) {
  test(`${name} has what its page on npm shows, and builds itself before it is packed`, () => {
    assert.equal(repository?.directory, folder);
    assert.ok(homepage !== undefined && bugs !== undefined && keywords?.includes("kubernetes"));
    assert.match(readFileSync(`${folder}/README.md`, "utf8"), new RegExp(`^# ${name}\n`));
    assert.equal(scripts?.prepack, "node ../../scripts/prepack.ts");
  });
}

/** Installs the packed package like npm, with its external dependencies and peer dependencies as they are installed here. */
function unpack(project: string, folder: string, { name, dependencies = {}, peerDependencies = {} }: Manifest): void {
  const packed = JSON.parse(
    execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", project, `./${folder}`], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }),
  ) as unknown;
  const [report] = Object.values(packed as Record<string, { filename: string; files: { path: string }[] }>);
  assert.ok(report, `npm pack said nothing about ${name}`);
  assert.deepEqual(
    report.files.filter(({ path }) => /\.(type-)?test\./.test(path) || path.endsWith(".tsbuildinfo")),
    [],
    `${name} packs what no user needs`,
  );
  const target = join(project, "node_modules", name);
  mkdirSync(target, { recursive: true });
  execFileSync("tar", ["-xzf", join(project, report.filename), "--strip-components=1", "-C", target]);
  const foreign = Object.keys({ ...dependencies, ...peerDependencies }).filter((key) => !own.has(key));
  for (const dependency of foreign) {
    const link = join(project, "node_modules", dependency);
    mkdirSync(dirname(link), { recursive: true });
    rmSync(link, { force: true });
    symlinkSync(resolve("node_modules", dependency), link);
  }
}
