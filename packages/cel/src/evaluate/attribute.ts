/** Paths: a variable or a computed value followed by fields and indexes, evaluated and billed as one. */

import type { CelResult, CelValue } from "../values/value.ts";
import { CelError, CelOptional, fail, noSuchOverload } from "../values/value.ts";
import type { Frame, Step } from "./frame.ts";
import { isPresent, lookUp, missing } from "./qualify.ts";

/** Where a path begins. */
export type Root =
  | { readonly kind: "variable"; readonly names: readonly string[] }
  | { readonly kind: "local"; readonly slot: number; readonly init: Step | undefined }
  | { readonly kind: "computed"; readonly step: Step }
  | { readonly kind: "conditional"; readonly condition: Step; readonly truthy: Attribute; readonly falsy: Attribute };

/** One field or index of a path. */
export interface Qualifier {
  readonly key: CelValue | Step;
  /** Written `.?` or `[?`. */
  readonly optional: boolean;
  /** The last step of has(). */
  readonly test: boolean;
}

/** A path. */
export interface Attribute {
  readonly root: Root;
  readonly qualifiers: readonly Qualifier[];
}

/** Evaluates a path. The root costs one, unless it is `?:`, and each step costs one; has() has the root for free. */
export function planAttribute(attribute: Attribute): Step {
  const resolve = planResolve(attribute);
  const isTest = attribute.qualifiers.at(-1)?.test ?? false;
  const cost = Number(attribute.root.kind !== "conditional") - Number(isTest);
  return (frame) => {
    const value = resolve(frame);
    if (cost !== 0) frame.charge(cost);
    if (!isTest) return value;
    return value instanceof CelOptional ? value.value !== undefined : value;
  };
}

/** Evaluates a path without the price of its root: as a key, or as a branch of `?:`. */
export function planResolve(attribute: Attribute): Step {
  const root = planRoot(attribute.root);
  const { qualifiers } = attribute;
  if (qualifiers.length === 0) return root;
  const [only] = qualifiers;
  if (qualifiers.length === 1 && only && !only.optional && !only.test && typeof only.key !== "function") {
    return planField(root, only.key);
  }
  return (frame) => applyQualifiers(frame, root(frame), qualifiers);
}

/** The commonest path has one constant key. */
function planField(root: Step, key: CelValue): Step {
  return (frame) => {
    const container = root(frame);
    if (container instanceof CelError) return container;
    if (container instanceof CelOptional)
      return applyQualifiers(frame, container, [{ key, optional: false, test: false }]);
    const value = lookUp(container, key);
    frame.charge(1);
    return value === undefined ? missing(container, key) : value;
  };
}

function planRoot(root: Root): Step {
  switch (root.kind) {
    case "variable":
      return planVariable(root.names);
    case "local":
      return planLocal(root.slot, root.init);
    case "computed":
      return root.step;
    case "conditional":
      return planConditional(root);
  }
}

/** A checked name is one; an unchecked one may be meant in any of several namespaces. */
function planVariable(names: readonly string[]): Step {
  const [name = ""] = names;
  if (names.length > 1) return planCandidates(names);
  return (frame) => {
    const value = frame.activation.get(name);
    return value === undefined ? fail(`no such attribute(s): ${name}`) : value;
  };
}

function planCandidates(names: readonly string[]): Step {
  return (frame) => {
    for (const name of names) {
      const value = frame.activation.get(name);
      if (value !== undefined) return value;
    }
    return fail(`no such attribute(s): ${names.join(", ")}`);
  };
}

/** A local has its value, or computes it when it is first needed. */
function planLocal(slot: number, init: Step | undefined): Step {
  if (!init) return (frame) => frame.locals[slot] as CelResult;
  return (frame) => {
    const value = frame.locals[slot];
    if (value !== undefined) return value;
    const initial = init(frame);
    frame.locals[slot] = initial;
    return initial;
  };
}

function planConditional(root: Extract<Root, { kind: "conditional" }>): Step {
  const truthy = planResolve(root.truthy);
  const falsy = planResolve(root.falsy);
  return (frame) => {
    const condition = root.condition(frame);
    if (condition === true) return truthy(frame);
    if (condition === false) return falsy(frame);
    return condition instanceof CelError ? condition : noSuchOverload();
  };
}

/** Walks the path; from the first optional on, absence ends it without an error. */
function applyQualifiers(frame: Frame, start: CelResult, qualifiers: readonly Qualifier[]): CelResult {
  let value = start;
  let optional = false;
  if (value instanceof CelOptional) {
    if (value.value === undefined) return value;
    value = value.value;
    optional = true;
  }
  for (const qualifier of qualifiers) {
    if (value instanceof CelError) return value;
    optional ||= qualifier.optional;
    const next: CelResult | undefined = optional
      ? qualifyIfPresent(frame, value, qualifier)
      : qualify(frame, value, qualifier);
    if (next === undefined) return CelOptional.none;
    value = next;
  }
  return optional && !(value instanceof CelError) ? CelOptional.of(value) : value;
}

function qualify(frame: Frame, container: CelValue, qualifier: Qualifier): CelResult {
  const key = typeof qualifier.key === "function" ? qualifier.key(frame) : qualifier.key;
  frame.charge(1);
  if (key instanceof CelError) return key;
  if (qualifier.test) return isPresent(container, key);
  const value = lookUp(container, key);
  return value === undefined ? missing(container, key) : value;
}

function qualifyIfPresent(frame: Frame, container: CelValue, qualifier: Qualifier): CelResult | undefined {
  const key = typeof qualifier.key === "function" ? qualifier.key(frame) : qualifier.key;
  if (key instanceof CelError) return key;
  const present = isPresent(container, key);
  if (present instanceof CelError) return present;
  if (!present) return undefined;
  frame.charge(1);
  return qualifier.test ? true : lookUp(container, key);
}
