/** `capstan bundle generate`: a bundle for OLM, from the program or from plain manifests. */
import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import {
  type BundleSource,
  generateBundle,
  type Manifest,
  type OperatorDescription,
  readYamlDocuments,
} from "@capstan/bundle";
import { bundleSourceOf, descriptionOfPackage } from "@capstan/scaffold";
import { readManifests } from "../bundle/manifests.ts";
import { type Package, readPackage } from "../bundle/package-words.ts";
import { openRegistrar } from "../bundle/registrar.ts";
import { type Command, defineCommand, type OptionValues } from "../command/define.ts";
import { atPath } from "../disk-error.ts";
import { CliError } from "../errors.ts";
import { report } from "../project/apply.ts";
import { openProject, readFiles } from "../project/disk.ts";
import { writeChanges } from "../project/write.ts";
import { checkImage } from "../project/placement.ts";
import { operatorOf } from "../project/operator.ts";
import { entryOption, loadProgram } from "../project/program.ts";
import { findDigest } from "../registry/images.ts";
import { insecureOption } from "../registry/session.ts";
import type { Terminal } from "../terminal.ts";

const options = {
  version: { type: "text", short: "v", value: "VERSION", describe: "the bundle's version (that of package.json)" },
  channels: { type: "list", value: "NAME", describe: "the channels that it is in (alpha)" },
  "default-channel": { type: "text", value: "NAME", describe: "the channel that people get unless they choose" },
  package: { type: "text", value: "NAME", describe: "the package's name (that of the operator)" },
  image: { type: "text", value: "IMAGE", describe: "the operator's image (NAME:vVERSION)" },
  "input-dir": { type: "text", value: "DIR", describe: "take the manifests of this folder, or - for standard input" },
  entry: entryOption,
  out: { type: "text", value: "DIR", default: ".", describe: "the folder to write bundle/ and bundle.Dockerfile into" },
  "install-modes": {
    type: "list",
    value: "MODE",
    describe: "OwnNamespace, SingleNamespace, MultiNamespace, AllNamespaces",
  },
  replaces: { type: "text", value: "NAME", describe: "the version that this one replaces" },
  skips: { type: "list", value: "NAME", describe: "versions that must not be installed any more" },
  "skip-range": { type: "text", value: "RANGE", describe: "versions that can be upgraded at once: >=1.0.0 <1.2.0" },
  depends: { type: "list", value: "PACKAGE@RANGE", describe: "packages that must be there: other@>=1.0.0" },
  "extra-service-accounts": {
    type: "list",
    value: "NAME",
    describe: "accounts whose permissions belong to the operator",
  },
  "min-kube-version": { type: "text", value: "VERSION", describe: "the oldest Kubernetes that it runs on (1.25.0)" },
  "use-image-digests": { type: "flag", describe: "pin every image by its digest, as its registry says" },
  icon: { type: "text", value: "FILE", describe: "a picture: svg, png, gif or jpeg" },
  "created-at": {
    type: "text",
    value: "TIME",
    describe: "when; left out, so that the same input gives the same bytes",
  },
  insecure: insecureOption,
} as const;

type Asked = OptionValues<typeof options>;

/** Generates a bundle. */
export const bundleGenerate: Command = defineCommand({
  describe:
    "Permissions, CRDs, descriptors and examples follow from the program. What only people know (display name, icon, links) comes from package.json, or from config/manifests/bases if there is one.",
  options,
  examples: [
    {
      line: "capstan bundle generate --image registry.example.com/app:v0.1.0",
      does: "Write bundle/ and bundle.Dockerfile",
    },
    {
      line: "capstan bundle generate --version 0.2.0 --replaces app.v0.1.0 --channels stable,candidate",
      does: "The next version",
    },
    {
      line: "kustomize build config/manifests | capstan bundle generate --package app --version 1.0.0 --input-dir -",
      does: "From the manifests of any operator",
    },
  ],
  run: async ({ options: asked, terminal }) => {
    const root = await openProject(terminal.cwd).then(
      (project) => project.root,
      () => terminal.cwd,
    );
    const pack = await readPackage(root);
    const version = asked.version ?? pack.version ?? "0.0.1";
    const found =
      asked["input-dir"] === undefined
        ? await fromProgram(asked, version, terminal)
        : await fromManifests(asked, terminal);
    const base = await readBase(root, asked.package ?? found.package);
    const source = toSource({ ...found, version, words: await wordsFrom(pack, asked, terminal) }, base, asked);
    const pin = (image: string): Promise<string> => findDigest(image, { terminal, insecure: asked.insecure });
    const files = await generateBundle(asked["use-image-digests"] ? { ...source, pin } : source);
    await write(files, asked.out, terminal);
  },
});

type Found = Pick<BundleSource, "package" | "objects" | "kinds" | "installModes">;

async function fromProgram(asked: Asked, version: string, terminal: Terminal): Promise<Found> {
  const { program, inputs, exported, entry } = await loadProgram(terminal.cwd, asked.entry);
  operatorOf(exported, entry);
  const placement = {
    namespace: `${program.name}-system`,
    image: checkImage(asked.image) ?? `${program.name}:v${version}`,
    replicas: program.pod.replicas ?? 1,
    namespaced: inputs?.namespaced ?? false,
  };
  return bundleSourceOf(program, placement, await openRegistrar());
}

async function fromManifests(asked: Asked, terminal: Terminal): Promise<Found> {
  if (asked.package === undefined) throw new CliError("Usage", "say how the package is called: --package NAME");
  const dir = asked["input-dir"] ?? "";
  return { package: asked.package, objects: await readManifests(dir, terminal) };
}

function toSource(
  found: Found & Pick<BundleSource, "version" | "words">,
  base: Manifest | undefined,
  asked: Asked,
): BundleSource {
  return {
    ...found,
    ...(asked.package === undefined ? {} : { package: asked.package }),
    ...(base === undefined ? {} : { base }),
    ...(asked.channels.length === 0 ? {} : { channels: asked.channels }),
    ...(asked["default-channel"] === undefined ? {} : { defaultChannel: asked["default-channel"] }),
    ...(asked["install-modes"].length === 0 ? {} : { installModes: asked["install-modes"] }),
    ...(asked.replaces === undefined ? {} : { replaces: asked.replaces }),
    skips: asked.skips,
    ...(asked["skip-range"] === undefined ? {} : { skipRange: asked["skip-range"] }),
    dependencies: asked.depends.map(toDependency),
    extraAccounts: asked["extra-service-accounts"],
    ...(asked["created-at"] === undefined ? {} : { createdAt: asked["created-at"] }),
  };
}

function toDependency(text: string): NonNullable<BundleSource["dependencies"]>[number] {
  const [packageName = "", version = ""] = text.split("@");
  if (packageName === "" || version === "") throw new CliError("Usage", `--depends takes PACKAGE@RANGE, not ${text}`);
  return { type: "olm.package", value: { packageName, version } };
}

const pictures: { readonly [extension: string]: string } = {
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".gif": "image/gif",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
};

async function wordsFrom(pack: Package, { icon, ...asked }: Asked, terminal: Terminal): Promise<OperatorDescription> {
  // The minimum version that manifests of other operators need is unknown.
  const { minKubeVersion: usual, ...rest } = descriptionOfPackage(pack);
  const minKubeVersion = asked["min-kube-version"] ?? (asked["input-dir"] === undefined ? usual : undefined);
  const words = minKubeVersion === undefined ? rest : { ...rest, minKubeVersion };
  if (icon === undefined) return words;
  const mediatype = pictures[extname(icon).toLowerCase()];
  if (mediatype === undefined)
    throw new CliError("BadInput", `${icon} is no picture that can be shown; use svg, png, gif or jpeg`);
  const base64data = (await atPath(icon, readFile(resolve(terminal.cwd, icon)))).toString("base64");
  return { ...words, icon: { base64data, mediatype } };
}

/** The hand-written base, in the same folder as operator-sdk's. */
async function readBase(root: string, name: string): Promise<Manifest | undefined> {
  const file = join(root, "config/manifests/bases", `${name}.clusterserviceversion.yaml`);
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const [document] = readYamlDocuments(text);
  const value: unknown = document?.toJS({ maxAliasCount: 1_000 });
  if (typeof value !== "object" || value === null)
    throw new CliError("BadInput", `${file} holds no ClusterServiceVersion`);
  return value as Manifest;
}

/** Removes files of an earlier bundle that are no longer generated; other files stay. */
async function write(files: ReadonlyMap<string, string>, out: string, terminal: Terminal): Promise<void> {
  const root = resolve(terminal.cwd, out);
  const disk = await readFiles(root, files.keys());
  const old = await listOld(join(root, "bundle/manifests"));
  const changes = [
    ...[...files]
      .filter(([path, text]) => disk.get(path) !== text)
      .map(([path, text]) => ({ path, action: disk.has(path) ? ("update" as const) : ("create" as const), text })),
    ...old
      .map((name) => `bundle/manifests/${name}`)
      .filter((path) => !files.has(path))
      .map((path) => ({ path, action: "delete" as const })),
  ];
  await writeChanges(root, changes);
  report(
    changes.map((change) => ({ ...change, path: join(out, change.path) })),
    terminal,
  );
}

async function listOld(folder: string): Promise<string[]> {
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  return isFolder ? (await readdir(folder)).filter((name) => name.endsWith(".yaml")) : [];
}
