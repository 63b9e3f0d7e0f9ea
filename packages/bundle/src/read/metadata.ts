/** What the metadata of a bundle say: where the manifests are, package and channels, dependencies. */
import type { Json } from "@capstan/model";
import { isObject } from "../decode/json.ts";
import { parseYaml } from "../decode/yaml.ts";
import { type BundleFiles, filesIn, toText } from "./files.ts";

/** The labels of a bundle's image; annotations.yaml has the same. */
export const labels = {
  mediaType: "operators.operatorframework.io.bundle.mediatype.v1",
  manifests: "operators.operatorframework.io.bundle.manifests.v1",
  metadata: "operators.operatorframework.io.bundle.metadata.v1",
  package: "operators.operatorframework.io.bundle.package.v1",
  channels: "operators.operatorframework.io.bundle.channels.v1",
  defaultChannel: "operators.operatorframework.io.bundle.channel.default.v1",
  scorecardMediaType: "operators.operatorframework.io.test.mediatype.v1",
  scorecardConfig: "operators.operatorframework.io.test.config.v1",
} as const;

/** A dependency as it is declared. */
export interface Dependency {
  readonly type: string;
  readonly value?: Json;
}

/** The metadata of a bundle. */
export interface BundleMetadata {
  /** Whether the annotations are in metadata/, where they belong. */
  readonly inPlace: boolean;
  /** Undefined if no file with annotations was found. */
  readonly annotations: { readonly [key: string]: string } | undefined;
  /** The folder of the manifests, without a slash at its end. */
  readonly manifests: string;
  readonly package: string;
  readonly channels: readonly string[];
  readonly defaultChannel: string;
  readonly dependencies: readonly Dependency[];
}

/** Reads the metadata; files in metadata/ are recognized by their content. */
export function readMetadata(files: BundleFiles): BundleMetadata {
  const { found, dependencies } = scan(filesIn(files, "metadata").map(([, bytes]) => valueOf(bytes)));
  const annotations = found ?? annotationsElsewhere(files);
  return {
    inPlace: found !== undefined,
    annotations,
    manifests: cleanPath(annotations?.[labels.manifests] ?? "manifests"),
    package: annotations?.[labels.package] ?? "",
    channels: (annotations?.[labels.channels] ?? "").split(","),
    defaultChannel: annotations?.[labels.defaultChannel] ?? "",
    dependencies,
  };
}

interface Scanned {
  readonly found: { readonly [key: string]: string } | undefined;
  readonly dependencies: readonly Dependency[];
}

/**
 * Scans the files as other tools do: the first readable one with annotations provides them. Partial annotations of a broken file count
 * once another file is readable.
 */
function scan(values: readonly Json[]): Scanned {
  let partial: { readonly [key: string]: string } | undefined;
  let found: Scanned["found"];
  let dependencies: readonly Dependency[] = [];
  for (const value of values) {
    const read = found === undefined ? annotationsOf(value) : undefined;
    partial = read?.entries ?? partial;
    if (read?.ok === true && partial !== undefined) found = partial;
    else if (dependencies.length === 0) dependencies = dependenciesOf(value);
  }
  return { found, dependencies };
}

function valueOf(bytes: Uint8Array): Json {
  const parsed = parseYaml(toText(bytes));
  return parsed.ok ? parsed.value : null;
}

interface ReadAnnotations {
  readonly ok: boolean;
  /** Absent without annotations. */
  readonly entries?: { readonly [key: string]: string };
}

/** The annotations of a document; a value that is not a string becomes empty and makes the document unreadable. */
function annotationsOf(value: Json): ReadAnnotations {
  if (value === null) return { ok: true };
  if (!isObject(value)) return { ok: false };
  const annotations = value["annotations"] ?? null;
  if (annotations === null) return { ok: true };
  if (!isObject(annotations)) return { ok: false };
  const entries = Object.entries(annotations);
  return {
    ok: entries.every(([, one]) => one === null || typeof one !== "object"),
    entries: Object.fromEntries(entries.map(([key, one]) => [key, typeof one === "object" ? "" : String(one)])),
  };
}

/** Annotations may be anywhere; the first file that has some counts. */
function annotationsElsewhere(files: BundleFiles): { readonly [key: string]: string } | undefined {
  for (const path of [...files.keys()].sort()) {
    const { entries = {} } = annotationsOf(valueOf(files.get(path) ?? new Uint8Array()));
    if (Object.keys(entries).length > 0) return entries;
  }
  return undefined;
}

/** The dependencies of a document; if one of them has the wrong form, none is read. */
function dependenciesOf(value: Json): Dependency[] {
  const list = isObject(value) ? value["dependencies"] : undefined;
  if (!Array.isArray(list)) return [];
  const entries = list as readonly Json[];
  if (!entries.every((one) => one === null || (isObject(one) && !isCompound(one["type"])))) return [];
  return entries.map((one) => {
    const { type = null, value: of } = isObject(one) ? one : {};
    const name = type === null || typeof type === "object" ? "" : String(type);
    return of === undefined ? { type: name } : { type: name, value: of };
  });
}

function isCompound(value: Json | undefined): boolean {
  return typeof value === "object" && value !== null;
}

/** `./manifests/` is `manifests`. */
function cleanPath(path: string): string {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return parts.join("/");
}
