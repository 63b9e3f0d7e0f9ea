/** `capstan cluster load-image`: puts images where the pods of this user's clusters find them. */
import { existsSync } from "node:fs";
import { delimiter, resolve } from "node:path";
import { buildProgramImage, loadArchive, openStore } from "@capstan/oci";
import { defineCommand, type Command } from "../command/define.ts";
import { imagesFolder } from "../embedded/places.ts";
import { CliError } from "../errors.ts";
import { withProgress } from "../output/progress.ts";
import type { Terminal } from "../terminal.ts";

/** Loads images. */
export const clusterLoadImage: Command = defineCommand({
  describe:
    "All clusters of this user share one store, so an image is loaded once and also before a cluster starts. With --program it is made of a program that is installed here, with its libraries and nothing else (a busybox also with the names of all that it can do, sh and wget among them); it runs as nobody.",
  arguments: [{ name: "archive", describe: "OCI archives, or what docker save wrote", presence: "many" }],
  options: {
    program: { type: "text", value: "PROGRAM", describe: "make an image of this program; needs --tag" },
    tag: { type: "text", value: "IMAGE", describe: "the name of the image that is made" },
  },
  examples: [
    { line: "capstan cluster load-image app.tar", does: "Make the images of app.tar known" },
    {
      line: "capstan cluster load-image --program memcached --tag memcached:1.6",
      does: "Make an image of the memcached of this machine",
    },
  ],
  run: async ({ options: { program, tag }, args, terminal }) => {
    if ((program === undefined) !== (tag === undefined))
      throw new CliError("Usage", "--program and --tag belong together: what the image is made of, and its name");
    if (args.length === 0 && program === undefined)
      throw new CliError("Usage", "say which archive to load, or --program and --tag");
    const store = await openStore(imagesFolder(terminal));
    for (const archive of args) {
      const load = (): Promise<string[]> => loadArchive(resolve(terminal.cwd, archive), store);
      const names = await withProgress(terminal, `loading ${archive}`, load);
      for (const name of names) terminal.out(`loaded ${name}\n`);
    }
    if (program === undefined || tag === undefined) return;
    const made = { program: findProgram(program, terminal), name: tag, machine: process };
    const name = await withProgress(terminal, `making ${tag}`, () => buildProgramImage(made, store));
    terminal.out(`loaded ${name}\n`);
  },
});

/** Searches the PATH as a shell does. */
function findProgram(word: string, { cwd, env }: Terminal): string {
  const folders = word.includes("/") ? [cwd] : (env["PATH"] ?? "").split(delimiter).filter(Boolean);
  const found = folders.map((folder) => resolve(folder, word)).find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new CliError("BadInput", `there is no program ${word} on this machine; install it, or give its path`);
}
