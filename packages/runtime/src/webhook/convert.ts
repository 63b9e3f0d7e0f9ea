/** Converts objects of a resource between versions, with the functions of its definition. */
import { cloneJson, parseApiVersion } from "@capstan/model";
import type { Json, KubeObject } from "@capstan/model";
import { applyDefaults, readSchema } from "@capstan/schema";
import type { Resource, StructuralSchema } from "@capstan/schema";
import { oddIn } from "../apply/json-only.ts";
import { messageOf } from "../failure.ts";
import { atUserLine } from "../report/call-site.ts";
import { storageVersion } from "../resource.ts";
import { checkingConverted } from "./converted-spec.ts";
import type { Conversion, ConversionRequest } from "./review.ts";

/** Converts objects of several resources. */
export type Converter = (request: ConversionRequest) => Conversion;

/** A converter for all resources of an operator. `onThrow` is called for functions that threw. */
export function converting(resources: readonly Resource[], onThrow: (error: unknown) => void = () => {}): Converter {
  const steps = new Map(resources.map((resource) => [idOf(resource.group, resource.kind), stepsOf(resource)]));
  return ({ objects, desiredAPIVersion }) => {
    const converted: KubeObject[] = [];
    for (const object of objects) {
      try {
        const { group } = parseApiVersion(object.apiVersion);
        const convert = steps.get(idOf(group, object.kind));
        if (convert === undefined)
          throw new UnknownVersionError(`${object.kind} of ${object.apiVersion} is not known here`);
        converted.push(convert(object, desiredAPIVersion));
      } catch (error) {
        if (!(error instanceof UnknownVersionError)) onThrow(error);
        return { outcome: "failed", message: failureOf(object, desiredAPIVersion, error) };
      }
    }
    return { outcome: "converted", objects: converted };
  };
}

/** A conversion that is not defined. */
class UnknownVersionError extends Error {
  override readonly name = "UnknownVersionError";
}

type ConvertObject = (object: KubeObject, desiredApiVersion: string) => KubeObject;

function stepsOf(resource: Resource): ConvertObject {
  const { group, conversions } = resource;
  const storage = storageVersion(resource);
  const complete = completing(resource);
  const check = checkingConverted(resource, storage);
  const step = (spec: Json, from: string, to: string): Json => {
    const convert = conversions[`${from}->${to}`];
    if (convert === undefined) throw new UnknownVersionError(`no conversion from ${from} to ${to} is stated`);
    const what = `convert["${from}->${to}"]`;
    const before = complete(spec, from);
    // The function may write into what it gets.
    const after = mustBeSpec(convert(cloneJson(before)), what);
    check({ from, to, before, after: withoutUndefined(after) }, what);
    return after;
  };
  return (object, desiredApiVersion) => {
    const { version: from } = parseApiVersion(object.apiVersion);
    const { group: desiredGroup, version: to } = parseApiVersion(desiredApiVersion);
    if (desiredGroup !== group || !(to in resource.versions) || !(from in resource.versions)) {
      throw new UnknownVersionError(`${resource.kind} has the versions ${Object.keys(resource.versions).join(", ")}`);
    }
    const { spec } = object as { readonly spec?: Json };
    if (from === to || spec === undefined) return { ...object, apiVersion: desiredApiVersion };
    const isDirect = from === storage || to === storage;
    const converted = isDirect ? step(spec, from, to) : step(step(spec, from, storage), storage, to);
    return { ...object, apiVersion: desiredApiVersion, spec: converted } as KubeObject;
  };
}

/** The result as the server gets it: fields without a value are not sent. */
function withoutUndefined(spec: Json): Json {
  return JSON.parse(JSON.stringify(spec)) as Json;
}

/** A result that is not a spec would be stored instead of one: the data would be lost. */
function mustBeSpec(answer: unknown, what: string): Json {
  const isObject = typeof answer === "object" && answer !== null && !Array.isArray(answer);
  if (isObject && !("then" in answer && typeof answer.then === "function")) {
    const odd = oddIn({ spec: answer });
    if (odd === undefined) return answer as Json;
    throw new Error(`${what} answered something that JSON does not have: ${odd}`);
  }
  const kind = isObject ? "a promise" : answer === null || answer === undefined ? "nothing" : `a ${typeof answer}`;
  throw new Error(`${what} answered ${Array.isArray(answer) ? "a list" : kind} instead of a spec`);
}

/** Conversion functions get specs with defaults; during an apply the server also sends partial objects. */
function completing({ versions }: Resource): (spec: Json, version: string) => Json {
  const schemas = new Map<string, StructuralSchema | undefined>();
  return (spec, version) => {
    if (!schemas.has(version)) {
      const whole = readSchema(versions[version]?.schema as unknown as Json);
      schemas.set(version, whole.properties?.get("spec"));
    }
    return applyDefaults(spec, schemas.get(version));
  };
}

function idOf(group: string, kind: string): string {
  return `${kind}.${group}`;
}

function failureOf({ kind, apiVersion, metadata }: KubeObject, to: string, error: unknown): string {
  const name = [metadata?.namespace, metadata?.name].filter((part) => part !== undefined && part !== "").join("/");
  return `could not convert ${kind} ${name} from ${apiVersion} to ${to}: ${messageOf(error)}${atUserLine(error)}`;
}
