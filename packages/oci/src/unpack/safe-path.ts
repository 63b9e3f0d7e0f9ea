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

/**
 * The location of a layer's path on disk. Symlinks on the way are followed as the image would see them, with the folder as its root, so a
 * link to /etc leads to <root>/etc and never to the host's.
 */
export async function resolveInside(root: string, parts: readonly string[]): Promise<string> {
  let resolved: string[] = [];
  let pending = parts.slice(0, -1);
  let links = 0;
  while (pending.length > 0) {
    if (links > mostLinks)
      throw new OciError(
        "UnsafeLayer",
        `the layer has symlinks that lead in a circle at "${parts.join("/")}"; do not use this image`,
      );
    const [part = "", ...rest] = pending;
    if (part === "..") {
      resolved = resolved.slice(0, -1);
      pending = rest;
      continue;
    }
    const target = await linkAt(join(root, ...resolved, part));
    if (target === undefined) resolved = [...resolved, part];
    else links++;
    if (target?.startsWith("/") === true) resolved = [];
    pending = target === undefined ? rest : [...target.split("/").filter((one) => one !== "" && one !== "."), ...rest];
  }
  return join(root, ...resolved, parts.at(-1) ?? "");
}

async function linkAt(path: string): Promise<string | undefined> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isSymbolicLink() === true ? readlink(path) : undefined;
}
