/** The test files of the repository, by tier, and what a file declares about itself. */
import { globSync, readFileSync } from "node:fs";

/**
 * Unit tests are next to the code and start nothing. Package tests and stories may start servers and need what the set-up installs. Long
 * tests (`*.long.test.ts`) repeat, cover every case or wait for long; they run by the rules of `long.ts`.
 */
export type Tier = "unit" | "package" | "story" | "long";

const patterns: Readonly<Record<Exclude<Tier, "long">, readonly string[]>> = {
  unit: [
    "packages/*/src/**/*.test.ts",
    "apps/*/src/**/*.test.ts",
    "operators/*/!(test)/**/*.test.ts",
    "tools/*/src/**/*.test.ts",
    "scripts/**/*.test.ts",
  ],
  package: [
    "packages/*/test/**/*.test.ts",
    "apps/*/test/**/*.test.ts",
    "tools/*/test/**/*.test.ts",
    "bench/**/*.test.ts",
  ],
  story: ["operators/*/test/**/*.test.ts", "examples/**/*.test.ts", "test/**/*.test.ts"],
};

export function testFiles(...tiers: Tier[]): string[] {
  return tiers.flatMap((tier) => (tier === "long" ? find("package", "story").filter(isLong) : shortFiles(tier)));
}

export function isLong(file: string): boolean {
  return file.endsWith(".long.test.ts");
}

/** Whether a file requests a process without other test files: `// isolated: REASON` on a line. */
export function isIsolated(text: string): boolean {
  return /^\/\/ isolated: \S/m.test(text);
}

/** Whether a file requests to run while no other file runs: `// alone: REASON` on a line. */
export function isAlone(text: string): boolean {
  return /^\/\/ alone: \S/m.test(text);
}

/**
 * Groups of files, each of which runs in one process. The unit tests of a package share a process, which saves more than half of their
 * CPU time; a file that cannot share declares it.
 */
export function toGroups(
  files: readonly string[],
  read = (file: string): string => readFileSync(file, "utf8"),
): readonly (readonly string[])[] {
  const unit = new Set(shortFiles("unit"));
  const groups = Map.groupBy(files, (file) =>
    unit.has(file) && !isIsolated(read(file)) ? (/^(?:[^/]+\/[^/]+(?=\/src\/)|[^/]+)/.exec(file)?.[0] ?? file) : file,
  );
  return [...groups.values()];
}

function shortFiles(tier: Exclude<Tier, "long">): string[] {
  return find(tier).filter((file) => !isLong(file));
}

function find(...tiers: Exclude<Tier, "long">[]): string[] {
  return tiers.flatMap((tier) =>
    globSync([...patterns[tier]], { exclude: (name) => String(name).includes("node_modules") }).sort(),
  );
}
