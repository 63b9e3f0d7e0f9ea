/** The former rules of OpenShift's community catalog for bundles with APIs removed in 1.22. */
import type { Bundle } from "../read/bundle.ts";
import { compareVersions, formatVersion, noVersion, parseTolerant } from "../semver.ts";
import { aboutCsv, type Finding } from "./finding.ts";
import { formatRemoved, removedIn22 } from "./removed-apis.ts";
import type { ValidatorValues } from "./validator.ts";

const guide = "https://kubernetes.io/docs/reference/using-api/deprecation-guide/#v1-22";
const gone = "deprecated and removed in v1.22";
const lastOcp = "4.9";
const label = "com.redhat.openshift.versions";
const property = "olm.maxOpenShiftVersion";

interface Problems {
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** Findings about removed APIs. */
export function validateCommunity(bundle: Bundle, values: ValidatorValues): Finding[] {
  const removed = removedIn22(bundle);
  if (removed.size === 0) return [];
  const apis = formatRemoved(removed);
  const version = maxVersionProblems(bundle, apis);
  const index = labelProblems(values, apis);
  const name = bundle.csv.metadata?.name ?? "";
  // Without the index's file, other tools repeat the errors as warnings and lose the warnings.
  const warnings = index === undefined ? [...version.errors, ...missingIndex(apis)] : version.warnings;
  return [
    ...[...version.errors, ...(index ?? [])].map((detail) => aboutCsv("Error", name, detail)),
    ...warnings.map((detail) => aboutCsv("Warning", name, detail)),
  ];
}

function maxVersionProblems({ csv }: Bundle, apis: string): Problems {
  const properties = csv.metadata?.annotations?.["olm.properties"] ?? "";
  if (properties === "")
    return error(
      `csv.Annotations not specified ${property} for an OCP version < ${lastOcp}. This annotation is required to prevent the user from upgrading their OCP cluster before they have installed a version of their operator which is compatible with ${lastOcp}. This bundle is using APIs which were ${gone}. More info: ${guide} which are no longer supported on ${lastOcp}. Migrate the API(s) for ${apis} or use the annotation`,
    );
  const list = readProperties(properties);
  if (list === undefined)
    return error(
      `csv.Annotations has an invalid value specified for olm.properties. Please, check the value  (${properties}) and ensure that it is an array such as: "olm.properties": '[{"type": "key name", "value": "key value"}]'`,
    );
  const found = list.find(({ type }) => type === property);
  if (found === undefined)
    return error(
      `csv.Annotations.olm.properties with the key \`${property}\` and a value with an OCP version which is < ${lastOcp} is required for any operator bundle that is using APIs which were ${gone}. More info: ${guide}. Migrate the API(s) for ${apis} or use the annotation`,
    );
  return judgeMaxVersion(found.value, apis);
}

function error(detail: string): Problems {
  return { errors: [detail], warnings: [] };
}

function readProperties(text: string): { readonly type: string; readonly value: string }[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    if (!Array.isArray(list)) return undefined;
    const entries = list as { type?: unknown; value?: unknown }[];
    if (entries.some(({ type = "", value = "" }) => typeof type !== "string" || typeof value !== "string"))
      return undefined;
    return entries.map(({ type = "", value = "" }) => ({ type: String(type), value: String(value) }));
  } catch {
    return undefined;
  }
}

function judgeMaxVersion(value: string, apis: string): Problems {
  const version = parseTolerant(value);
  if (version === undefined)
    return error(
      `csv.Annotations.olm.properties has an invalid value. Unable to parse (${value}) using semver : ${why(value)}`,
    );
  const short = { ...noVersion, major: version.major, minor: version.minor };
  if (compareVersions(version, short) !== 0) {
    const detail = `csv.Annotations.olm.properties has an invalid value. ${property} must specify only major.minor versions, ${formatVersion(version)} will be truncated to ${formatVersion(short)}`;
    return { errors: [], warnings: [detail] };
  }
  if (!isTooNew(value)) return { errors: [], warnings: [] };
  return error(
    `csv.Annotations.olm.properties with the key and value for ${property} has the OCP version value ${value} which is >= of ${lastOcp}. This bundle is using APIs which were ${gone}. More info: ${guide}. Migrate the API(s) for ${apis} or inform in this property an OCP version which is < ${lastOcp}`,
  );
}

function why(value: string): string {
  return value === ""
    ? 'strconv.ParseUint: parsing "": invalid syntax'
    : `Invalid character(s) found in major number "${value}"`;
}

function isTooNew(text: string): boolean {
  const [version, limit] = [parseTolerant(text), parseTolerant(lastOcp)];
  return version !== undefined && limit !== undefined && compareVersions(version, limit) >= 0;
}

function missingIndex(apis: string): string[] {
  return [
    `please, inform the path of its index image file via the the optional key values and the key index-path to allow this validator check the labels configuration or migrate the API(s) for ${apis}. (e.g. index-path=./mypath/bundle.Dockerfile). This bundle is using APIs which were ${gone}. More info: ${guide} `,
  ];
}

/** Undefined where no file was named. */
function labelProblems({ values, indexFile }: ValidatorValues, apis: string): readonly string[] | undefined {
  const path = values["index-path"] ?? "";
  if (path === "" || indexFile === undefined) return undefined;
  if ("problem" in indexFile) return [unreadable(path, indexFile)];
  const line = indexFile.text.split("\n").find((one) => one.includes(label));
  if (line === undefined)
    return [
      `this bundle is using APIs which were ${gone}. More info: ${guide}. Migrate the APIs for ${apis} or provide compatible version(s) via the labels. (e.g. LABEL ${label}='4.6-4.8')`,
    ];
  return lineProblems(line, apis);
}

function unreadable(
  path: string,
  { problem, detail }: { readonly problem: "missing" | "folder"; readonly detail: string },
): string {
  const example = "(e.g. index-path=./mypath/bundle.Dockerfile).";
  return problem === "missing"
    ? `the index image in the path (${path}) was not found. Please, inform the path of the bundle operator index image via the the optional key values and the key index-path. ${example} Error : ${detail}`
    : `the index image in the path (${path}) is not file. Please, inform the path of its index image via the the optional key values and the key index-path. ${example} The value informed is a diretory and not a file`;
}

function lineProblems(line: string, apis: string): string[] {
  if (!line.includes("=")) return [`invalid syntax (${line}) for (${label})`];
  const [, first = "", exact = ""] = line.split("=");
  const compatible = `or provide compatible version(s) by using the ${label} annotation in \`metadata/annotations.yaml\` to ensure that the index image will be`;
  const example = `with its label. (e.g. LABEL ${label}='4.6-4.8')`;
  const using = `this bundle is using APIs which were ${gone}. More info: ${guide}`;
  if (exact !== "")
    return versionProblems(clean(exact), `${using}. Migrate the API(s) for ${apis} ${compatible} geneared ${example}`);
  const range = clean(first);
  if (range.length <= 1) return [`unable to get the range informed on ${label}`];
  if (!range.includes("-"))
    return [
      `${using} The ${range} allows to distribute it on >= ${lastOcp}. Migrate the API(s) for ${apis} ${compatible} generated ${example}`,
    ];
  const distribution = compatible.replace("compatible version(s)", "compatible distribution version(s)");
  return versionProblems(
    range.split("-")[1] ?? "",
    `${using}. Upgrade the APIs from for ${apis} ${distribution} generated ${example}`,
  );
}

function versionProblems(version: string, tooNew: string): string[] {
  if (parseTolerant(version) === undefined) return [`unable to parse the value (${version}) on (${label})`];
  return isTooNew(version) ? [tooNew] : [];
}

function clean(text: string): string {
  return text.replaceAll(/['"v]/g, "");
}
