/**
 * Runs any number of random worlds: `npm run worlds -w packages/runtime -- 1-10000`, or one again: `... -- 4711`. Prints every seed that
 * fails, continues with the next, and ends with the sums.
 */
import { World } from "./world.ts";

const [first, last] = seedsOf(process.argv[2] ?? "1-1000");
// Worlds have many errors, and stacks cost time; run a single world to see the stacks.
if (last > first) Error.stackTraceLimit = 0;
const begun = performance.now();
const sums = { worlds: 0, failed: 0, reconciles: 0, writes: 0, faults: 0 };

for (let seed = first; seed <= last; seed++) {
  try {
    const { reconciles, writes, faults } = await new World(seed).run();
    sums.reconciles += reconciles;
    sums.writes += writes;
    sums.faults += faults;
  } catch (error) {
    sums.failed++;
    console.error(`seed ${seed} fails; repeat it with: npm run worlds -w packages/runtime -- ${seed}\n`, error);
  }
  sums.worlds++;
  if (sums.worlds % 500 === 0) tell(`so far, up to seed ${seed}`);
}
tell(`seeds ${first} to ${last}`);
process.exitCode = sums.failed === 0 ? 0 : 1;

function tell(which: string): void {
  const seconds = Math.round((performance.now() - begun) / 1000);
  const said = Object.entries(sums).map(([what, count]) => `${what} ${count.toLocaleString("en")}`);
  console.log(`${which}: ${said.join(", ")}, ${seconds} s`);
}

function seedsOf(text: string): readonly [number, number] {
  const [, from, to = from] = /^(\d+)(?:-(\d+))?$/u.exec(text) ?? [];
  if (from === undefined) throw new Error(`cannot read "${text}" as seeds: write 4711 or 1-10000`);
  return [Number(from), Number(to)];
}
