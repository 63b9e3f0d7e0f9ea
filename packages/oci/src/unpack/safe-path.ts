/** Keeps the paths of a layer inside the folder it is unpacked to. */
import { lstat, readlink } from "node:fs/promises";
import { join } from "node:path";
import { OciError } from "../errors.ts";

/** No usable path on Linux is longer; the steps along a path take time that grows with its length. */
const longestPath = 4096;

/** The parts of a path in a layer; absolute paths start at the root of the image, and no path leaves it. */
export function partsOf(path: string): string[] {
  if (path.length > longestPath)
    throw new OciError("UnsafeLayer", `the layer has a path of ${path.length} characters; do not use this image`);
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes(".."))
    throw new OciError(
      "UnsafeLayer",
      `the layer has the path "${path}", which climbs; nothing was written outside, do not use this image`,
    );
  if (path.includes("\0"))
    throw new OciError("UnsafeLayer", `the layer has a path with a zero byte in it; do not use this image`);
  return parts;
}

/** Paths may be deep; only links can form a cycle. */
const mostLinks = 255;

/** The average number of steps along the path of an entry. */
const stepsAnEntry = 64;

/** Steps along paths with a limit for a whole layer: small layers can name deep paths through many links. */
export class Steps {
  #left = 64 * stepsAnEntry;

  /** Counts an entry: each one allows further steps. */
  addEntry(): void {
    this.#left += stepsAnEntry;
  }

  take(): void {
    if (--this.#left >= 0) return;
    throw new OciError(
      "UnsafeLayer",
      `the layer has paths and links of more than ${stepsAnEntry} parts on average; do not use this image`,
    );
  }
}

/**
 * The location of a layer's path on disk. Symlinks on the way are followed as the image would see them, with the folder as its root, so a
 * link to /etc leads to <root>/etc and never to the host's.
 */
export async function resolveInside(
  root: string,
  parts: readonly string[],
  steps: Steps = new Steps(),
): Promise<string> {
  // Stacks: the next part is the last one of `pending`, and `resolved` has the path of each folder on the way.
  const resolved = [root];
  const pending = parts.slice(0, -1).toReversed();
  const top = (): string => resolved.at(-1) ?? root;
  let links = 0;
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    steps.take();
    if (part === "..") {
      if (resolved.length > 1) resolved.pop();
      continue;
    }
    const path = join(top(), part);
    const target = await linkAt(path);
    if (target === undefined) {
      resolved.push(path);
      continue;
    }
    if (++links > mostLinks)
      throw new OciError(
        "UnsafeLayer",
        `the layer has symlinks that lead in a circle at "${parts.join("/")}"; do not use this image`,
      );
    if (target.startsWith("/")) resolved.length = 1;
    pending.push(
      ...target
        .split("/")
        .filter((one) => one !== "" && one !== ".")
        .toReversed(),
    );
  }
  return join(top(), parts.at(-1) ?? "");
}

async function linkAt(path: string): Promise<string | undefined> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isSymbolicLink() === true ? readlink(path) : undefined;
}
