/**
 * Runs the test packages of controller-runtime on this server, through its launchers: `npm run controller-runtime -- [--rounds N] [package...]`.
 *
 * They are built from the Go module into the cache folder of the user, once. What failed is told by name; the whole output of a package is
 * beside its program. A run takes about five minutes, so it is no part of `npm test`.
 */
import { parseArgs } from "node:util";
import { buildPackage, testedPackages } from "./build.ts";
import { runPackage } from "./specs.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "1" } },
});
const names = positionals.length === 0 ? testedPackages : positionals;
let failures = 0;
for (let round = 1; round <= Number(values.rounds); round++) {
  for (const name of names) {
    const { passed, specs, failed, seconds, ended } = await runPackage(await buildPackage(name));
    if (!ended) failures++;
    failures += failed.length;
    const end = ended ? "" : ", and did not end well";
    process.stdout.write(`${name}: ${passed} of ${specs} passed in ${seconds.toFixed(0)} s${end}\n`);
    for (const spec of failed) process.stdout.write(`  failed: ${spec}\n`);
  }
}
process.exitCode = failures === 0 ? 0 : 1;
