/** The versions of Node that a release is tried on, each from the npm package `node`. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** A Node that a release is tried on. */
export interface TriedNode {
  readonly version: string;
  readonly program: string;
  /** Whether the tests of a new project run there: they use `await using`. */
  readonly runsTests: boolean;
}

/** The oldest Node that packages support, and the one of this checkout. */
export function triedNodes(): readonly TriedNode[] {
  return [
    { version: oldest, program: installed(oldest), runsTests: false },
    { version: process.versions.node, program: process.execPath, runsTests: true },
  ];
}

const oldest = "22.18.0";

/** The program of this version in the user's cache; npm installs it once. */
function installed(version: string): string {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const folder = join(cache, "capstan/node", version);
  const program = join(folder, "node_modules/node/bin/node");
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--allow-scripts=node", `node@${version}`], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return program;
}
