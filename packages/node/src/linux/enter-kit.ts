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
import { quoted } from "./quoted.ts";

const giveUpRights = "/usr/bin/setpriv";
const setVariables = "/usr/bin/env";

/** Where the node has the programs together, to be shown as one folder: each thing that is shown on its own takes time at every start. */
const nodesFolder = "/mnt/kit";
/** The name of the program that is made for one container. */
const ownProgram = "enter";

/** Programs of the node that run in any container, whatever its image has. */
export interface EnterKit {
  /** Where a container has them. */
  readonly folder: string;
  /** What of the node is shown there, outer folders first. */
  readonly shown: readonly { readonly from: string; readonly to: string }[];
  /** The files of the node that are run there. */
  readonly programs: readonly string[];
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

/** The programs of this machine. */
export interface Programs {
  /** The lines of a shell's script that bring them together. */
  readonly script: string;
  /** As a container has them. */
  readonly kit: (folder: string) => EnterKit;
}

/** Finds the programs and what they need to run; they are the same in all containers but for their folder. */
export async function findPrograms(): Promise<Programs> {
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
  return toPrograms(needed.join("\n"));
}

/** Reads what `ldd` says: libraries with their places, and the loader, which stands alone. */
export function toPrograms(said: string): Programs {
  const files = new Map([giveUpRights, setVariables].map((program) => [basename(program), program]));
  for (const [, name = "", from = ""] of said.matchAll(/^\s*(\S+) => (\/\S+)/gm)) files.set(name, from);
  const loader = /^\s*(\/\S+) \(/m.exec(said)?.[1];
  if (loader !== undefined) files.set(basename(loader), loader);
  return {
    script: gatherScript(files),
    kit(folder) {
      const load = loader === undefined ? [] : [join(folder, basename(loader)), "--library-path", folder];
      return {
        folder,
        shown: [{ from: nodesFolder, to: folder }],
        programs: [...files.keys()].map((name) => join(nodesFolder, name)),
        setpriv: [...load, join(folder, basename(giveUpRights))],
        enter: [],
        env: [...load, join(folder, basename(setVariables))],
      };
    },
  };
}

/** All containers see the same files: a file system without an upper layer is one that nobody can make writable, whatever they may. */
function gatherScript(files: ReadonlyMap<string, string>): string {
  const gathered = `${nodesFolder}-files`;
  return [
    `mkdir ${nodesFolder} ${gathered}`,
    ...[...files].map(([name, from]) => `cp -L ${quoted(from)} ${quoted(join(gathered, name))}`),
    `: > ${join(gathered, ownProgram)}`,
    `mount -t overlay -o lowerdir=${gathered}:/none overlay ${nodesFolder}`,
    "",
  ].join("\n");
}

/** The programs for one container: the first of them is its own, and this file of the node. */
export function withProgram(kit: EnterKit, from: string): EnterKit {
  const to = join(kit.folder, ownProgram);
  return { ...kit, shown: [...kit.shown, { from, to }], programs: [...kit.programs, from], enter: [to] };
}
