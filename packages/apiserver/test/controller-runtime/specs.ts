/** Runs a test program against the launchers and parses the results of its specs. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import type { TestProgram } from "./build.ts";

/** The results of a program. */
export interface Specs {
  readonly passed: number;
  /** Specs that the package itself skips. */
  readonly skipped: number;
  readonly specs: number;
  readonly failed: readonly string[];
  readonly seconds: number;
  /** Whether it exited by itself and reported success. */
  readonly ended: boolean;
}

const launchers = join(import.meta.dirname, "../../launchers");

/** Runs a program to its end, on our launchers or on the programs of another folder. */
export async function runPackage({ path, folder, output }: TestProgram, assets = launchers): Promise<Specs> {
  const begun = performance.now();
  const env = { ...process.env, KUBEBUILDER_ASSETS: assets };
  const child = spawn(path, ["-ginkgo.no-color"], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const kept = createWriteStream(output);
  child.stdout.pipe(kept, { end: false });
  child.stderr.pipe(kept, { end: false });
  const [code] = (await once(child, "close")) as [number | null];
  kept.end();
  await finished(kept);
  return {
    ...readSpecs(await readFile(output, "utf8")),
    seconds: (performance.now() - begun) / 1000,
    ended: code === 0,
  };
}

/** Parses the summary lines of Ginkgo. */
export function readSpecs(text: string): Pick<Specs, "passed" | "skipped" | "specs" | "failed"> {
  const specs = Number(/Ran \d+ of (\d+) Specs/.exec(text)?.[1] ?? 0);
  const passed = Number(/(\d+) Passed/.exec(text)?.[1] ?? 0);
  const skipped = [/(\d+) Pending/, /(\d+) Skipped/].map((count) => Number(count.exec(text)?.[1] ?? 0));
  const failed = [...text.matchAll(/^ *\[(?:FAIL|PANICKED!|TIMEDOUT)\] (.*)$/gm)].map(([, name = ""]) => name.trim());
  return { passed, skipped: skipped.reduce((a, b) => a + b), specs, failed: [...new Set(failed)] };
}
