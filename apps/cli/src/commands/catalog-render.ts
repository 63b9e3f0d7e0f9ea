/** `capstan catalog render`: a catalog from catalogs, bundles and templates, as `opm render` writes it. */
import { type CatalogConfig, emptyConfig, formatConfig, migrateConfig, readOperatorFolder } from "@capstan/bundle";
import { resolve } from "node:path";
import { renderReference } from "../catalog/open.ts";
import { type Command, defineCommand } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { insecureOption } from "../registry/session.ts";

/** Prints the blobs. */
export const catalogRender: Command = defineCommand({
  describe:
    "A reference is a folder with a catalog or a bundle, an image of either, or the file of a basic, semver or substitutes template.",
  arguments: [{ name: "REFERENCE", describe: "folders, images, templates", presence: "many" }],
  options: {
    output: {
      type: "text",
      short: "o",
      value: "FORMAT",
      choices: ["json", "yaml"],
      default: "json",
      describe: "how to print: json or yaml",
    },
    migrate: { type: "flag", describe: "keep olm.csv.metadata instead of all objects of a bundle" },
    "image-template": {
      type: "text",
      value: "TEXT",
      default: "",
      describe: "the image of a bundle's folder, with {package}, {name} and {version}",
    },
    operators: {
      type: "flag",
      describe: "the folders contain raw bundles by version, with the edges that ci.yaml asks for",
    },
    insecure: insecureOption,
  },
  examples: [
    { line: "capstan catalog render registry.example.com/app-bundle:v1.0.0", does: "The blob of a bundle" },
    {
      line: "capstan catalog render template.yaml -o yaml > catalog/app/catalog.yaml",
      does: "A catalog from a template",
    },
    {
      line: "capstan catalog render --operators operators --image-template 'registry.example.com/{package}:v{version}'",
      does: "A catalog from raw bundles, as OperatorHub keeps them",
    },
  ],
  run: async ({ options, args, terminal }) => {
    if (args.length === 0)
      throw new CliError(
        "Usage",
        "name what to render: a folder, an image or a template; see capstan catalog render --help",
      );
    const rendering = { terminal, insecure: options.insecure, imageTemplate: options["image-template"] };
    const parts: CatalogConfig[] = [];
    for (const reference of args)
      parts.push(
        options.operators
          ? await readOperators(resolve(terminal.cwd, reference), rendering.imageTemplate)
          : await renderReference(reference, rendering),
      );
    const config = merge(parts);
    for (const text of formatConfig(
      options.migrate ? migrateConfig(config) : config,
      options.output === "yaml" ? "yaml" : "json",
    ))
      terminal.out(text);
  },
});

async function readOperators(folder: string, template: string): Promise<CatalogConfig> {
  if (template === "")
    throw new CliError(
      "Usage",
      "raw bundles do not know their images; add --image-template 'REGISTRY/{package}:v{version}'",
    );
  return readOperatorFolder(folder, {
    imageOf: (bundle) =>
      template
        .replaceAll("{package}", bundle.package)
        .replaceAll("{name}", bundle.name)
        // A tag has no plus.
        .replaceAll("{version}", bundle.version.replaceAll("+", "_")),
  });
}

function merge(parts: readonly CatalogConfig[]): CatalogConfig {
  const all = emptyConfig();
  for (const part of parts) {
    all.packages.push(...part.packages);
    all.channels.push(...part.channels);
    all.bundles.push(...part.bundles);
    all.deprecations.push(...part.deprecations);
    all.others.push(...part.others);
  }
  return all;
}
