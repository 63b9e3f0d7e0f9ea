/**
 * Who may use the folder of a cluster: the first who says so, until it ends. Claims are numbered, and who finds the last one's process dead
 * takes the next number, which the file system gives to one only; so nobody ever has to take away what may be another's by now.
 */
import { link, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CliError } from "../errors.ts";
import { isAlive, markOf, type ProcessMark } from "./record.ts";

const prefix = "claim-";

/** Claims the folder of a cluster for this process, for as long as it lives. */
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
    // Somebody was faster, or has just left and taken the folder along.
  }
}

async function lastClaim(folder: string): Promise<{ readonly number: number; readonly isAlive: boolean }> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith(prefix));
  const number = Math.max(0, ...names.map((name) => Number(name.slice(prefix.length))));
  const text = await readFile(join(folder, `${prefix}${number}`), "utf8").catch(() => undefined);
  return { number, isAlive: text !== undefined && isAlive(JSON.parse(text) as ProcessMark) };
}
