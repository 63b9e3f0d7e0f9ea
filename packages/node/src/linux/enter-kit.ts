/**
 * The programs that enter a container. The first one holds all rights of the node until it drops them. Only a program of the node that
 * reads nothing of the container can be trusted with that, so every container has one in a folder that it cannot change. The others set
 * variables, with the rights of the container: their loader reads files of the container.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { NodeError } from "../errors.ts";
import { quoted } from "./quoted.ts";

const giveUpRights = "/usr/bin/setpriv";
const setVariables = "/usr/bin/env";

/** Where the node collects the programs, to mount them as one folder: each further mount costs time at every start. */
const nodesFolder = "/mnt/kit";
/** The name of the program that is made for one container. */
const ownProgram = "enter";

/** Programs of the node that run in any container, whatever its image contains. */
export interface EnterKit {
  /** Their folder in the container. */
  readonly folder: string;
  /** Which files of the node are mounted there, outer folders first. */
  readonly shown: readonly { readonly from: string; readonly to: string }[];
  /** The files of the node that are executed there. */
  readonly programs: readonly string[];
  /** The command that drops the rights that the container may not have; another command follows it. Without it no process can enter. */
  readonly enter: readonly string[];
  /** A command that executes another one of any name, to be followed by its options. */
  readonly setpriv: readonly string[];
  /** The command that sets variables, to be followed by them. */
  readonly env: readonly string[];
}

/**
 * The folder of the programs in one container. Neither an image nor a volume can prepare content at a random name. It is the first mount,
 * so that no mount of a pod precedes it.
 */
export function kitFolder(secret: string, id: string): string {
  return `/.capstan-${createHash("sha256").update(`${secret}/${id}`).digest("hex").slice(0, 32)}`;
}

/** The programs of this machine. */
export interface Programs {
  /** Lines of a shell script that collect them. */
  readonly script: string;
  /** The programs as a container sees them. */
  readonly kit: (folder: string) => EnterKit;
}

/** Finds the programs and their libraries; apart from their folder they are the same in all containers. */
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

/** Parses the output of `ldd`: libraries with their paths, and the loader, which has a line without an arrow. */
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

/** All containers see the same files: an overlay without an upper layer cannot be made writable, whatever the rights. */
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

/** The programs for one container: the first one is this file, which is made for it. */
export function withProgram(kit: EnterKit, from: string): EnterKit {
  const to = join(kit.folder, ownProgram);
  return { ...kit, shown: [...kit.shown, { from, to }], programs: [...kit.programs, from], enter: [to] };
}
