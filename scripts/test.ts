/** Everything, as CI runs it: set up what the tests need, check the sources, run every test. */
import { spawnSync } from "node:child_process";
import { closingLines, mayBeSkipped } from "./test/summary.ts";
import { runTests, testFiles } from "./test/run-tests.ts";
import { prepareMachine, tidyMachine } from "./test/machine.ts";

const ci = process.env.CI === "true";
const only = process.argv.slice(2);

async function main(): Promise<number> {
  if (only.length === 0) {
    const checked = spawnSync(process.execPath, ["--conditions=@capstan/source", "scripts/check.ts"], {
      stdio: "inherit",
    });
    if (checked.status !== 0) return 1;
  }
  await prepareMachine(console.log, { ci });
  const files = testFiles("package", "story").filter(
    (file) => only.length === 0 || only.some((part) => file.includes(part)),
  );
  const outcome = await runTests(files, { print: console.log });
  await tidyMachine(console.log);
  for (const line of closingLines(outcome, { ci })) console.log(line);
  const isWhole = outcome.skipped.every((test) => !ci || mayBeSkipped(test));
  return outcome.ok && isWhole ? 0 : 1;
}

process.exitCode = await main();
