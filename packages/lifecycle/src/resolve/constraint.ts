/** The property `olm.constraint`: a condition on one bundle, possibly made of others. */
import { byteLength } from "@capstan/model";
import { apiOf, fieldsOf, textOf } from "./entry.ts";
import { ResolveError } from "./error.ts";
import { celRequirement } from "./cel.ts";
import { apiRequirement, packageRequirement, type Requirement } from "./requirement.ts";

const maxBytes = 131_072;

type Fields = Readonly<Record<string, unknown>>;

const known: Readonly<Record<string, readonly string[]>> = {
  constraint: ["failureMessage", "cel", "package", "gvk", "all", "any", "not"],
  gvk: ["group", "kind", "version"],
  package: ["packageName", "versionRange"],
  cel: ["rule"],
  compound: ["constraints"],
};

/** Reads a constraint. Several kinds in one constraint: the first of gvk, package, all, any, not and cel counts. */
export function parseConstraint(value: unknown): Requirement {
  if (byteLength(JSON.stringify(value)) > maxBytes)
    throw bad(`parse olm.constraint: olm.constraint value is greater than max constraint size ${maxBytes} bytes`);
  return convert(objectOf(value, "constraint"));
}

function convert(fields: Fields): Requirement {
  const member = (name: string, type = name): Fields | undefined =>
    fields[name] === undefined || fields[name] === null ? undefined : objectOf(fields[name], type);
  // All members are read before one counts, so that an unknown field of any of them is an error.
  const [gvk, of, cel] = [member("gvk"), member("package"), member("cel")];
  const [all, any, none] = ["all", "any", "not"].map((name) => member(name, "compound"));
  const parts = [all, any, none].map((one) => (one === undefined ? [] : membersOf(one)));
  const [allOf = [], anyOf = [], noneOf = []] = parts;
  if (gvk !== undefined) return apiRequirement(apiOf(gvk));
  if (of !== undefined) return packageRequirement(textOf(of, "packageName"), textOf(of, "versionRange"));
  if (all !== undefined) return allRequirement(allOf.map(convert));
  if (any !== undefined) return anyRequirement(anyOf.map(convert));
  if (none !== undefined) return noneRequirement(noneOf.map(convert));
  if (cel !== undefined) return celRequirement(textOf(cel, "rule"), textOf(fields, "failureMessage"));
  throw bad("convert olm.constraint to resolver predicate: constraint is empty");
}

function allRequirement(parts: readonly Requirement[]): Requirement {
  const narrowing = parts.find((one) => one.narrowing !== undefined)?.narrowing;
  return {
    isMetBy: (entry) => parts.every((one) => one.isMetBy(entry)),
    text: parts.map(({ text }) => text).join(" and "),
    explanation: `one operator that is all of (${explain(parts)})`,
    ...(narrowing && { narrowing }),
  };
}

function anyRequirement(parts: readonly Requirement[]): Requirement {
  return {
    isMetBy: (entry) => parts.some((one) => one.isMetBy(entry)),
    text: parts.map(({ text }) => text).join(" or "),
    explanation: `one operator that is any of (${explain(parts)})`,
  };
}

function noneRequirement(parts: readonly Requirement[]): Requirement {
  return {
    isMetBy: (entry) => !parts.some((one) => one.isMetBy(entry)),
    text: parts.map(({ text }) => text).join(" and not "),
    explanation: `one operator that is none of (${explain(parts)})`,
  };
}

function explain(parts: readonly Requirement[]): string {
  return parts.map(({ explanation }) => explanation).join("; ");
}

function membersOf(fields: Fields): Fields[] {
  const { constraints } = fields;
  if (constraints === undefined || constraints === null) return [];
  if (!Array.isArray(constraints)) throw bad("parse olm.constraint: constraints is not a list");
  return constraints.map((one: unknown) => checkedMember(objectOf(one, "constraint")));
}

/** Reads what is nested, so that unknown fields are found at every depth. */
function checkedMember(fields: Fields): Fields {
  for (const name of ["gvk", "package", "cel"])
    if (fields[name] !== undefined && fields[name] !== null) objectOf(fields[name], name);
  for (const name of ["all", "any", "not"])
    if (fields[name] !== undefined && fields[name] !== null) membersOf(objectOf(fields[name], "compound"));
  return fields;
}

/** The fields of an object with their known names: as in Go, names match in any case. */
function objectOf(value: unknown, type: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw bad(`parse olm.constraint: ${type} is not an object`);
  const names = new Map((known[type] ?? []).map((name) => [name.toLowerCase(), name]));
  const entries = Object.entries(fieldsOf(value)).map(([name, one]) => {
    const own = names.get(name.toLowerCase());
    if (own === undefined) throw bad(`parse olm.constraint: json: unknown field "${name}"`);
    return [own, one] as const;
  });
  return Object.fromEntries(entries);
}

function bad(message: string): ResolveError {
  return new ResolveError("BadRequirement", message);
}
