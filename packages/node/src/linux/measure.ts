/** Measures what folders take of the disk. They are measured inside, where no link of a pod leads elsewhere. */
import type { Keeper } from "./keeper-link.ts";

/** How many bytes the folders of each name take together, by their paths inside; what is not there takes none. */
export async function measure(
  keeper: Keeper,
  folders: ReadonlyMap<string, readonly string[]>,
): Promise<ReadonlyMap<string, bigint>> {
  const paths = [...folders.values()].flat();
  if (paths.length === 0) return new Map();
  // Files may go while they are counted: what it says about the rest still counts.
  const { stdout } = await keeper.run(["du", "--summarize", "--one-file-system", "--block-size=1", "--", ...paths]);
  const sizes = new Map(stdout.split("\n").map(toSize));
  const total = (list: readonly string[]): bigint => list.reduce((sum, path) => sum + (sizes.get(path) ?? 0n), 0n);
  return new Map([...folders].map(([name, list]) => [name, total(list)]));
}

/** A line of `du`: bytes, a tab, and the folder as it was named. */
function toSize(line: string): readonly [string, bigint] {
  const [bytes = "", folder = ""] = line.split("\t");
  return [folder, BigInt(bytes)];
}
