/** The conformance cases of cel-spec that need no protobuf messages, with cel-go's own results for types. */

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SerializedIncrementalTest, SerializedIncrementalTestSuite } from "@bufbuild/cel-spec/testdata/tests.js";
import { tests } from "@bufbuild/cel-spec/testdata/conformance.js";
import {
  ArrayList,
  BINDINGS,
  CelDuration,
  CelError,
  CelTimestamp,
  CelUint,
  createEnv,
  ENCODERS,
  EntryMap,
  equals,
  listsLibrary,
  MATH,
  OPTIONAL_LIBRARY,
  SETS,
  STANDARD,
  stringsLibrary,
  TWO_VARIABLES,
  Type,
  typeOfValue,
} from "@capstan/cel";
import type { CelResult, CelValue, Library } from "@capstan/cel";
import { formatType } from "./dump.ts";
import { show } from "./show.ts";
import type { Original, WireValue } from "./wire.ts";
import { functionOf, NeedsProtobufError, needsProtobuf, typeOfWire } from "./wire.ts";

const LIBRARIES: readonly Library[] = [
  STANDARD,
  OPTIONAL_LIBRARY,
  stringsLibrary(4),
  SETS,
  listsLibrary(3),
  TWO_VARIABLES,
  BINDINGS,
  MATH,
  ENCODERS,
];

/** Whole suites that are about something else, each with why. */
const SKIPPED: readonly (readonly [RegExp, string])[] = [
  [/^\/conformance\/block_ext\//, "cel.@block is what an optimizer writes, not a user"],
  [/^\/conformance\/(proto2|proto3|proto2_ext|enums|wrappers)\//, "protobuf messages, enums and wrappers"],
  [/^\/conformance\/dynamic\//, "conversions to and from protobuf's wrapper messages"],
];

/** Cases where we follow cel-go 0.26, which Kubernetes 1.36 has, against the specification. */
const FOLLOWS_CEL_GO: ReadonlyMap<string, string> = new Map([
  ["{true:1,false:2,true:3}[true]", "the last of two equal keys wins"],
  ["{0: 1, 0u: 2}[0.0]", "the last of two equal keys wins"],
  ["{'null_key': dyn(null)}.?null_key.invalid.hasValue()", "a field of what has none is absent, not an error"],
  ["{true: dyn(0)}[?true].absent.hasValue()", "a field of what has none is absent, not an error"],
  ["x.getMilliseconds()", "milliseconds of a duration are all of it"],
  ["'tacocat'.indexOf('a', 30) == -1", "searching beyond the end finds nothing"],
  ["'tacocat'.lastIndexOf('a', 30) == -1", "searching beyond the end finds nothing"],
]);

function valueOfWire(wire: WireValue): CelValue {
  const [[kind, content] = ["nullValue", null]] = Object.entries(wire);
  switch (kind) {
    case "nullValue":
      return null;
    case "boolValue":
    case "stringValue":
      return content as boolean | string;
    case "int64Value":
      return BigInt(content as string);
    case "uint64Value":
      return new CelUint(BigInt(content as string));
    case "doubleValue":
      return Number(content);
    case "bytesValue":
      return Uint8Array.from(Buffer.from(content as string, "base64"));
    case "listValue":
      return new ArrayList(((content as { values?: WireValue[] }).values ?? []).map(valueOfWire));
    case "mapValue":
      return mapOfWire(content as { entries?: { key: WireValue; value: WireValue }[] });
    case "typeValue":
      return typeValue(content as string);
    case "objectValue":
      return timeOfWire(content as { "@type": string; value?: unknown });
    default:
      throw new NeedsProtobufError(kind);
  }
}

function mapOfWire({ entries = [] }: { entries?: { key: WireValue; value: WireValue }[] }): EntryMap {
  const map = new EntryMap();
  for (const { key, value } of entries) map.set(valueOfWire(key), valueOfWire(value));
  return map;
}

function typeValue(name: string): Type {
  const value = createEnv({ libraries: LIBRARIES }).compile(name);
  const result = value.ok ? value.expression.evaluate(new Map()) : undefined;
  if (result instanceof Type) return result;
  throw new NeedsProtobufError(name);
}

function timeOfWire(message: { "@type": string; value?: unknown }): CelValue {
  const text = String(message.value);
  if (message["@type"].endsWith(".Duration")) return new CelDuration(nanosOf(text));
  if (!message["@type"].endsWith(".Timestamp")) throw new NeedsProtobufError(message["@type"]);
  const compiled = createEnv({ libraries: LIBRARIES }).compile(`timestamp('${text}')`);
  const value = compiled.ok ? compiled.expression.evaluate(new Map()) : undefined;
  if (value instanceof CelTimestamp) return value;
  throw new Error(`no timestamp: ${text}`);
}

function nanosOf(text: string): bigint {
  const [whole = "0", fraction = ""] = text.replace(/s$/, "").split(".");
  const nanos = BigInt(whole.replace("-", "")) * 1_000_000_000n + BigInt(fraction.padEnd(9, "0"));
  return text.startsWith("-") ? -nanos : nanos;
}

function compileCase(original: Original): ReturnType<ReturnType<typeof createEnv>["compile"]> {
  const idents = (original.typeEnv ?? []).filter(({ ident }) => ident);
  const functions = (original.typeEnv ?? []).filter((declaration) => declaration.function).map(functionOf);
  const libraries = [...LIBRARIES, { name: "declared", functions }].map((library) =>
    original.disableMacros ? { ...library, macros: [] } : library,
  );
  const variables = Object.fromEntries(idents.map(({ name, ident }) => [name, typeOfWire(ident?.type ?? { dyn: {} })]));
  const env = createEnv({
    libraries,
    variables,
    container: original.container ?? "",
    checked: original.disableCheck !== true,
    escapedFields: true,
  });
  return env.compile(original.expr);
}

function sameValue(a: CelResult, b: CelValue): boolean {
  if (typeof a === "number" && typeof b === "number" && Number.isNaN(a)) return Number.isNaN(b);
  if (a instanceof CelError || typeOfValue(a).name !== typeOfValue(b).name) return false;
  return equals(a, b) === true;
}

function runCase({ original: raw, type }: SerializedIncrementalTest): void {
  const original = raw as unknown as Original;
  const expected = original.value ?? original.typedResult?.result;
  const wanted = expected === undefined ? undefined : valueOfWire(expected);
  const compiled = compileCase(original);
  const fails = original.evalError !== undefined || "anyEvalErrors" in original;
  if (!compiled.ok) {
    assert.ok(fails, compiled.message);
    return;
  }
  if (type !== undefined && original.disableCheck !== true)
    assert.equal(formatType(compiled.expression.outputType), type);
  if (original.checkOnly) return;
  const bindings = Object.entries(original.bindings ?? {}).map(
    ([name, { value }]) => [name, valueOfWire(value ?? {})] as const,
  );
  const result = compiled.expression.evaluate(new Map(bindings));
  if (fails) assert.ok(result instanceof CelError, `expected an error, got ${print(result)}`);
  else {
    const value = wanted === undefined ? true : wanted;
    assert.ok(sameValue(result, value), `expected ${print(value)}, got ${print(result)}`);
  }
}

function print(value: CelResult): string {
  if (value instanceof CelError) return `error ${value.message}`;
  return `${typeOfValue(value).toString()} ${show(value)}`;
}

/** Why a case is not run, or undefined. */
function skipReason(path: string, test: SerializedIncrementalTest): string | undefined {
  const suite = SKIPPED.find(([pattern]) => pattern.test(path));
  if (suite) return suite[1];
  const original = test.original as unknown as Original;
  if (original.unknown !== undefined) return "unknowns are not part of what Kubernetes evaluates";
  return needsProtobuf(test) ? "protobuf messages" : undefined;
}

const counts = { run: 0, failed: [] as string[], skipped: new Map<string, number>() };

function visit(suite: SerializedIncrementalTestSuite, path: string): void {
  const here = `${path}/${suite.name}`;
  for (const child of suite.suites ?? []) visit(child, here);
  for (const test of suite.tests ?? []) attempt(`${here}/`, test);
}

function attempt(path: string, test: SerializedIncrementalTest): void {
  const reason = skipReason(path, test);
  if (reason !== undefined) {
    counts.skipped.set(reason, (counts.skipped.get(reason) ?? 0) + 1);
    return;
  }
  const name = `${path}${test.original.name ?? ""}: ${test.original.expr}`;
  const departure = FOLLOWS_CEL_GO.get(test.original.expr);
  if (departure !== undefined) {
    counts.skipped.set(`cel-go: ${departure}`, (counts.skipped.get(`cel-go: ${departure}`) ?? 0) + 1);
    return;
  }
  try {
    counts.run++;
    runCase(test);
  } catch (error) {
    counts.failed.push(`${name}\n    ${error instanceof Error ? error.message : String(error)}`);
  }
}

describe("the conformance cases of cel-spec", () => {
  visit(tests, "");
  it("skips only cases that need protobuf or are not part of the language", (context) => {
    for (const [reason, count] of counts.skipped) context.diagnostic(`${count} skipped: ${reason}`);
    context.diagnostic(`${counts.run} run, ${counts.failed.length} failed`);
    assert.ok(counts.run > 1400, `only ${counts.run} cases were run`);
  });
  it("has the expected result for all others", () => {
    assert.equal(counts.failed.length, 0, counts.failed.join("\n"));
  });
});
