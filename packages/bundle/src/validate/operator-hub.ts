/** The requirements of OperatorHub: maintainers, links, an icon, a version. */
import type { Csv } from "../csv.ts";
import type { Bundle } from "../read/bundle.ts";
import { compareVersions, noVersion, parseTolerant } from "../semver.ts";
import { validateCapabilities, validateCategories } from "./capabilities.ts";
import { minKubeVersionFindings } from "./csv.ts";
import { aboutCsv, type Finding, finding } from "./finding.ts";
import { addressProblem } from "./mail-address.ts";
import { validateRemovedApis } from "./removed-apis.ts";
import { uriProblem } from "./request-uri.ts";
import type { ValidatorValues } from "./validator.ts";

/** The rules of today. */
export function validateOperatorHub(bundle: Bundle, values: ValidatorValues): Finding[] {
  const { csv } = bundle;
  return [...peopleFindings(csv), ...shapeFindings(csv), ...validateRemovedApis(bundle, values)];
}

/** The former combined validator, which reports its deprecation. */
export function validateOldOperatorHub(bundle: Bundle, values: ValidatorValues): Finding[] {
  const { csv } = bundle;
  const deprecated =
    'The "operatorhub" validator is deprecated; for equivalent validation use "operatorhub/v2", "standardcapabilities" and "standardcategories" validators';
  return [
    ...peopleFindings(csv),
    ...validateCapabilities(bundle),
    ...validateCategories(bundle, values),
    ...shapeFindings(csv),
    ...validateRemovedApis(bundle, values),
    finding("Warning", "DeprecatedValidator", deprecated, { value: "" }),
  ];
}

function peopleFindings({ metadata, spec = {} }: Csv): Finding[] {
  const error = (detail: string): Finding => aboutCsv("Error", metadata?.name ?? "", detail);
  return [
    ...((spec.provider?.name ?? "").trim() === "" ? [error("csv.Spec.Provider.Name not specified")] : []),
    ...(spec.maintainers ?? []).flatMap(({ name = "", email = "" }) => {
      const problem = email === "" ? undefined : addressProblem(email);
      return [
        ...(name === "" || email === ""
          ? [error("csv.Spec.Maintainers elements should contain both name and email")]
          : []),
        ...(problem === undefined ? [] : [error(`csv.Spec.Maintainers email ${email} is invalid: ${problem}`)]),
      ];
    }),
    ...(spec.links ?? []).flatMap(({ name = "", url = "" }) => {
      const problem = url === "" ? undefined : uriProblem(url);
      return [
        ...(name === "" || url === "" ? [error("csv.Spec.Links elements should contain both name and url")] : []),
        ...(problem === undefined ? [] : [error(`csv.Spec.Links url ${url} is invalid: ${problem}`)]),
      ];
    }),
  ];
}

const mediaTypes = new Set(["image/gif", "image/jpeg", "image/png", "image/svg+xml"]);

function shapeFindings(csv: Csv): Finding[] {
  const name = csv.metadata?.name ?? "";
  const version = parseTolerant(String(csv.spec?.version ?? "")) ?? noVersion;
  return [
    ...(compareVersions(version, noVersion) === 0 ? [aboutCsv("Error", name, "csv.Spec.Version must be set")] : []),
    ...iconFindings(csv),
    ...minKubeVersionFindings(csv),
  ];
}

function iconFindings({ metadata, spec }: Csv): Finding[] {
  const name = metadata?.name ?? "";
  const icons = spec?.icon;
  if (icons === undefined) return [aboutCsv("Warning", name, "csv.Spec.Icon not specified")];
  // Other tools crash on an empty list; it is as wrong as two icons are.
  const { mediatype = "", base64data = "" } = icons[0] ?? {};
  return [
    ...(icons.length === 1 ? [] : ["csv.Spec.Icon should only have one element"]),
    ...(mediatype === "" || base64data === "" ? ["csv.Spec.Icon elements should contain both data and mediatype"] : []),
    ...(mediatype !== "" && !mediaTypes.has(mediatype)
      ? [`csv.Spec.Icon ${mediatype} does not have a valid mediatype`]
      : []),
  ].map((detail) => aboutCsv("Error", name, detail));
}
