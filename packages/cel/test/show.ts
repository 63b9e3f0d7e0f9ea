/** Values as the oracle prints them. */

import { CelDuration, CelList, CelMap, CelOptional, CelTimestamp, CelUint, Type, toJson } from "@capstan/cel";
import type { CelResult, CelValue, CelObject } from "@capstan/cel";
import { CelError, CelJsonPatch, CelPartialObject } from "@capstan/cel";

export function show(value: CelValue): string {
  if (value === null) return "null";
  switch (typeof value) {
    case "boolean":
    case "bigint":
      return String(value);
    case "number":
      return `double(${showDouble(value)})`;
    case "string":
      return showText(value);
    default:
      return showObject(value);
  }
}

/** JSON as Go writes it: line separators are escaped, lone surrogates cannot occur. */
function showText(text: string): string {
  const json = JSON.stringify(text).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
  return json.replaceAll("\u007f", "\\u007f");
}

function showDouble(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (Object.is(value, -0)) return "-0";
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${mantissa}e${power < 0 ? "-" : "+"}${Math.abs(power).toString().padStart(2, "0")}`;
}

const PREFIXES: Record<string, string> = {
  "kubernetes.URL": "url",
  "kubernetes.Quantity": "quantity",
  "net.IP": "ip",
  "net.CIDR": "cidr",
  "kubernetes.Semver": "semver",
};

function showObject(value: Exclude<CelValue, null | boolean | bigint | number | string>): string {
  if (value instanceof CelUint) return `${value.value}u`;
  if (value instanceof Uint8Array) return `bytes(${Buffer.from(value).toString("base64")})`;
  if (value instanceof CelDuration) return `duration(${value.nanos})`;
  if (value instanceof CelTimestamp) return `timestamp(${toJson(new CelTimestamp(value.nanos)) as string})`;
  if (value instanceof Type) return `type(${value.name})`;
  if (value instanceof CelOptional)
    return value.value === undefined ? "optional.none" : `optional(${show(value.value)})`;
  if (value instanceof CelList)
    return `[${Array.from({ length: value.size }, (_, index) => showResult(value.at(index))).join(", ")}]`;
  if (value instanceof CelMap) return showMap(value);
  return showLibraryValue(value);
}

function showLibraryValue(value: CelObject): string {
  if (value instanceof CelPartialObject) return value.type.name + sortedJson(toJson(value));
  if (value instanceof CelJsonPatch) {
    return `JSONPatch(${value.op} ${value.path} ${value.from})${value.value === undefined ? "" : show(value.value)}`;
  }
  if (value.type.name === "kubernetes.NamedFormat") return `format(${(value as unknown as { name: string }).name})`;
  const prefix = PREFIXES[value.type.name];
  const text = value.text ?? "";
  const shown = prefix === "quantity" ? text.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "") : text;
  return prefix ? `${prefix}(${shown})` : value.type.name;
}

function sortedJson(json: unknown): string {
  return JSON.stringify(json, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

function showMap(map: CelMap): string {
  const parts = [...map.keys()].map((key) => `${show(key)}: ${showResult(map.get(key) ?? null)}`);
  return `{${parts.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))).join(", ")}}`;
}

function showResult(value: CelResult): string {
  return value instanceof CelError ? `error(${value.message})` : show(value);
}
