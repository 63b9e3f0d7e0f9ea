/**
 * The inner loop: every check of the sources that needs nothing outside this process tree. Names of steps as arguments select steps;
 * `--changed [BASE]` limits lint and unit tests to what changed since BASE.
 */
import { existsSync, readFileSync } from "node:fs";
import { checkBacktracking } from "./check/backtracking.ts";
import { knownBacktracking } from "./check/backtracking-known.ts";
import { checkEffects } from "./check/effects.ts";
import { checkExamples, examplesOfPage } from "./check/examples.ts";
import { facadeNames } from "./check/facade.ts";
import { type Finding, formatFinding } from "./check/findings.ts";
import { checkLayers, type Layers, type Manifest } from "./check/layers.ts";
import { checkComments, checkNames } from "./check/manners.ts";
import { checkProse } from "./check/prose.ts";
import { checkReferences } from "./check/references.ts";
import { run } from "./check/run.ts";
import { listFiles, readSources, type Source } from "./check/sources.ts";
import { generatedPages } from "./generate/pages.ts";
import { changedFiles } from "./test/changed.ts";
import { testFiles } from "./test/files.ts";
import { affectedBy, readGraph } from "./test/graph.ts";
import { runTests } from "./test/run-tests.ts";
import { knownTimes } from "./test/times.ts";

interface Step {
  readonly name: string;
  readonly cure: string;
  readonly run: () => Promise<{ readonly ok: boolean; readonly output: string }>;
}

const bin = (name: string): string => `node_modules/.bin/${name}`;

const words = process.argv.slice(2);
const changed = words[0] === "--changed" ? changedFiles(words[1]) : undefined;
const selected = words[0] === "--changed" ? [] : words;

const steps: readonly Step[] = [
  tool("format", "run `npm run format`", bin("oxfmt"), "--check", "."),
  tool(
    "lint",
    "mend the place that is named; a rule may be switched off for one line if its reason stands behind it",
    bin("oxlint"),
    "--type-aware",
    "--deny-warnings",
    ...lintedFiles(),
  ),
  { name: "house", cure: "each line says what to do", run: checkHouse },
  tool(
    "build types",
    "mend the types; exported values need explicit ones",
    bin("tsc"),
    "--build",
    "tsconfig.build.json",
  ),
  tool("types", "mend the types", bin("tsc"), "-p", "tsconfig.json"),
  { name: "examples", cure: "each line says what to do", run: checkFacadeExamples },
  {
    name: "unit tests",
    cure: "mend the code or the test, whichever is wrong",
    run: runUnitTests,
  },
  tool(
    "dead code",
    "delete what nobody uses, or export it from src/index.ts if users need it",
    bin("knip"),
    "--no-progress",
    "--no-config-hints",
  ),
  { name: "generated pages", cure: "run `npm run generate` and commit what changed", run: checkGenerated },
];

function tool(name: string, cure: string, command: string, ...args: string[]): Step {
  return {
    name,
    cure,
    run: async () => {
      const { code, output } = await run(command, args);
      return { ok: code === 0, output };
    },
  };
}

async function checkHouse(): Promise<{ ok: boolean; output: string }> {
  const files = listFiles();
  const all = readSources(files);
  const written = all.filter(({ path }) => !path.includes("/generated/"));
  const layers = JSON.parse(readFileSync("layers.json", "utf8")) as Layers;
  const manifests = files
    .filter((file) => /^(?:(?:packages|apps|operators|examples|tools)\/[^/]+|bench|test)\/package\.json$/.test(file))
    .map(readManifest);
  const findings: Finding[] = [
    // The commands of a package are plain JavaScript, and have imports, too.
    ...checkLayers([...all, ...readSources(files.filter(isCommand), ".js")], manifests, layers),
    ...checkReferences(manifests),
    ...checkEffects(written, layers),
    ...checkNames(files),
    ...checkComments(written),
    ...checkProse(written),
    ...checkBacktracking(written.filter(isShipped), knownBacktracking),
  ];
  return { ok: findings.length === 0, output: findings.map(formatFinding).join("\n") };
}

/** Every name of the package that users import, except generated kinds, has an example that compiles; so do those of the guide. */
async function checkFacadeExamples(): Promise<{ ok: boolean; output: string }> {
  const pages = listFiles().filter((file) => /^docs\/guide\/[^/]+\.md$/.test(file));
  const shown = pages.flatMap((file) => examplesOfPage(file, readFileSync(file, "utf8")));
  const findings = await checkExamples([...facadeNames(), ...shown], "node_modules/.cache/examples");
  return { ok: findings.length === 0, output: findings.map(formatFinding).join("\n") };
}

/** Code that handles input of others, as opposed to tests and scripts. */
function isShipped({ path }: Source): boolean {
  return /^(?:packages|apps|operators|tools)\/[^/]+\/src\//.test(path) && !path.endsWith(".test.ts");
}

function isCommand(file: string): boolean {
  return /^(?:packages|apps)\/[^/]+\/bin\//.test(file);
}

function readManifest(file: string): Manifest {
  const {
    name,
    dependencies = {},
    devDependencies = {},
    peerDependencies = {},
    exports = {},
  } = JSON.parse(readFileSync(file, "utf8")) as {
    name: string;
    dependencies?: Record<string, string>;
    devDependencies?: Record<string, string>;
    peerDependencies?: Record<string, string>;
    exports?: Record<string, unknown>;
  };
  return {
    room: file.slice(0, -"/package.json".length),
    name,
    // Peer dependencies are declared, too.
    dependencies: [...Object.keys(dependencies), ...Object.keys(peerDependencies)],
    devDependencies: Object.keys(devDependencies),
    exports: Object.keys(exports),
  };
}

/** The changed sources; a change of the rules or of dependencies concerns all files. */
function lintedFiles(): readonly string[] {
  if (changed === undefined || changed.some((file) => /^(?:\.oxlintrc\.json|package-lock\.json)$/.test(file)))
    return [];
  const sources = changed.filter((file) => /\.[cm]?[jt]s$/.test(file) && existsSync(file));
  // Without a file the linter would take all of them.
  return sources.length > 0 ? sources : ["scripts/check.ts"];
}

/** Unit tests need nothing, so none of them has a reason to be skipped. */
async function runUnitTests(): Promise<{ ok: boolean; output: string }> {
  const files = changed === undefined ? testFiles("unit") : affectedBy(testFiles("unit"), changed, readGraph());
  if (files.length === 0) return { ok: true, output: "" };
  const { ok, output, skipped } = await runTests(files, { quiet: true, times: knownTimes() });
  const skips = skipped.map(({ file, name }) => `${file}: ${name} is skipped; unit tests need nothing, let it run`);
  return { ok: ok && skips.length === 0, output: [output, ...skips].join("\n") };
}

async function checkGenerated(): Promise<{ ok: boolean; output: string }> {
  const stale = (await generatedPages())
    .filter(({ file, text }) => !isSame(file, text))
    .map(({ file }) => `${file} is out of date`);
  return { ok: stale.length === 0, output: stale.join("\n") };
}

function isSame(file: string, text: string): boolean {
  try {
    return readFileSync(file, "utf8") === text;
  } catch {
    return false;
  }
}

async function main(): Promise<void> {
  let failed = 0;
  for (const step of steps.filter(({ name }) => selected.length === 0 || selected.includes(name))) {
    const began = performance.now();
    const { ok, output } = await step.run();
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    console.log(`${ok ? "ok  " : "FAIL"}  ${step.name} (${seconds} s)`);
    if (ok) continue;
    failed++;
    console.log(`${output.trimEnd()}\n      cure: ${step.cure}\n`);
  }
  if (failed > 0) {
    console.log(`${failed} of ${steps.length} checks failed`);
    process.exitCode = 1;
  }
}

await main();
