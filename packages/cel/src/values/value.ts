/** What an expression computes with: JavaScript values where they are exact, small classes where they are not. */

import type { Type } from "../type.ts";
import { spend } from "../work.ts";
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  INT,
  LIST,
  MAP,
  NULL,
  OPTIONAL,
  STRING,
  TIMESTAMP,
  TYPE,
  UINT,
} from "../type.ts";

/** An unsigned 64-bit integer. */
export class CelUint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** A span of time in nanoseconds, within 64 bits. */
export class CelDuration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** An instant in nanoseconds since 1970, with the offset that it was written in (only its text shows it). */
export class CelTimestamp {
  readonly nanos: bigint;
  readonly offsetSeconds: number;
  constructor(nanos: bigint, offsetSeconds = 0) {
    this.nanos = nanos;
    this.offsetSeconds = offsetSeconds;
  }
}

/** A value that may be absent. */
export class CelOptional {
  static readonly none: CelOptional = new CelOptional(undefined);
  readonly value: CelValue | undefined;
  private constructor(value: CelValue | undefined) {
    this.value = value;
  }
  static of(value: CelValue): CelOptional {
    return new CelOptional(value);
  }
}

/** A sequence; elements may be made when they are read. */
export abstract class CelList {
  abstract get size(): number;
  /** The element at an index that is known to exist. */
  abstract at(index: number): CelResult;
  /** The list `this + other`. */
  plus(other: CelList): CelResult {
    return new ArrayList([...this.toArray(), ...other.toArray()]);
  }
  /** Whether both hold the same elements; a list type may define what that means. */
  equals(other: CelList, same: Equality): boolean | CelError {
    if (this.size !== other.size) return false;
    for (let index = 0; index < this.size; index++) {
      if (same(this.at(index), other.at(index)) === false) return false;
    }
    return true;
  }
  toArray(): CelValue[] {
    const { size } = this;
    spend(size * 4);
    const items: CelValue[] = [];
    for (let index = 0; index < size; index++) items.push(this.at(index) as CelValue);
    return items;
  }
}

/** The comparison of two values; passed to containers so that they do not depend on every kind. */
export type Equality = (a: CelResult, b: CelResult) => boolean | CelError;

/** A list over an array of values. */
export class ArrayList extends CelList {
  readonly items: CelValue[];
  constructor(items: CelValue[]) {
    super();
    this.items = items;
  }
  override get size(): number {
    return this.items.length;
  }
  override at(index: number): CelResult {
    return this.items[index] as CelValue;
  }
  override toArray(): CelValue[] {
    spend(this.items.length);
    return this.items;
  }
}

/** The list that a comprehension builds: adding to it appends in place, so that building n elements takes n steps. */
export class GrowingList extends ArrayList {
  override plus(other: CelList): CelResult {
    const count = other.size;
    for (let index = 0; index < count; index++) this.items.push(other.at(index) as CelValue);
    return this;
  }
}

/** A mapping; values may be made when they are read. */
export abstract class CelMap {
  abstract get size(): number;
  /** The value of a key, or undefined. */
  abstract get(key: CelValue): CelResult | undefined;
  abstract keys(): Iterable<CelValue>;
  /** Whether both hold the same entries. */
  equals(other: CelMap, same: Equality): boolean | CelError {
    if (this.size !== other.size) return false;
    for (const key of this.keys()) {
      const theirs = other.get(key);
      if (theirs === undefined || same(this.get(key) ?? null, theirs) === false) return false;
    }
    return true;
  }
}

/** How a key is stored: numbers that are equal in the language are one key. */
type StoredKey = string | boolean | bigint;

function storedKey(key: CelValue): StoredKey | undefined {
  if (typeof key === "string" || typeof key === "boolean" || typeof key === "bigint") return key;
  if (key instanceof CelUint) return key.value;
  if (typeof key === "number" && Number.isInteger(key)) return BigInt(key);
  return undefined;
}

/** A map that holds its entries. */
export class EntryMap extends CelMap {
  readonly entries: Map<StoredKey, readonly [CelValue, CelValue]> = new Map();
  override get size(): number {
    return this.entries.size;
  }
  override get(key: CelValue): CelResult | undefined {
    const stored = storedKey(key);
    return stored === undefined ? undefined : this.entries.get(stored)?.[1];
  }
  override *keys(): Iterable<CelValue> {
    for (const [key] of this.entries.values()) yield key;
  }
  /** Sets a key; returns false when the value cannot be a key. */
  set(key: CelValue, value: CelValue): boolean {
    const stored = storedKey(key);
    if (stored === undefined || typeof key === "number") return false;
    this.entries.set(stored, [key, value]);
    return true;
  }
  delete(key: CelValue): void {
    const stored = storedKey(key);
    if (stored !== undefined) this.entries.delete(stored);
  }
}

/** The map that a comprehension builds in place. */
export class GrowingMap extends EntryMap {}

/** A value that only its library understands, or an object with fields. */
export abstract class CelObject {
  abstract readonly type: Type;
  abstract equals(other: CelValue, same: Equality): boolean | CelError;
  /** The value of a field, undefined when it is not set, or an error. */
  field?(name: string): CelResult | undefined;
  /** Whether a field is set. */
  has?(name: string): boolean | CelError;
  /** How it is written, for those that are more than their fields. */
  get text(): string | undefined {
    return undefined;
  }
  /** The result of `type(x)`. */
  get typeValue(): Type {
    return this.type;
  }
  /** What `size` measures for costs; absent means 1. */
  get costSize(): number | undefined {
    return undefined;
  }
  /** Whether optional.ofNonZeroValue drops it. */
  get isZero(): boolean {
    return false;
  }
}

/** Why an evaluation has no value; travels as a value so that `&&`, `||` and `?:` can absorb it. */
export class CelError extends Error {
  override readonly name = "CelError";
  readonly code: CelErrorCode;
  constructor(message: string, code: CelErrorCode = "evaluation") {
    super(message);
    this.code = code;
  }
}

/** What kind of failure a CelError is. */
export type CelErrorCode = "evaluation" | "cost-limit";

/** Everything that an expression can compute. */
export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | CelUint
  | CelDuration
  | CelTimestamp
  | CelOptional
  | CelList
  | CelMap
  | CelObject
  | Type;

/** A value, or an error. */
export type CelResult = CelValue | CelError;

const stackLimit = { stackTraceLimit: 0 };

/** Makes an error value; the stack is left out because these are ordinary results, made in hot paths. */
export function fail(message: string): CelError {
  const holder = Error as unknown as typeof stackLimit;
  const before = holder.stackTraceLimit;
  holder.stackTraceLimit = 0;
  const error = new CelError(message);
  holder.stackTraceLimit = before;
  return error;
}

/** The error of an operation that is not defined for its operands. */
export function noSuchOverload(): CelError {
  return fail("no such overload");
}

/** The error of a function that a value does not have; types with their own methods do not name it. */
export function undefinedFor(name: string, value: CelValue): CelError {
  const hasMethods = typeof value === "string" || value instanceof CelDuration || value instanceof CelTimestamp;
  return hasMethods ? noSuchOverload() : fail(`no such overload: ${name}`);
}

const SCALAR_TYPES = { boolean: BOOL, bigint: INT, number: DOUBLE, string: STRING } as const;

/** The runtime type of a value. */
export function typeOfValue(value: CelValue): Type {
  if (value === null) return NULL;
  const kind = typeof value;
  if (kind !== "object") return SCALAR_TYPES[kind as keyof typeof SCALAR_TYPES];
  if (value instanceof CelList) return LIST;
  if (value instanceof CelMap) return MAP;
  if (value instanceof CelObject) return value.type;
  if (value instanceof CelUint) return UINT;
  if (value instanceof Uint8Array) return BYTES;
  if (value instanceof CelDuration) return DURATION;
  if (value instanceof CelTimestamp) return TIMESTAMP;
  return value instanceof CelOptional ? OPTIONAL : TYPE;
}

/** How many code points a string has, which is what the language calls its size. */
export function codePointCount(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text.charCodeAt(index + 1))) {
      count--;
      index++;
    }
  }
  return count;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
