/**
 * Locks the folder of a cluster for one process while it lives. Claims are numbered. A process that finds the owner of the last claim
 * dead creates the next number with link(2), which succeeds for one process only, so no process ever deletes the claim of another one.
 */
import { link, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CliError } from "../errors.ts";
import { isAlive, markOf, type ProcessMark } from "./record.ts";

const prefix = "claim-";

/** Claims the folder of a cluster while this process lives. */
export async function claimFolder(folder: string, name: string): Promise<void> {
  const own = join(folder, `claiming-${process.pid}`);
  for (;;) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(own, JSON.stringify(markOf(process.pid)));
    const last = await lastClaim(folder);
    if (last.isAlive)
      throw new CliError("Cluster", `the cluster ${name} runs already; choose another --name, or stop it first`);
    const code = await link(own, join(folder, `${prefix}${last.number + 1}`)).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error.code,
    );
    if (code !== undefined && code !== "EEXIST" && code !== "ENOENT")
      throw new CliError("Failed", `could not use the folder ${folder}: ${code}`);
    if (code === undefined) return rm(own, { force: true });
    // Another process was faster, or has just removed the folder: try again.
  }
}

async function lastClaim(folder: string): Promise<{ readonly number: number; readonly isAlive: boolean }> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith(prefix));
  const number = Math.max(0, ...names.map((name) => Number(name.slice(prefix.length))));
  const text = await readFile(join(folder, `${prefix}${number}`), "utf8").catch(() => undefined);
  return { number, isAlive: text !== undefined && isAlive(JSON.parse(text) as ProcessMark) };
}
