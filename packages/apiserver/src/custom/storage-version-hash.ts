/** The hash by which clients detect a changed storage version. */
import { createHash } from "node:crypto";

/** The first eight bytes of a hash over group, version and kind. */
export function storageVersionHash({ group, version, kind }: { group: string; version: string; kind: string }): string {
  return createHash("sha256").update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString("base64");
}
