/** `npm run release`: packs everything, tries it from a registry on loopback, and prints what would be published. Publishes nothing. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { manifestProblems } from "./release/manifest-problems.ts";
import { triedNodes, type TriedNode } from "./release/nodes.ts";
import { type Packed, packOthers, packOurs } from "./release/pack.ts";
import { Packages, startRegistry } from "./release/registry.ts";
import { runAs, userEnvironment } from "./release/user.ts";

const help = `npm run release [-- --serve]

Builds and packs every package, checks the manifests, publishes them to a registry on loopback, and uses them from there
as a new user does, on the oldest supported Node and on this one. Prints what would be published. Publishes nothing.

  --serve   stop before the trial, print the address of the registry, and serve until interrupted
`;

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const { values } = parseArgs({ options: { serve: { type: "boolean" }, help: { type: "boolean", short: "h" } } });
if (values.help === true) console.log(help);
else await release(values.serve === true);

async function release(isServing: boolean): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "capstan-release-"));
  try {
    say("building");
    execFileSync(process.execPath, ["scripts/build.ts"], { stdio: ["ignore", "ignore", "inherit"] });
    say("packing");
    const ours = packOurs(folder);
    const problems = manifestProblems(ours);
    if (problems.length > 0) return fail(problems);
    const packages = new Packages();
    for (const stored of packOthers(ours, folder)) packages.put(stored);
    await using registry = await startRegistry(packages);
    say(`publishing ${ours.length} packages to ${registry.origin}`);
    await publish(ours, { folder, registry: registry.origin });
    if (isServing) await serve(registry.origin);
    else {
      for (const node of triedNodes()) await tryOn(node, { folder, registry: registry.origin });
      console.log(summary(ours));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Place {
  readonly folder: string;
  readonly registry: string;
}

/** Publishes with npm itself: it rejects what the real registry would reject. */
async function publish(ours: readonly Packed[], { folder, registry }: Place): Promise<void> {
  const home = join(folder, "publisher");
  mkdirSync(home);
  const env = userEnvironment({ folder: home, node: process.execPath, registry });
  for (const { tarball } of ours) await runAs(`npm publish --ignore-scripts "${tarball}"`, { cwd: home, env });
}

/** What a new user does first. */
async function tryOn({ version, program, runsTests }: TriedNode, { folder, registry }: Place): Promise<void> {
  const home = join(folder, `user-${version}`);
  mkdirSync(home);
  const env = userEnvironment({ folder: home, node: program, registry });
  const project = join(home, "ship-operator");
  const create = "npm create --yes capstan@latest ship-operator -- --group ship --kind Parcel";
  const seen = await tryLine(create, { cwd: home, env, version });
  if (seen.includes("need Node 24.2 or newer") === runsTests)
    throw new Error(`Node ${version}: \`npm create capstan\` says the wrong thing about its tests:\n${seen}`);
  const lines = [
    "npm install",
    "npm run check",
    ...(runsTests ? ["npm test"] : []),
    "npx capstan version",
    "npx capstan generate manifests --out deploy",
    "node src/main.ts --help",
  ];
  for (const line of lines) await tryLine(line, { cwd: project, env, version });
}

interface Trial {
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  readonly version: string;
}

async function tryLine(line: string, { version, ...place }: Trial): Promise<string> {
  const { output, seconds } = await runAs(line, place);
  say(`Node ${version}  ${seconds.toFixed(1).padStart(5)} s  ${line}`);
  return output;
}

/** Serves until a signal ends it. */
async function serve(origin: string): Promise<void> {
  console.log(`registry ${origin}`);
  await new Promise((resolve) => {
    process.once("SIGTERM", resolve);
    process.once("SIGINT", resolve);
  });
}

function summary(ours: readonly Packed[]): string {
  const rows = ours.map(
    ({ manifest: { name, version }, bytes, unpackedBytes, files }) =>
      `  ${`${name}@${version}`.padEnd(28)} ${kilobytes(bytes)} ${kilobytes(unpackedBytes)} ${String(files.length).padStart(6)}`,
  );
  const total = kilobytes(ours.reduce((sum, { bytes }) => sum + bytes, 0)).trim();
  const { engines } = JSON.parse(readFileSync("package.json", "utf8")) as { engines: { node: string } };
  return [
    "",
    `  ${"would be published".padEnd(28)}    packed  unpacked  files`,
    ...rows,
    "",
    `${ours.length} packages, ${total}, for Node ${engines.node}. A workflow publishes each with: npm publish --provenance`,
  ].join("\n");
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(0).padStart(6)} kB`;
}

function fail(problems: readonly string[]): void {
  for (const problem of problems) console.error(problem);
  console.error(`release: ${problems.length} problems; nothing was tried`);
  process.exitCode = 1;
}

function say(text: string): void {
  console.error(`release: ${text}`);
}
