/** Reads the documents of untrusted images: whatever violates the OCI specification is an error, and is not used. */
import { isDigest } from "./digest.ts";
import { OciError } from "./errors.ts";
import type { Descriptor, ImageConfig, Index, Manifest } from "./image.ts";

type Fields = { readonly [name: string]: unknown };

/** No document of an image is larger: registries reject larger ones, too. */
export const LARGEST_DOCUMENT: number = 4 * 2 ** 20;

/** The largest accepted blob; no larger layer can be unpacked either. */
export const LARGEST_BLOB: number = 16 * 2 ** 30;

/** The most layers of an image, and the most images of an index. */
const mostLayers = 1_000;
const mostManifests = 10_000;

/** The JSON of a document. */
export function parseDocument(bytes: Uint8Array, digest: string): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch (cause) {
    throw new OciError("BadImage", `could not read ${digest}: it is not JSON`, { cause });
  }
}

/** An index of images; null stands for an empty list, as in Go. */
export function readIndex(value: unknown, what: string): Index {
  const index = fields(value, what);
  refuseOther(index, ["config", "layers"], { what, other: "a manifest" });
  return {
    ...(index as unknown as Index),
    manifests: descriptors(index["manifests"], `manifests of ${what}`, mostManifests),
  };
}

/** A manifest. */
export function readManifest(value: unknown, what: string): Manifest {
  const manifest = fields(value, what);
  const { subject } = manifest;
  refuseOther(manifest, ["manifests"], { what, other: "an index" });
  if (isGiven(subject)) readDescriptor(subject, `subject of ${what}`);
  return {
    ...(manifest as unknown as Manifest),
    config: readDescriptor(manifest["config"], `config of ${what}`),
    layers: descriptors(manifest["layers"], `layers of ${what}`, mostLayers),
  };
}

/** Programs would take a document that is both for different images, under one digest (CVE-2021-41190). */
function refuseOther(
  document: Fields,
  names: readonly string[],
  { what, other }: { readonly what: string; readonly other: string },
): void {
  const found = names.find((name) => isGiven(document[name]));
  if (found !== undefined) throw bad(what, `has "${found}", so it is ${other}, too`);
}

/** An image configuration. */
export function readConfig(value: unknown, what: string): ImageConfig {
  const image = fields(value, what);
  for (const name of ["os", "architecture", "variant"]) optional(image, name, { what, check: text });
  const rootfs = fields(image["rootfs"] ?? {}, `rootfs of ${what}`);
  const diffIds = texts(rootfs["diff_ids"] ?? [], `diff_ids of ${what}`);
  const config = fields(image["config"] ?? {}, `config of ${what}`);
  const where = { what: `config of ${what}` };
  for (const name of ["User", "WorkingDir", "StopSignal"]) optional(config, name, { ...where, check: text });
  for (const name of ["Env", "Entrypoint", "Cmd"]) optional(config, name, { ...where, check: texts });
  for (const name of ["ExposedPorts", "Volumes"]) optional(config, name, { ...where, check: fields });
  optional(config, "Labels", { ...where, check: textMap });
  const set = Object.fromEntries(Object.entries(config).filter(([, one]) => isGiven(one)));
  return { ...(image as unknown as ImageConfig), config: set, rootfs: { type: "layers", diff_ids: diffIds } };
}

/** An image as `docker save` lists it: paths in the archive, and its names. */
export interface SavedImage {
  readonly config: string;
  readonly layers: readonly string[];
  readonly names: readonly string[];
}

/** The manifest that `docker save` wrote. */
export function readSaved(value: unknown, what: string): readonly SavedImage[] {
  return list(value, what).map((one) => {
    const { Config, Layers, RepoTags } = fields(one, `an entry of ${what}`);
    return {
      config: text(Config, `Config in ${what}`),
      layers: texts(Layers ?? [], `Layers in ${what}`),
      names: texts(RepoTags ?? [], `RepoTags in ${what}`),
    };
  });
}

function readDescriptor(value: unknown, what: string): Descriptor {
  const descriptor = fields(value, what);
  const digest = text(descriptor["digest"], `digest of ${what}`);
  if (!isDigest(digest)) throw bad(what, `has the digest ${JSON.stringify(digest)}, which is none`);
  text(descriptor["mediaType"] ?? "", `mediaType of ${what}`);
  const { size, platform } = descriptor;
  if (!Number.isSafeInteger(size) || Number(size) < 0) throw bad(what, `has the size ${JSON.stringify(size)}`);
  if (Number(size) > LARGEST_BLOB) throw bad(what, `has ${String(size)} bytes, more than ${LARGEST_BLOB}`);
  optional(descriptor, "annotations", { what, check: textMap });
  if (isGiven(platform))
    for (const name of ["os", "architecture"]) text(fields(platform, what)[name], `${name} of ${what}`);
  return descriptor as unknown as Descriptor;
}

function descriptors(value: unknown, what: string, most: number): readonly Descriptor[] {
  const entries = list(value ?? [], what);
  if (entries.length > most) throw bad(what, `has ${entries.length} entries, more than ${most}`);
  return entries.map((one, index) => readDescriptor(one, `entry ${index + 1} in ${what}`));
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

interface Check {
  readonly what: string;
  readonly check: (value: unknown, what: string) => unknown;
}

function optional(from: Fields, name: string, { what, check }: Check): void {
  if (isGiven(from[name])) check(from[name], `${name} of ${what}`);
}

function fields(value: unknown, what: string): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw bad(what, "is no object");
}

function list(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw bad(what, "is no list");
}

function text(value: unknown, what: string): string {
  if (typeof value === "string") return value;
  throw bad(what, "is no text");
}

function texts(value: unknown, what: string): readonly string[] {
  return list(value, what).map((one) => text(one, `a part in ${what}`));
}

function textMap(value: unknown, what: string): Fields {
  for (const one of Object.values(fields(value, what))) text(one, `a value in ${what}`);
  return value as Fields;
}

function bad(what: string, why: string): OciError {
  return new OciError("BadImage", `the image is broken: ${what} ${why}; ask the publisher of the image`);
}
