/** Folders that users of pods pass through, whoever they are: what the process would keep from others for itself is not for these. */
import { chmod, mkdir } from "node:fs/promises";
import { dirname } from "node:path";

/** Makes a folder and those above it that are missing; says whether it was missing itself. */
export async function makeOpenFolder(path: string): Promise<boolean> {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return false;
  for (let made = path; made.length >= first.length; made = dirname(made)) await chmod(made, 0o755);
  return true;
}
