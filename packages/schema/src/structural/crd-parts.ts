/** Errors in the smaller parts of a CRD: names, columns, subresources, selectable fields, conversion. */
import type { FieldError } from "@capstan/model";
import { byteLength, checkDns1035Label, checkDns1123Subdomain, checkPortNumber, quote } from "@capstan/model";

import type { PrinterColumn } from "../print/columns.ts";
import type { CrdConversion, CrdNames, CrdSubresources } from "./crd-model.ts";
import { child, duplicate, entry, forbidden, invalid, notSupported, required, tooMany } from "./field-error.ts";
import { parseUrl } from "./formats-uri.ts";
import { isPrintable } from "./go-text.ts";
import { parseRulePath } from "./rule-path.ts";
import type { Schema } from "./schema.ts";

/** Names and their forms; missing names are reported elsewhere. */
export function nameErrors(names: CrdNames, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const check = (place: string, name: string, prefix = ""): void => {
    const problems = checkDns1035Label(prefix === "" ? name : name.toLowerCase());
    if (problems.length > 0) errors.push(invalid(place, name, prefix + problems.join(",")));
  };
  const mixed = "may have mixed case, but should otherwise match: ";
  if (names.plural !== "") check(child(path, "plural"), names.plural);
  if (names.singular !== "") check(child(path, "singular"), names.singular);
  if (names.kind !== "") check(child(path, "kind"), names.kind, mixed);
  if (names.listKind !== "") check(child(path, "listKind"), names.listKind, mixed);
  names.shortNames.forEach((name, i) => check(entry(child(path, "shortNames"), i), name));
  if (names.kind !== "" && names.kind === names.listKind)
    errors.push(invalid(child(path, "listKind"), names.listKind, "kind and listKind may not be the same"));
  names.categories.forEach((name, i) => check(entry(child(path, "categories"), i), name));
  return errors;
}

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

/** A printer column. */
export function columnErrors(column: PrinterColumn, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (column.name === "") errors.push(required(child(path, "name")));
  const types = `must be one of ${columnTypes.join(",")}`;
  if (column.type === "") errors.push(required(child(path, "type"), types));
  else if (!columnTypes.includes(column.type)) errors.push(invalid(child(path, "type"), column.type, types));
  const { format = "" } = column;
  if (format !== "" && !columnFormats.includes(format))
    errors.push(invalid(child(path, "format"), format, `must be one of ${columnFormats.join(",")}`));
  if (column.jsonPath === "") errors.push(required(child(path, "JSONPath")));
  else errors.push(...simplePathErrors(column.jsonPath, child(path, "JSONPath")));
  return errors;
}

function simplePathErrors(jsonPath: string, path: string): FieldError[] {
  return jsonPath.startsWith(".") ? [] : [invalid(path, jsonPath, "must be a simple json path starting with .")];
}

/** The scale subresource's paths. */
export function subresourceErrors(subresources: CrdSubresources | undefined, path: string): FieldError[] {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = "" } = scale;
  return [
    ...scalePathErrors(specReplicasPath, child(path, "scale.specReplicasPath"), [".spec"]),
    ...scalePathErrors(statusReplicasPath, child(path, "scale.statusReplicasPath"), [".status"]),
    ...(labelSelectorPath === ""
      ? []
      : scalePathErrors(labelSelectorPath, child(path, "scale.labelSelectorPath"), [".spec", ".status"])),
  ];
}

function scalePathErrors(jsonPath: string, path: string, roots: readonly string[]): FieldError[] {
  if (jsonPath === "") return [required(path)];
  const errors = simplePathErrors(jsonPath, path);
  if (errors.length > 0 || roots.some((root) => jsonPath.startsWith(`${root}.`))) return errors;
  const where = roots.length === 1 ? (roots[0] ?? "") : `either ${roots.join(" or ")}`;
  return [invalid(path, jsonPath, `should be a json path under ${where}`)];
}

const maxSelectableFields = 8;

/** Fields for field selectors. */
export function selectableFieldErrors(
  paths: readonly string[],
  schema: Schema,
  { path, allowTooMany }: { readonly path: string; readonly allowTooMany: boolean },
): FieldError[] {
  const seen = new Set<string>();
  const errors = paths.flatMap((jsonPath, i) =>
    oneSelectableFieldErrors(jsonPath, schema, { path: child(entry(path, i), "jsonPath"), seen }),
  );
  if (seen.size > maxSelectableFields && !allowTooMany) errors.push(tooMany(path, seen.size, maxSelectableFields));
  return errors;
}

function oneSelectableFieldErrors(
  jsonPath: string,
  schema: Schema,
  { path, seen }: { readonly path: string; readonly seen: Set<string> },
): FieldError[] {
  if (jsonPath === "") return [required(path)];
  const parsed = parseRulePath(jsonPath, schema, false);
  if ("problem" in parsed) return [invalid(path, jsonPath, `is an invalid path: ${parsed.problem}`)];
  const errors: FieldError[] = [];
  if (parsed.root === "metadata") errors.push(invalid(path, jsonPath, "must not point to fields in metadata"));
  if (!["string", "boolean", "integer"].includes(parsed.schema?.type ?? ""))
    errors.push(
      invalid(
        path,
        jsonPath,
        "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
      ),
    );
  if (seen.has(parsed.path)) errors.push(duplicate(path, jsonPath));
  seen.add(parsed.path);
  return errors;
}

/** Why a deprecation warning is invalid. */
export function deprecationProblems(deprecated: boolean, warning: string | undefined): string[] {
  if (warning === undefined) return [];
  if (!deprecated) return ["can only be set for deprecated versions"];
  const problems: string[] = [];
  if (byteLength(warning) > 256) problems.push("must be <= 256 characters long");
  if (warning === "") problems.push("must not be an empty string");
  let index = 0;
  for (const character of warning) {
    if (!isPrintable(character)) {
      problems.push(`must only contain printable UTF-8 characters; non-printable character found at index ${index}`);
      break;
    }
    index += byteLength(character);
  }
  return problems;
}

const reviewVersions = ["v1", "v1beta1"];

/** Whether the server supports one of these versions of ConversionReview. */
export function hasKnownReviewVersion(versions: readonly string[]): boolean {
  return versions.some((version) => reviewVersions.includes(version));
}

/** The requirements of a conversion. */
export interface ConversionDemands {
  readonly knownReviewVersion: boolean;
  /** Returns the error of a CA bundle (base64 of PEM); without it bundles are not checked. */
  readonly checkCaBundle?: ((bundle: string) => string | undefined) | undefined;
}

/** The conversion between versions. */
export function conversionErrors(conversion: CrdConversion, path: string, demands: ConversionDemands): FieldError[] {
  const { strategy, clientConfig, reviewVersions: versions = [] } = conversion;
  const errors: FieldError[] = [];
  const place = child(path, "strategy");
  if (strategy === "") errors.push(required(place));
  else if (strategy !== "None" && strategy !== "Webhook")
    errors.push(notSupported(place, strategy, ["None", "Webhook"]));
  if (strategy !== "Webhook") {
    const detail = "should not be set when strategy is not set to Webhook";
    if (clientConfig !== undefined) errors.push(forbidden(child(path, "webhookClientConfig"), detail));
    if (versions.length > 0) errors.push(forbidden(child(path, "conversionReviewVersions"), detail));
    return errors;
  }
  return [
    ...errors,
    ...clientConfigErrors(clientConfig, child(path, "webhookClientConfig"), demands),
    ...reviewVersionErrors(versions, child(path, "conversionReviewVersions"), demands.knownReviewVersion),
  ];
}

function reviewVersionErrors(versions: readonly string[], path: string, demandKnown: boolean): FieldError[] {
  if (versions.length === 0) return [required(path)];
  const errors = versions.flatMap((version, i) =>
    versions.indexOf(version) < i
      ? [invalid(entry(path, i), version, "duplicate version")]
      : checkDns1035Label(version).map((problem) => invalid(entry(path, i), version, problem)),
  );
  if (demandKnown && !hasKnownReviewVersion(versions))
    errors.push(invalid(path, versions, `must include at least one of ${reviewVersions.join(", ")}`));
  return errors;
}

function clientConfigErrors(
  config: CrdConversion["clientConfig"],
  path: string,
  demands: ConversionDemands,
): FieldError[] {
  if (config === undefined) return [required(path, "required when strategy is set to Webhook")];
  const { url, service, caBundle } = config;
  const errors =
    (url === undefined) === (service === undefined)
      ? [required(path, "exactly one of url or service is required")]
      : url !== undefined
        ? webhookUrlErrors(url, child(path, "url"))
        : serviceErrors(service, child(path, "service"));
  const problem = caBundle === "" ? undefined : demands.checkCaBundle?.(caBundle);
  return problem === undefined ? errors : [...errors, invalid(child(path, "caBundle"), caBundle, problem)];
}

/** The errors of a webhook's URL, of any kind of webhook. */
export function webhookUrlErrors(text: string, path: string): FieldError[] {
  const form = "; desired format: https://host[/path]";
  const url = parseUrl(text);
  if ("problem" in url) return [required(path, `url must be a valid URL: parse ${quote(text)}: ${url.problem}${form}`)];
  const errors: FieldError[] = [];
  if (url.scheme !== "https") errors.push(invalid(path, url.scheme, `'https' is the only allowed URL scheme${form}`));
  if (url.host === "") errors.push(invalid(path, url.host, `host must be specified${form}`));
  if (url.user !== undefined) errors.push(invalid(path, url.user, "user information is not permitted in the URL"));
  if (url.fragment !== "") errors.push(invalid(path, url.fragment, "fragments are not permitted in the URL"));
  if (url.query !== "") errors.push(invalid(path, url.query, "query parameters are not permitted in the URL"));
  return errors;
}

type Service = NonNullable<NonNullable<CrdConversion["clientConfig"]>["service"]>;

function serviceErrors(service: Service | undefined, path: string): FieldError[] {
  if (service === undefined) return [];
  const errors: FieldError[] = [];
  // The server passes name and namespace in the wrong order, and so reports them.
  if (service.namespace === "") errors.push(required(child(path, "name")));
  if (service.name === "") errors.push(required(child(path, "namespace")));
  const port = checkPortNumber(service.port);
  if (port.length > 0) errors.push(invalid(child(path, "port"), service.port, `port is not valid: ${port.join(", ")}`));
  return [...errors, ...servicePathErrors(service.path ?? "", child(path, "path"))];
}

function servicePathErrors(text: string, path: string): FieldError[] {
  if (text === "/" || text === "") return [];
  if (text === "//") return [invalid(path, text, "segment[0] may not be empty")];
  const errors = text.startsWith("/") ? [] : [invalid(path, text, "must start with a '/'")];
  const steps = text.slice(1).replace(/\/$/, "").split("/");
  return [
    ...errors,
    ...steps.flatMap((step, i) =>
      step === ""
        ? [invalid(path, text, `segment[${i}] may not be empty`)]
        : checkDns1123Subdomain(step).map((problem) => invalid(path, text, `segment[${i}]: ${problem}`)),
    ),
  ];
}
