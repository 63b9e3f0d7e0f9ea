/** The form of a bundle: its folders, its media type, its annotations and dependencies. */
import { quote } from "@capstan/model";
import { isObject } from "../decode/json.ts";
import { type BundleFiles, filesIn, foldersIn, toText } from "../read/files.ts";
import { type BundleMetadata, type Dependency, labels } from "../read/metadata.ts";
import { readObject, textAt } from "../read/object.ts";
import { parseRange } from "../semver-range.ts";

/** Checks a CEL rule; returns the problem, if any. */
export type CheckRule = (rule: string) => string | undefined;

/** The problems of the format, not of the content. */
export function formatProblems(
  files: BundleFiles,
  metadata: BundleMetadata,
  checkRule: CheckRule = () => undefined,
): string[] {
  const folders = foldersIn(files, "");
  const missing = (["manifests", "metadata"] as const).filter((name) => !folders.includes(name));
  if (missing.length > 0) return missing.map((name) => `Unable to locate ${name} directory`);
  const mediaType = mediaTypeOf(files, "manifests");
  return [
    ...(mediaType === undefined ? ["The directory manifests contains no yaml files"] : []),
    ...(metadata.inPlace
      ? annotationProblems(metadata.annotations ?? {}, mediaType ?? "")
      : ["Could not find annotations file"]),
    ...metadata.dependencies.flatMap((dependency) => dependencyProblems(dependency, checkRule)),
  ];
}

/** What kind of bundle it is; undefined for one without files. */
export function mediaTypeOf(files: BundleFiles, manifests: string): string | undefined {
  const found = filesIn(files, manifests);
  if (found.length === 0) return undefined;
  if (found.some(([name]) => name === "Chart.yaml") && isChart(found)) return "helm";
  const objects = found.map(([, bytes]) => readObject(bytes));
  const isCsv = (read: (typeof objects)[number]): boolean =>
    "value" in read && textAt(read.value, "kind") === "ClusterServiceVersion";
  return objects.some(isCsv) ? "registry+v1" : "plain";
}

function isChart(files: readonly (readonly [string, Uint8Array])[]): boolean {
  const text = toText(files.find(([name]) => name === "Chart.yaml")?.[1] ?? new Uint8Array());
  return /^name:\s*\S/m.test(text);
}

function annotationProblems(annotations: { readonly [key: string]: string }, mediaType: string): string[] {
  const wanted = [labels.mediaType, labels.manifests, labels.metadata, labels.package, labels.channels];
  const missing = wanted.filter((label) => annotations[label] === undefined);
  const found = annotations[labels.mediaType] ?? "";
  const empty = (label: string): string => `Expecting annotation ${quote(label)} to have non-empty value`;
  return [
    ...missing.map((label) => `Missing annotation ${quote(label)}`),
    ...(found === mediaType
      ? []
      : [
          `Expecting annotation ${quote(labels.mediaType)} to have value ${quote(mediaType)} instead of ${quote(found)}`,
        ]),
    ...((annotations[labels.channels] ?? "") === "" ? [empty(labels.channels)] : []),
    ...(annotations[labels.defaultChannel] === "" ? [empty(labels.defaultChannel)] : []),
  ];
}

function dependencyProblems({ type, value }: Dependency, checkRule: CheckRule): string[] {
  const fields = isObject(value) ? value : undefined;
  const text = (name: string): string => (typeof fields?.[name] === "string" ? fields[name] : "");
  const isReadable = (names: readonly string[]): boolean =>
    value === null || (fields !== undefined && names.every((name) => typeof (fields[name] ?? "") === "string"));
  const unreadable = [`couldn't parse dependency of type ${type}`];
  switch (type) {
    case "olm.gvk":
      if (!isReadable(["group", "version", "kind"])) return unreadable;
      return [["group", "Group"] as const, ["version", "Version"] as const, ["kind", "Kind"] as const].flatMap(
        ([name, title]) => (text(name) === "" ? [`API ${title} is empty`] : []),
      );
    case "olm.package":
      return isReadable(["packageName", "version"])
        ? packageProblems(text("packageName"), text("version"))
        : unreadable;
    case "olm.label":
      return isReadable(["label"]) ? (text("label") === "" ? ["Label information is missing"] : []) : unreadable;
    case "olm.constraint":
      return ruleProblems(fields?.["cel"], checkRule);
    default:
      return unreadable;
  }
}

function packageProblems(name: string, version: string): string[] {
  const range =
    version === "" ? "Package version is empty" : parseRange(version) ? undefined : "Invalid semver format version";
  return [...(name === "" ? ["Package name is empty"] : []), ...(range === undefined ? [] : [range])];
}

function ruleProblems(cel: unknown, checkRule: CheckRule): string[] {
  if (!isObject(cel)) return ["The CEL field is missing"];
  const rule = cel["rule"];
  if (typeof rule !== "string" || rule === "") return ["The CEL expression is missing"];
  const problem = checkRule(rule);
  return problem === undefined ? [] : [`Invalid CEL expression: ${problem}`];
}
