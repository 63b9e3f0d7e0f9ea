/** `capstan bundle build` and `capstan bundle push`: a bundle as an image, without Docker. */
import { resolve } from "node:path";
import { buildBundleImage, readFolder, validateBundle } from "@capstan/bundle";
import { formatReference, parseReference } from "@capstan/oci";
import { type Command, defineCommand } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { withProgress } from "../output/progress.ts";
import { writeArchive } from "../registry/archive.ts";
import { openImages, pushBuilt } from "../registry/images.ts";
import { insecureOption } from "../registry/session.ts";

/** Builds the image. */
export const bundleBuild: Command = defineCommand({
  describe:
    "The labels of the image repeat the bundle's annotations, as OLM wants them. The same bundle gives the same digest.",
  arguments: [{ name: "IMAGE", describe: "what the image is called", presence: "required" }],
  options: {
    dir: { type: "text", value: "DIR", default: "bundle", describe: "the bundle" },
    archive: { type: "text", value: "FILE", describe: "also write an OCI archive" },
  },
  examples: [
    { line: "capstan bundle build registry.example.com/app-bundle:v0.1.0", does: "Build it; then capstan bundle push" },
    { line: "capstan bundle build app-bundle:v0.1.0 --archive bundle.tar", does: "For other tools" },
  ],
  run: async ({ options, args: [name = ""], terminal }) => {
    const reference = parseReference(name);
    const files = await readFolder(resolve(terminal.cwd, options.dir));
    const { findings, passed } = validateBundle({ files, classic: true });
    if (!passed) {
      const first = findings.find(({ level }) => level === "Error");
      throw new CliError(
        "BadInput",
        `the bundle cannot be used: ${first?.text ?? ""}; see capstan bundle validate ${options.dir}`,
      );
    }
    const store = await openImages(terminal);
    const descriptor = await withProgress(terminal, `building ${name}`, () => buildBundleImage(files, store));
    await store.tag(formatReference(reference), descriptor);
    if (options.archive !== undefined)
      await writeArchive(formatReference(reference), store, resolve(terminal.cwd, options.archive));
    terminal.out(`${name}@${descriptor.digest}\n`);
  },
});

/** Pushes it. */
export const bundlePush: Command = defineCommand({
  arguments: [{ name: "IMAGE", describe: "what it was built as", presence: "required" }],
  options: { insecure: insecureOption },
  examples: [
    { line: "capstan bundle push registry.example.com/app-bundle:v0.1.0", does: "Push what was built under this name" },
  ],
  run: async ({ options, args: [name = ""], terminal }) => {
    const digest = await pushBuilt(name, { terminal, insecure: options.insecure });
    terminal.out(`${name}@${digest}\n`);
  },
});
