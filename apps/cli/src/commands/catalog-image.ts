/** `capstan catalog build` and `capstan catalog push`: a catalog as an image, without Docker. */
import { resolve } from "node:path";
import { buildCatalogImage, readConfigFolder, toCatalog } from "@capstan/bundle";
import { formatReference, parseReference } from "@capstan/oci";
import { type Command, defineCommand } from "../command/define.ts";
import { withProgress } from "../output/progress.ts";
import { writeArchive } from "../registry/archive.ts";
import { openImages, pushBuilt } from "../registry/images.ts";
import { insecureOption } from "../registry/session.ts";

/** Builds the image. */
export const catalogBuild: Command = defineCommand({
  describe:
    "The image has the files and no program. A CatalogSource needs spec.grpcPodConfig.extractContent with catalogDir /configs; a ClusterCatalog needs nothing more.",
  arguments: [{ name: "IMAGE", describe: "what the image is called", presence: "required" }],
  options: {
    dir: { type: "text", value: "DIR", default: "catalog", describe: "the folder of the catalog" },
    archive: { type: "text", value: "FILE", describe: "also write an OCI archive" },
  },
  examples: [
    {
      line: "capstan catalog build registry.example.com/catalog:v1",
      does: "Check and build it; then capstan catalog push",
    },
  ],
  run: async ({ options, args: [name = ""], terminal }) => {
    const reference = parseReference(name);
    const folder = resolve(terminal.cwd, options.dir);
    toCatalog(await readConfigFolder(folder));
    const store = await openImages(terminal);
    const descriptor = await withProgress(terminal, `building ${name}`, () => buildCatalogImage(folder, store));
    await store.tag(formatReference(reference), descriptor);
    if (options.archive !== undefined)
      await writeArchive(formatReference(reference), store, resolve(terminal.cwd, options.archive));
    terminal.out(`${name}@${descriptor.digest}\n`);
  },
});

/** Pushes it. */
export const catalogPush: Command = defineCommand({
  arguments: [{ name: "IMAGE", describe: "what it was built as", presence: "required" }],
  options: { insecure: insecureOption },
  examples: [
    { line: "capstan catalog push registry.example.com/catalog:v1", does: "Push what was built under this name" },
  ],
  run: async ({ options, args: [name = ""], terminal }) => {
    const digest = await pushBuilt(name, { terminal, insecure: options.insecure });
    terminal.out(`${name}@${digest}\n`);
  },
});
