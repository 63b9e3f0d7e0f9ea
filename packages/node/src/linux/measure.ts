/** Measures the disk usage of folders. This runs inside, where no link of a pod leads elsewhere. */
import type { ShimClient } from "./shim-client.ts";

/** The total bytes of the folders for each name, by their paths inside; a missing folder counts as empty. */
export async function measure(
  shim: ShimClient,
  folders: ReadonlyMap<string, readonly string[]>,
): Promise<ReadonlyMap<string, bigint>> {
  const paths = [...folders.values()].flat();
  if (paths.length === 0) return new Map();
  // Files may disappear during the count: the other results of `du` still count.
  const { stdout } = await shim.run(["du", "--summarize", "--one-file-system", "--block-size=1", "--", ...paths]);
  const sizes = new Map(stdout.split("\n").map(toSize));
  const total = (list: readonly string[]): bigint => list.reduce((sum, path) => sum + (sizes.get(path) ?? 0n), 0n);
  return new Map([...folders].map(([name, list]) => [name, total(list)]));
}

/** A line of `du`: bytes, a tab, and the folder as it was passed. */
function toSize(line: string): readonly [string, bigint] {
  const [bytes = "", folder = ""] = line.split("\t");
  return [folder, BigInt(bytes)];
}
