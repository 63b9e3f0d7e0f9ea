/**
 * Builds the image of an operator: Node, dependencies and the program, all in plain JavaScript. It runs as non-root and needs no Docker.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { buildImage, buildIndex, type Descriptor, type Platform, type Store } from "@capstan/oci";
import { nodeFlags } from "@capstan/runtime";
import type { Transfer } from "../registry/images.ts";
import { dependencyEntries, entryPath, home, operatorEntries } from "./layers.ts";
import { foreignRuntime, localRuntime, type Runtime } from "./runtime.ts";
import { plainName, toPlain } from "./plain.ts";
import { formatSbom, npmPurl, type Part } from "./sbom.ts";
import { stripTypes } from "./strip.ts";
import { type TracedPackage, tracePackages } from "./trace.ts";

/** The input of a build. */
export interface OperatorImage {
  readonly root: string;
  readonly entry: string;
  readonly platforms: readonly Platform[];
  /** A base image with Node; undefined for the Node of this machine. */
  readonly from: string | undefined;
  readonly labels: { readonly [key: string]: string };
  /** The conditions for resolving packages, as in this process. */
  readonly conditions: readonly string[];
}

/** The result of a build. */
export interface BuiltImage {
  readonly store: Store;
  readonly descriptor: Descriptor;
  readonly sbom: string;
  /** Compressed size for each platform. */
  readonly sizes: readonly { readonly platform: Platform; readonly bytes: number }[];
}

/** Builds into a store, which is opened after the program is loaded. The same sources give the same digest. */
export async function buildOperatorImage(
  wanted: OperatorImage,
  open: () => Promise<Store>,
  transfer: Transfer,
): Promise<BuiltImage> {
  const { root, entry, platforms, from } = wanted;
  const packages = await tracePackages(entry, root);
  const store = await open();
  const operator = await describe(root);
  const sbom = formatSbom(operator, [nodePart(from), ...packages.map(toPart)]);
  const layers = [
    await toPlain(await dependencyEntries(packages, wanted.conditions), stripTypes),
    [
      ...(await toPlain(await operatorEntries(root), stripTypes)),
      { path: `/usr/share/sbom/${operator.name.replaceAll("/", "-")}.spdx.json`, type: "file" as const, body: sbom },
    ],
  ].filter((entries) => entries.length > 0);
  const shared = from === undefined ? undefined : await foreignRuntime(from, store, transfer);
  const images: Descriptor[] = [];
  for (const platform of platforms) {
    const runtime = shared ?? (await localRuntime(store, platform));
    images.push(
      await buildImage({ platform, from: runtime.image, layers, config: configOf(wanted, runtime, operator) }, store),
    );
  }
  const [only] = images;
  const descriptor = images.length === 1 && only !== undefined ? only : await buildIndex(images, store);
  const sizes = await Promise.all(
    platforms.map(async (platform) => ({ platform, bytes: await sizeOf(descriptor, platform, store) })),
  );
  return { store, descriptor, sbom, sizes };
}

async function sizeOf(descriptor: Descriptor, platform: Platform, store: Store): Promise<number> {
  const { manifest } = await store.image(descriptor, platform);
  return manifest.layers.reduce((sum, { size }) => sum + size, 0);
}

async function describe(root: string): Promise<Part> {
  const text = await readFile(join(root, "package.json"), "utf8").catch(() => "{}");
  const {
    name = "operator",
    version = "0.0.0",
    license,
  } = JSON.parse(text) as { name?: string; version?: string; license?: string };
  return { name, version, licence: license, purl: npmPurl(name, version) };
}

function toPart({ name, version, licence }: TracedPackage): Part {
  return { name, version, licence, purl: npmPurl(name, version) };
}

function nodePart(from: string | undefined): Part {
  const version = process.version.slice(1);
  return from === undefined
    ? { name: "node", version, licence: "MIT", purl: `pkg:generic/node@${version}` }
    : { name: from, version: "NOASSERTION", licence: undefined, purl: `pkg:oci/${encodeURIComponent(from)}` };
}

function configOf({ root, entry, conditions, labels }: OperatorImage, { node }: Runtime, { name, version }: Part) {
  return {
    User: "65532:65532",
    WorkingDir: home,
    Env: ["NODE_ENV=production", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
    Entrypoint: [node, ...nodeFlags, ...conditions, plainName(entryPath(root, entry))],
    Cmd: null,
    Labels: { "org.opencontainers.image.title": name, "org.opencontainers.image.version": version, ...labels },
  };
}
