/** `capstan catalog add`: puts a bundle into a channel of a catalog's folder. */
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import {
  addBundle,
  type CatalogConfig,
  emptyConfig,
  filesOfPackage,
  formatConfig,
  migrateBundle,
  readConfigFolder,
  toCatalog,
} from "@capstan/bundle";
import { describeReference } from "../catalog/open.ts";
import { type Command, defineCommand } from "../command/define.ts";
import { atPath } from "../disk-error.ts";
import { CliError } from "../errors.ts";
import { exists } from "../project/disk.ts";
import { insecureOption } from "../registry/session.ts";

/** Adds a bundle. */
export const catalogAdd: Command = defineCommand({
  describe:
    "The new entry replaces the head of the channel, unless --replaces says otherwise. The folder is written only if the catalog is valid with the bundle.",
  arguments: [
    { name: "FOLDER", describe: "the folder of the catalog; it is made if it does not exist", presence: "required" },
    { name: "BUNDLE", describe: "the image of the bundle, or its folder", presence: "required" },
  ],
  options: {
    channel: { type: "text", value: "CHANNEL", describe: "the channel; default: the bundle's default channel" },
    replaces: { type: "text", value: "NAME", describe: "the entry that it replaces; empty: none" },
    skips: { type: "list", value: "NAME", describe: "entries that it skips" },
    "skip-range": { type: "text", value: "RANGE", describe: "installed versions that it replaces directly: '<1.2.0'" },
    "image-template": {
      type: "text",
      value: "TEXT",
      default: "",
      describe: "the image of a bundle's folder, with {package}, {name} and {version}",
    },
    inline: { type: "flag", describe: "keep the objects of a bundle's folder in the catalog: it needs no image" },
    insecure: insecureOption,
  },
  examples: [
    {
      line: "capstan catalog add catalog registry.example.com/app-bundle:v1.1.0 --channel stable",
      does: "Publish a version",
    },
    {
      line: "capstan catalog add catalog ./bundle --image-template 'registry.example.com/{package}:v{version}'",
      does: "Before the image of the bundle is pushed",
    },
    { line: "capstan catalog add catalog ./bundle --inline", does: "Without an image, to try a version" },
  ],
  run: async ({ options, args: [name = "", reference = ""], terminal }) => {
    const folder = resolve(terminal.cwd, name);
    const config = (await exists(folder)) ? await readConfigFolder(folder) : emptyConfig();
    const rendering = { terminal, insecure: options.insecure, imageTemplate: options["image-template"] };
    const bundle = await describeReference(reference, rendering);
    if (bundle.blob.image === "" && !options.inline)
      throw new CliError(
        "Usage",
        "a folder does not know its image; add --image-template 'REGISTRY/{package}:v{version}', or --inline to keep its objects in the catalog",
      );
    const channel = options.channel ?? (bundle.defaultChannel === "" ? bundle.channels[0] : bundle.defaultChannel);
    if (channel === undefined) throw new CliError("Usage", "the bundle names no channel; add --channel NAME");
    const entry = {
      channel,
      ...(options.replaces === undefined ? {} : { replaces: options.replaces }),
      skips: options.skips,
      ...(options["skip-range"] === undefined ? {} : { skipRange: options["skip-range"] }),
    };
    const migrated = { ...bundle, blob: migrateBundle(bundle.blob) };
    toCatalog(addBundle(config, migrated, entry));
    const own = (await exists(folder))
      ? await filesOfPackage(folder, bundle.blob.package)
      : new Map<string, CatalogConfig>();
    const [file, part] = only(own, bundle.blob.package);
    const path = join(folder, file);
    await write(path, addBundle(part, migrated, entry));
    terminal.out(`added ${bundle.blob.name} to the channel ${channel} in ${path}\n`);
  },
});

/** The one file that has the package, or a new one. */
function only(files: ReadonlyMap<string, CatalogConfig>, name: string): readonly [string, CatalogConfig] {
  const [found = [join(name, "catalog.yaml"), emptyConfig()] as const] = files;
  if (files.size < 2) return found;
  throw new CliError(
    "Conflict",
    `the package ${name} is spread over ${[...files.keys()].join(", ")}; put its blobs into one file first`,
  );
}

async function write(path: string, config: CatalogConfig): Promise<void> {
  const text = [...formatConfig(config, path.endsWith(".json") ? "json" : "yaml")].join("");
  await atPath(path, mkdir(dirname(path), { recursive: true }));
  await atPath(path, writeFile(`${path}.capstan-new`, text));
  await atPath(path, rename(`${path}.capstan-new`, path));
}
