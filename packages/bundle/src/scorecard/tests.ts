/** The six classic tests: they look at the bundle alone. */
import type { Json } from "@capstan/model";
import type { CrdDescription } from "../csv.ts";
import { isObject, type JsonObject, sortedKeys } from "../decode/json.ts";
import { jsonProblem } from "../decode/json-syntax.ts";
import { type Bundle, aggregate, type ReadBundle, readBundle } from "../read/bundle.ts";
import type { BundleFiles } from "../read/files.ts";
import { formatKind, kindOf, textAt } from "../read/object.ts";
import { validateWhole } from "../validate/bundle.ts";
import { validateCrds } from "../validate/crd.ts";
import { validateCsv } from "../validate/csv.ts";
import { formatProblems } from "../validate/format.ts";
import { versionsOf } from "../validate/example-objects.ts";
import { fromOldCrd } from "../validate/old-crd.ts";
import type { State, TestResult, TestStatus } from "./documents.ts";

/** The names of the classic tests. */
export const classicTests = [
  "basic-check-spec",
  "olm-bundle-validation",
  "olm-crds-have-validation",
  "olm-crds-have-resources",
  "olm-spec-descriptors",
  "olm-status-descriptors",
] as const;

/** A classic test. */
export type ClassicTest = (typeof classicTests)[number];

/** Runs a classic test on the files of a bundle. */
export function runClassicTest(name: ClassicTest, files: BundleFiles): TestStatus {
  const read = readBundle(files);
  const notes = new Notes();
  if (name === "olm-bundle-validation") validation(files, read, notes);
  else if ("problems" in read) notes.add("error", aggregate(read.problems));
  else checks[name](read.bundle, notes);
  return { results: [notes.toResult(name)] };
}

/** What a test notes while it looks. */
class Notes {
  #state: State = "pass";
  readonly errors: string[] = [];
  readonly suggestions: string[] = [];
  log = "";

  add(state: State, ...errors: readonly string[]): void {
    this.#state = state;
    this.errors.push(...errors);
  }

  toResult(name: string): TestResult {
    return {
      name,
      ...(this.log === "" ? {} : { log: this.log }),
      state: this.#state,
      ...(this.errors.length === 0 ? {} : { errors: this.errors }),
      ...(this.suggestions.length === 0 ? {} : { suggestions: this.suggestions }),
    };
  }
}

type Check = (bundle: Bundle, notes: Notes) => void;

const checks: { readonly [Name in Exclude<ClassicTest, "olm-bundle-validation">]: Check } = {
  "basic-check-spec": checkSpec,
  "olm-crds-have-validation": crdsHaveValidation,
  "olm-crds-have-resources": crdsHaveResources,
  "olm-spec-descriptors": specDescriptors,
  "olm-status-descriptors": statusDescriptors,
};

type Examples = { readonly examples: readonly JsonObject[] } | { readonly problem: string };

/** The example custom resources of a bundle; having none is allowed. */
function examplesOf({ csv }: Bundle): Examples {
  const text = csv.metadata?.annotations?.["alm-examples"] ?? "";
  if (text === "") return { examples: [] };
  const failed = "failed to parse alm-examples annotation: ";
  if (jsonProblem(text) !== undefined) return { problem: `${failed}${syntaxProblem(text)}` };
  const value = JSON.parse(text) as Json;
  if (value === null) return { examples: [] };
  if (!Array.isArray(value)) {
    const what = isObject(value) ? "object" : typeof value === "boolean" ? "bool" : typeof value;
    return { problem: `${failed}json: cannot unmarshal ${what} into Go value of type []unstructured.Unstructured` };
  }
  const nameless = (value as readonly Json[]).find((one) => !isObject(one) || typeof one["kind"] !== "string");
  if (nameless !== undefined) return { problem: `${failed}Object 'Kind' is missing in '${JSON.stringify(nameless)}'` };
  return { examples: (value as readonly Json[]).filter(isObject) };
}

function syntaxProblem(text: string): string {
  const at = jsonProblem(text)?.at ?? 0;
  const wrong = Buffer.from(text)
    .subarray(at - 1, at)
    .toString("utf8");
  return at >= Buffer.byteLength(text) ? "unexpected end of JSON input" : `invalid character '${wrong}' at byte ${at}`;
}

function checkSpec(bundle: Bundle, notes: Notes): void {
  const read = examplesOf(bundle);
  if ("problem" in read) {
    notes.add("fail", `error getting custom resources: ${read.problem}`);
    return;
  }
  const missing = read.examples.find((example) => (example["spec"] ?? null) === null);
  if (missing !== undefined) notes.suggestions.push(`spec missing from [${textAt(missing, "metadata", "name")}]`);
}

function validation(files: BundleFiles, read: ReadBundle, notes: Notes): void {
  const form = formatProblems(files, read.metadata);
  notes.log = debugLog(read);
  if (form.length > 0) notes.add("fail", `Bundle validation errors: ${form.join(",")}`);
  if ("problems" in read) {
    notes.add("fail", aggregate(read.problems));
    return;
  }
  const { bundle } = read;
  for (const { level, text } of [...validateCsv(bundle.csv), ...validateCrds(bundle), ...validateWhole(bundle)]) {
    if (level === "Error") notes.add("fail", text);
    else notes.suggestions.push(text);
  }
}

function debugLog({ metadata }: ReadBundle): string {
  const found = [
    "Found manifests directory",
    "Found metadata directory",
    "Getting mediaType info from manifests directory",
    metadata.inPlace ? "Found annotations file" : undefined,
    metadata.dependencies.length > 0 ? "Found dependencies file" : "Could not find optional dependencies file",
  ];
  return found
    .filter((message) => message !== undefined)
    .map((message) => `level=debug msg="${message}" name=bundle-test\n`)
    .join("");
}

function crdsHaveValidation(bundle: Bundle, notes: Notes): void {
  const read = examplesOf(bundle);
  if ("problem" in read) {
    notes.add("error", read.problem);
    return;
  }
  const crds = [...bundle.crds.map(({ value }) => value), ...bundle.oldCrds.map(({ value }) => fromOldCrd(value))];
  const names = crds.map((crd) => textAt(crd, "metadata", "name"));
  notes.log = `Loaded ${read.examples.length} Custom Resources from alm-examples\nLoaded CustomresourceDefinitions: [${names.join(" ")}]\n`;
  for (const example of read.examples) checkFields(example, crds, notes);
}

/** Every field of an example must be in the schema; the first CRD that lacks one ends the look at that example. */
function checkFields(example: JsonObject, crds: readonly JsonObject[], notes: Notes): void {
  const { version, kind } = kindOf(example);
  for (const crd of crds) {
    const spec = isObject(crd["spec"]) ? crd["spec"] : {};
    const crdKind = textAt(spec, "names", "kind");
    if (crdKind.toLowerCase() !== kind.toLowerCase()) continue;
    for (const one of versionsOf(spec).filter(
      (found) => textAt(found, "name").toLowerCase() === version.toLowerCase(),
    )) {
      const schema = isObject(one["schema"]) ? one["schema"]["openAPIV3Schema"] : undefined;
      if (schema === undefined) {
        notes.suggestions.push(`Add CRD validation for ${crdKind}/${textAt(one, "name")}`);
        continue;
      }
      const missing = (["spec", "status"] as const).flatMap((part) =>
        unknownFields(example[part], isObject(schema) ? schema : {}, part).map(
          (field) => `Add CRD validation for ${part} field \`${field}\` in ${kind}/${version}`,
        ),
      );
      notes.suggestions.push(...missing);
      if (missing.length === 0) continue;
      notes.add("fail");
      return;
    }
  }
}

function unknownFields(value: Json | undefined, schema: JsonObject, part: string): string[] {
  if (!isObject(value)) return [];
  const known = propertiesOf(propertiesOf(schema)[part]);
  return sortedKeys(value).filter((key) => !(key in known));
}

function propertiesOf(schema: Json | undefined): JsonObject {
  const properties = isObject(schema) ? schema["properties"] : undefined;
  return isObject(properties) ? properties : {};
}

function crdsHaveResources({ csv }: Bundle, notes: Notes): void {
  notes.log = loadedCsv(csv.metadata?.name);
  const owned = csv.spec?.customresourcedefinitions?.owned ?? [];
  if (owned.some(({ resources = [] }) => resources.length === 0))
    notes.add("fail", "Owned CRDs do not have resources specified");
}

function loadedCsv(name = ""): string {
  return `Loaded ClusterServiceVersion: ${name}\n`;
}

function withDescriptions(
  bundle: Bundle,
  notes: Notes,
  check: (example: JsonObject, owned: CrdDescription | undefined) => void,
): void {
  notes.log = loadedCsv(bundle.csv.metadata?.name);
  const read = examplesOf(bundle);
  if ("problem" in read) {
    notes.add("error", read.problem);
    return;
  }
  notes.log += `Loaded ${read.examples.length} Custom Resources from alm-examples\n`;
  for (const example of read.examples) {
    const { kind, version } = kindOf(example);
    const owned = bundle.csv.spec?.customresourcedefinitions?.owned ?? [];
    check(
      example,
      owned.find((one) => one.kind === kind && one.version === version),
    );
  }
}

function ownerless(example: JsonObject): string {
  return `Failed to find an owned CRD for CR ${textAt(example, "metadata", "name")} with GVK ${formatKind(kindOf(example))}`;
}

function specDescriptors(bundle: Bundle, notes: Notes): void {
  withDescriptions(bundle, notes, (example, owned) => {
    const spec = example["spec"];
    if (!isObject(spec)) notes.add("fail");
    else if (owned === undefined) notes.add("fail", ownerless(example));
    else {
      const described = new Set((owned.specDescriptors ?? []).map(({ path }) => path));
      for (const key of sortedKeys(spec).filter((one) => !described.has(one))) {
        notes.add("fail", `${key} does not have a spec descriptor`);
        notes.suggestions.push(`Add a spec descriptor for ${key}`);
      }
    }
  });
}

const conventions =
  "https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#spec-and-status";
const markers = "https://sdk.operatorframework.io/docs/building-operators/golang/references/markers/";

function statusDescriptors(bundle: Bundle, notes: Notes): void {
  withDescriptions(bundle, notes, (example, owned) => {
    if (owned === undefined) {
      notes.add("fail", ownerless(example));
      return;
    }
    const { name = "", statusDescriptors: described = [] } = owned;
    const { status } = example;
    const hasStatus = isObject(status) && Object.keys(status).length > 0;
    if (!hasStatus)
      notes.suggestions.push(
        `${name} does not have status spec. Note that all objects that represent a physical resource whose state may vary from the user's desired intent SHOULD have a spec and a status. More info: ${conventions}`,
      );
    else if (described.length === 0) {
      notes.add("fail", `${name} does not have a status descriptor`);
      notes.suggestions.push(
        `add status descriptor for the crd ${name}. If your project is built using Golang you can use the csv markers. More info: ${markers}`,
      );
    }
  });
}
