/** The cost of importing Capstan, over a Node that imports nothing, and the start-up time of the command. */
import { execFileSync } from "node:child_process";
import { Figures } from "./result.ts";
import type { Found } from "./result.ts";

/** Prints CPU milliseconds and resident MiB at the end of a program. */
const tell = `
const { user, system } = process.cpuUsage();
console.log((user + system) / 1000, process.memoryUsage().rss / 2 ** 20);`;

/** Each in a separate process, several times. */
export async function benchImport(rounds: number): Promise<Found> {
  const figures = new Figures("import");
  for (let round = 0; round < rounds; round++) {
    const bare = costOf("");
    figures.add("bare Node", "the whole process, CPU", "ms", bare[0]);
    figures.add("bare Node", "the whole process, memory", "MiB", bare[1]);
    for (const [contender, module] of [
      ["capstan", "capstan"],
      ["client-node", "@kubernetes/client-node"],
    ] as const) {
      const [cpu, memory] = costOf(`await import(${JSON.stringify(module)});`);
      figures.add(contender, "the whole process, CPU", "ms", cpu);
      figures.add(contender, "the whole process, memory", "MiB", memory);
      figures.add(contender, `import capstan, CPU`, "ms over bare Node", cpu - bare[0]);
      figures.add(contender, `import capstan, memory`, "MiB over bare Node", memory - bare[1]);
    }
    figures.add("capstan", "capstan --help", "ms", timeOfHelp());
  }
  return { rows: figures.rows() };
}

function costOf(program: string): readonly [cpu: number, memory: number] {
  const args = ["--input-type=module", "-e", program + tell];
  const [cpu, memory] = execFileSync(process.execPath, args, { cwd: "bench", encoding: "utf8" }).split(" ").map(Number);
  return [cpu ?? Number.NaN, memory ?? Number.NaN];
}

function timeOfHelp(): number {
  const began = performance.now();
  execFileSync(process.execPath, ["apps/cli/dist/main.js", "--help"], { stdio: "ignore" });
  return performance.now() - began;
}
