/** Recognizes a folder whose database is gone: a server would start on it as an empty cluster. */
import { statSync } from "node:fs";
import { join } from "node:path";

/** The damage, for reports. */
export const lostDatabase = "capstan.db is missing or empty, but keys.json shows that there was one";

/** A server writes its keys only after its database. */
export function isDatabaseLost(folder: string): boolean {
  const size = (name: string): number | undefined => statSync(join(folder, name), { throwIfNoEntry: false })?.size;
  return size("keys.json") !== undefined && (size("capstan.db") ?? 0) === 0;
}
