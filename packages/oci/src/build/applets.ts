/** Multi-call programs: they act according to the name that they are called by. */
import { execFile } from "node:child_process";
import { realpath } from "node:fs/promises";
import { basename } from "node:path";
import { promisify } from "node:util";
import { OciError } from "../errors.ts";
import type { LayerEntry } from "./layer.ts";

/** Links in /bin for all applets of a busybox, so that its shell and its tools are found; none for other programs. */
export async function appletLinks(program: string, at: string): Promise<LayerEntry[]> {
  if (basename(await realpath(program)) !== "busybox") return [];
  const names = await listApplets(program);
  return names.map((name) => ({ path: `/bin/${name}`, type: "symlink", target: at, mode: 0o777 }));
}

async function listApplets(program: string): Promise<string[]> {
  try {
    const { stdout } = await promisify(execFile)(program, ["--list"]);
    // Each line becomes a file name, so it must be a valid one.
    return [...new Set(stdout.split("\n").filter((name) => /^[\w[][\w[.-]*$/.test(name)))].sort();
  } catch (cause) {
    throw new OciError("BadProgram", `could not ask ${program} what it can do (${program} --list)`, { cause });
  }
}
