/**
 * What a container is entered with. Whoever enters has all rights of the node until it gives them up, and only a program of the node can be
 * trusted to do that; so every container has such a program in a folder that it cannot change.
 */
import { execFile } from "node:child_process";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { NodeError } from "../errors.ts";

/** Where a container has the programs. */
const folder = "/.capstan";
const giveUpRights = "/usr/bin/setpriv";
const setVariables = "/usr/bin/env";

/** A file of the node and where containers see it. */
export interface KitFile {
  readonly from: string;
  readonly to: string;
}

/** Programs of the node that run in any container, whatever its image has. */
export interface EnterKit {
  readonly files: readonly KitFile[];
  /** The command that gives up rights, to be followed by its options. */
  readonly setpriv: readonly string[];
  /** The command that takes on the container's filter of system calls, to be followed by another; empty where there is none. */
  readonly filter: readonly string[];
  /** The command that sets variables, to be followed by them. */
  readonly env: readonly string[];
}

/** Finds the programs and what they need to run. */
export async function findEnterKit(): Promise<EnterKit> {
  const ask = promisify(execFile);
  const needed = await Promise.all(
    [giveUpRights, setVariables].map(async (program) => {
      try {
        return (await ask("ldd", [program])).stdout;
      } catch (cause) {
        throw new NodeError("Internal", `could not find out what ${program} needs to run in containers`, { cause });
      }
    }),
  );
  return toEnterKit(needed.join("\n"));
}

/** Reads what `ldd` says: libraries with their places, and the loader, which stands alone. */
export function toEnterKit(said: string): EnterKit {
  const libraries = [...said.matchAll(/^\s*(\S+) => (\/\S+)/gm)].map(([, name = "", from = ""]) => ({ name, from }));
  const loader = /^\s*(\/\S+) \(/m.exec(said)?.[1];
  const files = new Map([giveUpRights, setVariables].map((program) => [join(folder, basename(program)), program]));
  for (const { name, from } of libraries) files.set(join(folder, name), from);
  if (loader !== undefined) files.set(join(folder, basename(loader)), loader);
  const load = loader === undefined ? [] : [join(folder, basename(loader)), "--library-path", folder];
  return {
    files: [...files].map(([to, from]) => ({ from, to })),
    setpriv: [...load, join(folder, basename(giveUpRights))],
    filter: [],
    env: [...load, join(folder, basename(setVariables))],
  };
}

/** The programs for a container whose system calls are filtered: the filter is a program, too, and this file of the node. */
export function withFilter(kit: EnterKit, from: string): EnterKit {
  const to = join(folder, "filter");
  return { ...kit, files: [...kit.files, { from, to }], filter: [to] };
}
