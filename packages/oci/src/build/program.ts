/** The files that a program of this machine needs to run elsewhere: itself, its loader and its shared libraries. */
import { execFile } from "node:child_process";
import { readFile, realpath } from "node:fs/promises";
import { basename, posix } from "node:path";
import { promisify } from "node:util";
import { OciError } from "../errors.ts";
import { platformOf } from "../image.ts";
import { formatReference, parseReference } from "../reference.ts";
import type { Store } from "../store/store.ts";
import { appletLinks } from "./applets.ts";
import { buildImage } from "./image.ts";
import type { LayerEntry } from "./layer.ts";

const run = promisify(execFile);

/** Entries for a program and every library that it loads, each at the path where its loader looks for it. */
export async function programEntries(
  program: string,
  { at = `/usr/bin/${basename(program)}` }: { readonly at?: string } = {},
): Promise<LayerEntry[]> {
  const libraries = await librariesOf(program);
  const entries = await Promise.all(
    libraries.map(async (path) => ({
      path,
      type: "file" as const,
      mode: 0o755,
      body: await readFile(await realpath(path)),
    })),
  );
  return [{ path: at, type: "file", mode: 0o755, body: await readFile(await realpath(program)) }, ...entries];
}

/** A program of this machine to put in an image. */
export interface ProgramImage {
  /** The path of the program. */
  readonly program: string;
  /** The name of the image. */
  readonly name: string;
  readonly machine: Parameters<typeof platformOf>[0];
}

/** Builds an image of an installed program, which runs as user nobody, and tags it in the store; returns the full name. */
export async function buildProgramImage({ program, name, machine }: ProgramImage, store: Store): Promise<string> {
  const reference = formatReference(parseReference(name));
  const at = `/usr/bin/${basename(program)}`;
  const users = "root:x:0:0::/:/bin/false\nnobody:x:65534:65534::/:/bin/false\n";
  const files = [{ path: "/etc/passwd", type: "file" as const, mode: 0o644, body: users }];
  const descriptor = await buildImage(
    {
      platform: platformOf(machine),
      layers: [await programEntries(program, { at }), [...files, ...(await appletLinks(program, at))]],
      config: { Entrypoint: [at], User: "65534" },
    },
    store,
  );
  await store.tag(reference, descriptor);
  return reference;
}

async function librariesOf(program: string): Promise<string[]> {
  try {
    const { stdout } = await run("ldd", [program]);
    return [
      ...new Set([...stdout.matchAll(/(?:=>\s+)?(\/\S+)\s+\(0x/g)].map(([, path = ""]) => posix.normalize(path))),
    ].sort();
  } catch (error) {
    // ldd prints this for a static program, and fails.
    const said = `${(error as { stderr?: string }).stderr ?? ""}${(error as { stdout?: string }).stdout ?? ""}`;
    if (/not a dynamic executable|statically linked/.test(said)) return [];
    throw new OciError(
      "BadProgram",
      `could not find out which libraries ${program} needs; is it a program of this machine?`,
      { cause: error },
    );
  }
}
