/**
 * What a container is entered with. Whoever enters has all rights of the node until it gives them up, and only a program of the node that looks
 * at nothing in the container can be trusted to do that; so every container has such a program in a folder that it cannot change. The others
 * set variables, with the rights of the container: their loader heeds what the container's files tell it.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { NodeError } from "../errors.ts";

const giveUpRights = "/usr/bin/setpriv";
const setVariables = "/usr/bin/env";

/** A file of the node and where containers see it. */
export interface KitFile {
  readonly from: string;
  readonly to: string;
}

/** Programs of the node that run in any container, whatever its image has. */
export interface EnterKit {
  /** Where a container has them. */
  readonly folder: string;
  readonly files: readonly KitFile[];
  /** The command that gives up what the container may not have, to be followed by another; nobody can enter where there is none. */
  readonly enter: readonly string[];
  /** A command that becomes another, whatever that is called, to be followed by its options. */
  readonly setpriv: readonly string[];
  /** The command that sets variables, to be followed by them. */
  readonly env: readonly string[];
}

/**
 * A folder for the programs in one container. Nobody can have prepared anything at a name of chance, neither in an image nor in a volume;
 * what is there is the first thing that is mounted, so that nothing which a pod names comes before it.
 */
export function kitFolder(secret: string, id: string): string {
  return `/.capstan-${createHash("sha256").update(`${secret}/${id}`).digest("hex").slice(0, 32)}`;
}

/** Finds the programs and what they need to run; they are the same in all containers but for their folder. */
export async function findEnterKit(): Promise<(folder: string) => EnterKit> {
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
  return (folder) => toEnterKit(needed.join("\n"), folder);
}

/** Reads what `ldd` says: libraries with their places, and the loader, which stands alone. All go to a folder of the container. */
export function toEnterKit(said: string, folder: string): EnterKit {
  const libraries = [...said.matchAll(/^\s*(\S+) => (\/\S+)/gm)].map(([, name = "", from = ""]) => ({ name, from }));
  const loader = /^\s*(\/\S+) \(/m.exec(said)?.[1];
  const files = new Map([giveUpRights, setVariables].map((program) => [join(folder, basename(program)), program]));
  for (const { name, from } of libraries) files.set(join(folder, name), from);
  if (loader !== undefined) files.set(join(folder, basename(loader)), loader);
  const load = loader === undefined ? [] : [join(folder, basename(loader)), "--library-path", folder];
  return {
    folder,
    files: [...files].map(([to, from]) => ({ from, to })),
    setpriv: [...load, join(folder, basename(giveUpRights))],
    enter: [],
    env: [...load, join(folder, basename(setVariables))],
  };
}

/** The programs for one container: the first of them is its own, and this file of the node. */
export function withProgram(kit: EnterKit, from: string): EnterKit {
  const to = join(kit.folder, "enter");
  return { ...kit, files: [...kit.files, { from, to }], enter: [to] };
}
