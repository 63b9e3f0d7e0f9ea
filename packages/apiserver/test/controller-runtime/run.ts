/**
 * Runs the test packages of controller-runtime on this server, through its launchers: `npm run controller-runtime -- [--rounds N] [--real
 * FOLDER] [--page] [package...]`.
 *
 * They are built once from the Go module into the cache folder of the user. Failed specs are printed by name; the whole output of a
 * package is next to its program. `--real` also runs them on the kube-apiserver and etcd of a folder; `--page` writes
 * docs/reference/controller-runtime.md. A run takes about five minutes, so it is not part of `npm test`.
 */
import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildPackage, testedPackages } from "./build.ts";
import { toPage, type Tried } from "./page.ts";
import { runPackage, type Specs } from "./specs.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "1" },
    real: { type: "string" },
    page: { type: "boolean", default: false },
  },
});
const names = positionals.length === 0 ? testedPackages : positionals;
let failures = 0;
for (let round = 1; round <= Number(values.rounds); round++) {
  const tried: Tried[] = [];
  for (const name of names) {
    const program = await buildPackage(name);
    const ours = await runPackage(program);
    failures += ours.failed.length + (ours.ended ? 0 : 1);
    tell(name, ours);
    const real = values.real === undefined ? undefined : await runPackage(program, values.real);
    if (real !== undefined) tell(`${name}, on the real server`, real);
    tried.push({ name, ours, real });
  }
  if (values.page) await writeFile(page(), toPage(tried, commit()));
}
process.exitCode = failures === 0 ? 0 : 1;

function tell(name: string, { passed, skipped, specs, failed, seconds, ended }: Specs): void {
  const end = ended ? "" : ", and did not end well";
  process.stdout.write(
    `${name}: ${passed} of ${specs} passed, ${skipped} left out, in ${seconds.toFixed(0)} s${end}\n`,
  );
  for (const spec of failed) process.stdout.write(`  failed: ${spec}\n`);
}

function page(): string {
  return join(import.meta.dirname, "../../../../docs/reference/controller-runtime.md");
}

function commit(): string {
  return execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
}
