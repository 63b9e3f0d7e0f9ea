/** Requirements as expressions over the properties of a bundle. */
import {
  ANY,
  ArrayList,
  BOOL,
  CelError,
  createEnv,
  EntryMap,
  INT,
  listOf,
  mapOf,
  overload,
  sameType,
  STANDARD,
  STRING,
  type CelValue,
  type Env,
  type Expression,
  type Library,
} from "@capstan/cel";
import { compareVersions, parseTolerant, type Version } from "@capstan/bundle";
import type { Entry } from "./entry.ts";
import { ResolveError } from "./error.ts";
import type { Requirement } from "./requirement.ts";

let environment: Env | undefined;
const compiled = new Map<string, Requirement["isMetBy"]>();
const maxCompiled = 1000;

/** An expression that holds for the properties of a bundle. An expression that fails does not hold. */
export function celRequirement(rule: string, failureMessage: string): Requirement {
  const because = failureMessage === "" ? "" : ` (${failureMessage})`;
  return {
    isMetBy: compile(rule),
    text: `with constraint: ${JSON.stringify(rule)} and message: ${JSON.stringify(failureMessage)}`,
    explanation: `an operator for which the expression ${rule} holds${because}`,
  };
}

function compile(rule: string): Requirement["isMetBy"] {
  const found = compiled.get(rule);
  if (found !== undefined) return found;
  const result = env().compile(rule);
  if (!result.ok) throw bad(result.message);
  if (!sameType(result.expression.outputType, BOOL)) throw bad("cel expressions must have type Bool");
  if (compiled.size >= maxCompiled) compiled.clear();
  const test = testOf(result.expression);
  compiled.set(rule, test);
  return test;
}

function testOf(expression: Expression): Requirement["isMetBy"] {
  const known = new WeakMap<Entry["facts"], boolean>();
  return ({ facts }) => {
    const before = known.get(facts);
    if (before !== undefined) return before;
    const properties = toCel(facts.properties.map(({ type, value }) => ({ type, value })));
    const holds = expression.evaluate(new Map([["properties", properties]])) === true;
    known.set(facts, holds);
    return holds;
  };
}

function bad(message: string): ResolveError {
  return new ResolveError("BadRequirement", `convert olm.constraint to resolver predicate: ${message}`);
}

function env(): Env {
  return (environment ??= createEnv({
    variables: { properties: listOf(mapOf(STRING, ANY)) },
    libraries: [STANDARD, versions],
  }));
}

/** The order of two versions: -1, 0 or 1. */
const versions: Library = {
  name: "olm.semver",
  functions: [
    { name: "semver_compare", overloads: [overload("semver_compare", [ANY, ANY], INT, (a, b) => compareTexts(a, b))] },
  ],
};

function compareTexts(a: CelValue | undefined, b: CelValue | undefined): CelValue | CelError {
  const [left, right] = [versionOf(a), versionOf(b)];
  if (left instanceof CelError) return left;
  return right instanceof CelError ? right : BigInt(compareVersions(left, right));
}

function versionOf(value: CelValue | undefined): Version | CelError {
  const isText = typeof value === "string" || typeof value === "number" || typeof value === "bigint";
  const text = isText ? String(value) : "";
  return parseTolerant(text) ?? new CelError(`unable to parse '${text}' to semver format`);
}

/** JSON as a value of the language. Numbers are doubles, as the original decodes them. */
function toCel(json: unknown): CelValue {
  if (json === null || json === undefined) return null;
  if (typeof json === "string" || typeof json === "boolean" || typeof json === "number") return json;
  if (Array.isArray(json)) return new ArrayList(json.map(toCel));
  if (typeof json === "bigint") return Number(json);
  const map = new EntryMap();
  for (const [key, value] of Object.entries(json)) map.set(key, toCel(value));
  return map;
}
