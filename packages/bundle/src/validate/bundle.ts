/** The rules of a bundle as a whole: CRDs and their owners, service accounts, size, name, related images. */
import { quote } from "@capstan/model";
import type { Bundle } from "../read/bundle.ts";
import { formatKind, type GroupVersionKindText, textAt } from "../read/object.ts";
import { isObject, type JsonObject } from "../decode/json.ts";
import type { Json } from "@capstan/model";
import { formatVersion, noVersion, parseTolerant } from "../semver.ts";
import { aboutBundle, type Finding, failed } from "./finding.ts";
import { referenceProblem } from "./image-reference.ts";

/** Everything that is wrong with a bundle. */
export function validateWhole(bundle: Bundle): Finding[] {
  return [
    ...ownedCrdFindings(bundle),
    ...serviceAccountFindings(bundle),
    ...sizeFindings(bundle),
    ...nameFindings(bundle),
    ...relatedImageFindings(bundle),
  ];
}

function ownedCrdFindings(bundle: Bundle): Finding[] {
  const { name } = bundle;
  const found: Finding[] = [];
  const kinds = new Map<string, GroupVersionKindText>();
  for (const kind of crdKinds(bundle)) {
    const id = formatKind(kind);
    if (kinds.has(id)) found.push(aboutBundle("Error", id, `duplicate CRD ${quote(id)} in bundle ${quote(name)}`));
    kinds.set(id, kind);
  }
  const owned = ownedKinds(bundle);
  const left = new Map(kinds);
  const claimed = new Set<string>();
  for (const kind of owned) {
    const id = formatKind(kind);
    if (left.delete(id)) claimed.add(`${kind.group} ${kind.kind}`);
    else found.push(aboutBundle("Error", id, `owned CRD ${quote(id)} not found in bundle ${quote(name)}`));
  }
  for (const [id, kind] of left) {
    if (claimed.has(`${kind.group} ${kind.kind}`)) continue;
    found.push(aboutBundle("Error", id, `CRD ${quote(id)} is present in bundle ${quote(name)} but not defined in CSV`));
  }
  return found;
}

function ownedKinds({ csv }: Bundle): GroupVersionKindText[] {
  return (csv.spec?.customresourcedefinitions?.owned ?? []).map(({ name = "", version = "", kind = "" }) => {
    const dot = name.indexOf(".");
    return { group: dot === -1 ? name : name.slice(dot + 1), version, kind };
  });
}

/** One kind for each version of each CRD. */
function crdKinds({ crds, oldCrds }: Bundle): GroupVersionKindText[] {
  return [...crds, ...oldCrds].flatMap(({ value }) => {
    const spec = objectAt(value, "spec");
    const base = { group: textAt(spec, "group"), kind: textAt(spec, "names", "kind") };
    const versions = listAt(spec, "versions").map((one) => (isObject(one) ? textAt(one, "name") : ""));
    const single = value["apiVersion"] === "apiextensions.k8s.io/v1beta1" && versions.length === 0;
    return (single ? [textAt(spec, "version")] : versions).map((version) => ({ ...base, version }));
  });
}

function objectAt(value: JsonObject, name: string): JsonObject {
  const found = value[name];
  return isObject(found) ? found : {};
}

function listAt(value: JsonObject, name: string): readonly Json[] {
  const found = value[name];
  return Array.isArray(found) ? (found as readonly Json[]) : [];
}

function serviceAccountFindings({ csv, objects }: Bundle): Finding[] {
  const deployments = csv.spec?.install?.spec?.deployments ?? [];
  const names = new Set(deployments.map(({ spec }) => spec?.template?.spec?.serviceAccountName ?? ""));
  return objects
    .filter(({ value }) => value["apiVersion"] === "v1" && value["kind"] === "ServiceAccount")
    .map(({ value }) => textAt(value, "metadata", "name"))
    .filter((name) => names.has(name))
    .map((name) =>
      aboutBundle(
        "Error",
        name,
        `invalid service account found in bundle. This service account ${name} in your bundle is not valid, because a service account with the same name was already specified in your CSV. If this was unintentional, please remove the service account manifest from your bundle. If it was intentional to specify a separate service account, please rename the SA in either the bundle manifest or the CSV.`,
      ),
    );
}

const maxSize = 2 ** 20;

function sizeFindings({ name, size, compressedSize }: Bundle): Finding[] {
  if (compressedSize === 0) return [failed("Warning", name, "unable to check the bundle compressed size")];
  if (size === 0) return [failed("Warning", name, "unable to check the bundle size")];
  const sizes = `size=~${formatBytes(compressedSize)} , max=${formatBytes(maxSize)}. Bundle uncompressed size is ${formatBytes(size)}`;
  if (compressedSize > maxSize)
    return [aboutBundle("Error", name, `maximum bundle compressed size with gzip size exceeded: ${sizes}`)];
  return compressedSize > maxSize * 0.85
    ? [aboutBundle("Warning", name, `nearing maximum bundle compressed size with gzip: ${sizes}`)]
    : [];
}

/** In units of a thousand. */
function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const power = Math.floor(Math.log10(bytes) / 3);
  return `${(bytes / 1000 ** power).toFixed(1)} ${"kMGTPE".charAt(power - 1)}B`;
}

/** The version that the operator has, as text. */
export function versionText({ csv }: Pick<Bundle, "csv">): string {
  return formatVersion(parseTolerant(String(csv.spec?.version ?? "")) ?? noVersion);
}

function nameFindings(bundle: Bundle): Finding[] {
  const { name, metadata, csv } = bundle;
  const release = csv.spec?.release;
  if (release === undefined) return [];
  const expected = `${metadata.package}-v${versionText(bundle)}-${release}`;
  const detail = `bundle name with release versioning ${quote(name)} does not match expected name ${quote(expected)}`;
  return name === expected ? [] : [aboutBundle("Error", name, detail)];
}

function relatedImageFindings({ csv }: Bundle): Finding[] {
  return (csv.spec?.relatedImages ?? []).flatMap(({ image = "" }, at) => {
    const value = `spec.relatedImages[${at}].image`;
    if (image === "") return [aboutBundle("Error", value, `relatedImages[${at}] has an empty image field`)];
    const problem = referenceProblem(image);
    return problem === undefined
      ? []
      : [aboutBundle("Error", value, `relatedImages[${at}] has an invalid image pullspec ${quote(image)}: ${problem}`)];
  });
}
