/** Keys per second through the work queue: added with a trigger, taken and done, with many waiting and several tenants. */
import { systemClock } from "@capstan/runtime";
import { Queue } from "@capstan/runtime/testing";
import { Figures } from "./result.ts";
import type { Found } from "./result.ts";

/** The number of waiting keys, and the name of the row: with a thousand, memory access costs nothing. */
const sizes: readonly (readonly [name: string, keys: number])[] = [
  ["add, take and done, 1,000 keys", 1_000],
  ["add, take and done", 200_000],
  ["add, take and done, 1,000,000 keys", 1_000_000],
];

const leastTurns = 1_000_000;

/** At least a million reconciles for each size in each round. */
export async function benchQueue(rounds: number): Promise<Found> {
  const figures = new Figures("queue");
  mustNotStarve();
  for (let round = 0; round < rounds; round++) {
    for (const [name, keys] of sizes) {
      const turns = Math.max(leastTurns, 2 * keys);
      figures.add("capstan", name, "per second", turns / secondsOf(namesOf(keys), turns));
    }
  }
  return { rows: figures.rows() };
}

function namesOf(keys: number): readonly string[] {
  return Array.from({ length: keys }, (_, at) => `tenant-${at % 50}/object-${at}`);
}

/** Takes keys as often as measured, and adds each again when it is done, so that the queue stays full. */
function secondsOf(names: readonly string[], turns: number): number {
  const queue = new Queue<string>({ clock: systemClock, random: () => 0.5, onReady: () => {} });
  const began = process.cpuUsage();
  for (const name of names) queue.add(name, { trigger: "added" });
  for (let turn = 0; turn < turns; turn++) {
    const taken = queue.take();
    if (taken === undefined) throw new RangeError(`the queue ran dry after ${turn} turns`);
    queue.done(taken.key, { then: "forget" });
    if (turn + names.length < turns) queue.add(taken.key, { trigger: "changed" });
  }
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1e6;
}

/** While one tenant floods the queue, every key of every other tenant is taken. */
function mustNotStarve(): void {
  const queue = new Queue<string>({ clock: systemClock, random: () => 0.5, onReady: () => {} });
  for (let at = 0; at < 10_000; at++) queue.add(`loud/object-${at}`, { priority: 10 });
  const quiet = new Set(Array.from({ length: 100 }, (_, at) => `quiet-${at % 10}/object-${at}`));
  for (const key of quiet) queue.add(key);
  for (let turn = 0; turn < 2000 && quiet.size > 0; turn++) {
    const taken = queue.take();
    if (taken === undefined) break;
    queue.done(taken.key, { then: "forget" });
    if (taken.key.startsWith("loud/")) queue.add(taken.key, { priority: 10 });
    quiet.delete(taken.key);
  }
  if (quiet.size > 0) throw new RangeError(`${quiet.size} of 100 keys were starved by a tenant that floods the queue`);
}
