/** Reads JSON values into the built-in types the way Go does: same order, same zeros, same errors. */
import type { JsonObject, JsonValue } from "../builtin/draft.ts";
import { noteEmpty } from "../builtin/given-empty.ts";
import { isCanonicalBase64, firstBadBase64 } from "./base64.ts";
import { readCustom } from "./go-custom.ts";
import type { GoField, GoStruct, GoType } from "./go-type.ts";
import { isHeldEmpty } from "./held-empty.ts";
import { NumberLiteral, withoutLiterals } from "./number-literal.ts";
import { TypeMismatchError, type StrictProblems } from "./strict.ts";

/**
 * Where a value comes from. `text` is decoded as JSON. `values` are converted one by one, as strategic patches and applied configurations
 * are. `stored` was decoded before. Integers out of range are rejected in texts and truncated in values. `written` is a text whose maps
 * are not sorted.
 */
export type GoSource = "text" | "written" | "values" | "stored";

/** A step into a value. */
type PathPart = string | number | GoField;

/** The current path in a value, and the errors so far. */
export class GoReader {
  readonly #problems: StrictProblems | undefined;
  /** Fields, keys and list indexes from the root. */
  readonly #path: PathPart[] = [];
  #struct = "";
  /** Go continues after a value of the wrong type and reports the first one at the end. */
  #mismatch: TypeMismatchError | undefined;
  #inDocumentOrder = false;
  readonly #sortsMaps: boolean;
  readonly #source: GoSource;

  constructor(problems: StrictProblems | undefined, source: GoSource = "stored") {
    this.#problems = problems;
    this.#source = source;
    this.#sortsMaps = source !== "written";
  }

  /** Reads a whole object. */
  readObject(type: GoStruct, value: JsonValue): JsonObject {
    const object = this.#attempt(type, value);
    if (this.#mismatch !== undefined) throw this.#firstInDocument(type, value, this.#mismatch);
    return object as JsonObject;
  }

  /** Some types stop the reading at once. In a text, their error takes precedence over earlier mismatches. */
  #attempt(type: GoStruct, value: JsonValue): JsonValue | undefined {
    try {
      return this.read(type, value);
    } catch (error) {
      if (!(error instanceof TypeMismatchError)) throw error;
      if (this.#source === "values") this.#mismatch ??= error;
      else this.#mismatch = error;
      return undefined;
    }
  }

  /** Go's decoder reports the first error in the text; its converter reports the first one in the order of the type. */
  #firstInDocument(type: GoStruct, value: JsonValue, inType: TypeMismatchError): TypeMismatchError {
    const again = new GoReader(undefined, this.#source);
    again.#inDocumentOrder = true;
    again.#attempt(type, value);
    const { message } = again.#mismatch ?? inType;
    return new TypeMismatchError(message, { conversion: inType.asConversion() });
  }

  /** Reads a value; `undefined` stands for Go's nil. */
  read(type: GoType, value: JsonValue): JsonValue | undefined {
    switch (type.type) {
      case "struct":
        return this.#struct_(type, value);
      case "pointer":
        return value === null ? undefined : this.read(type.to, value);
      case "list":
        return this.#list(type, value);
      case "map":
        return this.#map(type, value);
      case "custom":
        return readCustom(this, type, value);
      case "scalar":
        return this.#scalar(type, value);
    }
  }

  /** Reports a value of the wrong type; the value counts as absent. */
  mismatch(type: GoType, value: JsonValue, literal = ""): undefined {
    const scalar = type.type === "scalar" ? type.scalar : undefined;
    this.#mismatch ??= this.mismatchError(type.go, value, { literal, scalar });
  }

  /** The error for a value of the wrong type, for types that stop the reading. */
  mismatchError(go: string, value: JsonValue, { literal = "", scalar }: MismatchDetails = {}): TypeMismatchError {
    const fields = this.#path.flatMap((part) => (typeof part === "object" ? part.goName : []));
    const place = fields.length === 0 ? "Go value" : `Go struct field ${this.#struct}.${fields.join(".")}`;
    const found = jsonTypeOf(value);
    return new TypeMismatchError(`json: cannot unmarshal ${found}${literal} into ${place} of type ${go}`, {
      found,
      wanted: go,
      scalar,
      isFraction: typeof value === "number" && !Number.isInteger(value),
    });
  }

  #struct_(type: GoStruct, value: JsonValue): JsonValue | undefined {
    if (typeof value !== "object" || Array.isArray(value) || value instanceof NumberLiteral) {
      return this.mismatch(type, value);
    }
    const outer = this.#struct;
    const source: JsonObject = value ?? {};
    if (this.#problems !== undefined) this.#findUnknown(type, source);
    const result: JsonObject = {};
    for (const field of this.#inDocumentOrder ? givenFields(type, source) : type.fields) {
      const given = source[field.name];
      this.#path.push(field);
      this.#struct = type.name;
      const read = given === undefined || given === null ? undefined : this.read(field.type, given);
      this.#path.pop();
      this.#write(result, field, { struct: type.name, read });
    }
    this.#struct = outer;
    return result;
  }

  /** Writes the value of a field. An omitted empty list or map can still be detected until the object is stored. */
  #write(result: JsonObject, field: GoField, { struct, read }: { struct: string; read: JsonValue | undefined }): void {
    const isHeld = this.#source !== "stored" && isEmptyPart(read) && isHeldEmpty(struct, field.name);
    const written = isHeld ? read : writtenField(field, this.#kept(field, read));
    if (written !== undefined) result[field.name] = written;
    else if (this.#source !== "stored" && (isEmptyPart(read) || isNoBytes(field.type, read)))
      noteEmpty(result, field.name, read);
  }

  /** The value after a round trip through the store. */
  #kept({ nilWhenStored }: GoField, read: JsonValue | undefined): JsonValue | undefined {
    return nilWhenStored && this.#source === "stored" && read !== undefined && isEmpty(read) ? undefined : read;
  }

  #findUnknown(type: GoStruct, source: JsonObject): void {
    for (const name in source) {
      if (!type.byName.has(name)) this.#tellUnknown(formatPath([...this.#path, name]));
    }
  }

  #tellUnknown(path: string): void {
    if (this.#source === "values") this.#problems?.unknownField(path);
    else this.#problems?.unknownInBody(path);
  }

  #list(type: GoType & { type: "list" }, value: JsonValue): JsonValue | undefined {
    if (value === null) return undefined;
    if (!Array.isArray(value)) return this.mismatch(type, value);
    const items: JsonValue[] = [];
    for (let index = 0; index < value.length; index++) {
      this.#path.push(index);
      items.push(this.read(type.of, value[index] ?? null) ?? zeroOf(type.of));
      this.#path.pop();
    }
    return items;
  }

  #map(type: GoType & { type: "map" }, value: JsonValue): JsonValue | undefined {
    if (value === null) return undefined;
    if (typeof value !== "object" || Array.isArray(value) || value instanceof NumberLiteral) {
      return this.mismatch(type, value);
    }
    const result: JsonObject = {};
    const keys = Object.keys(value);
    for (const key of this.#inDocumentOrder || !this.#sortsMaps ? keys : keys.sort()) {
      // Keys do not appear in Go's field path, but unknown fields below are reported with them.
      this.#path.push(key);
      const struct = this.#struct;
      const read = this.#valueOfMap(type.of, value[key] ?? null);
      this.#struct = struct;
      this.#path.pop();
      setField(result, key, read ?? zeroInMap(type.of));
    }
    return result;
  }

  #valueOfMap(type: GoType, value: JsonValue): JsonValue | undefined {
    if (type.type === "struct") return this.read(type, value);
    // An error about a scalar names the field that holds the map, not the key.
    const key = this.#path.pop() ?? "";
    const read = this.read(type, value);
    this.#path.push(key);
    return read;
  }

  #scalar(type: GoType & { type: "scalar" }, value: JsonValue): JsonValue | undefined {
    if (value === null) return undefined;
    switch (type.scalar) {
      case "string":
        return typeof value === "string" ? value : this.mismatch(type, value);
      case "bool":
        return typeof value === "boolean" ? value : this.mismatch(type, value);
      case "bytes":
        return this.#bytes(type, value);
      case "int":
      case "int32":
      case "int64":
      case "uint8":
        return this.#integer(type, value);
      case "float64":
        return this.#float(type, value);
      case "any":
        return withoutLiterals(value) as JsonValue;
    }
  }

  #integer(type: GoType & { type: "scalar" }, value: JsonValue): JsonValue | undefined {
    if (value instanceof NumberLiteral) return this.mismatch(type, value, ` ${value.text}`);
    if (typeof value !== "number" && typeof value !== "bigint") return this.mismatch(type, value);
    if (typeof value === "number" && !Number.isInteger(value)) return this.mismatch(type, value, ` ${value}`);
    if (type.scalar === "int32") {
      if (value >= -(2 ** 31) && value < 2 ** 31) return Number(value);
    } else if (typeof value === "bigint" || Number.isSafeInteger(value)) return value;
    return this.#source === "values" ? cutOff(value, type.scalar) : this.mismatch(type, value, ` ${value}`);
  }

  #float(type: GoType & { type: "scalar" }, value: JsonValue): JsonValue | undefined {
    if (typeof value === "number" || typeof value === "bigint") return Number(value);
    if (!(value instanceof NumberLiteral)) return this.mismatch(type, value);
    return Number.isFinite(value.value) ? value.value : this.mismatch(type, value, ` ${value.text}`);
  }

  #bytes(type: GoType, value: JsonValue): JsonValue | undefined {
    if (isOctets(value)) return Buffer.from(value.map((octet) => octet ?? 0)).toString("base64");
    if (typeof value !== "string") return this.mismatch(type, value);
    const bad = firstBadBase64(value);
    if (bad < 0) return isCanonicalBase64(value) ? value : Buffer.from(value, "base64").toString("base64");
    const why = `illegal base64 data at input byte ${bad}`;
    this.#mismatch ??= new TypeMismatchError(why, { conversion: `error decoding from json: ${why}` });
    return undefined;
  }
}

/** Go's conversions between integers keep the lower bits. A value beyond int64 becomes the smallest int64. */
function cutOff(value: number | bigint, scalar: string): number | bigint {
  const least = -(2n ** 63n);
  const whole = BigInt(value);
  const held = whole < least || whole >= -least ? least : whole;
  const cut = BigInt.asIntN(scalar === "int32" ? 32 : 64, held);
  return Number.isSafeInteger(Number(cut)) ? Number(cut) : cut;
}

/** Absent bytes in a map are shown as an empty string after storage. */
function zeroInMap(type: GoType): JsonValue {
  return type.type === "scalar" && type.scalar === "bytes" ? "" : zeroOf(type);
}

/** Bytes may also be a list of numbers. */
function isOctets(value: JsonValue): value is (number | null)[] {
  const isOctet = (item: JsonValue): boolean =>
    item === null || (typeof item === "number" && Number.isInteger(item) && item >= 0 && item < 256);
  return Array.isArray(value) && value.every(isOctet);
}

/** The fields of the struct that the document contains, in the order of the document. */
function givenFields({ byName }: GoStruct, source: JsonObject): GoField[] {
  return Object.keys(source).flatMap((name) => byName.get(name) ?? []);
}

/** More details about a value of the wrong type. */
interface MismatchDetails {
  readonly literal?: string;
  readonly scalar?: string | undefined;
}

/** The JSON of a field for its Go value; `undefined` if it is omitted. */
function writtenField(field: GoField, read: JsonValue | undefined): JsonValue | undefined {
  const { type } = field;
  if (read === undefined) {
    if (field.omitZero || (field.omitEmpty && canBeEmpty(type))) return undefined;
    return zeroOf(type);
  }
  if (field.omitZero && isZeroStruct(type, read)) return undefined;
  return field.omitEmpty && canBeEmpty(type) && type.type !== "pointer" && isEmpty(read) ? undefined : read;
}

/** Go leaves out empty strings, numbers, lists, maps and nil pointers, but never a struct. */
function canBeEmpty(type: GoType): boolean {
  return type.type !== "struct" && type.type !== "custom";
}

function isEmpty(value: JsonValue): boolean {
  if (value === "" || value === 0 || value === false) return true;
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** Whether bytes are given but empty. */
function isNoBytes(type: GoType, value: JsonValue | undefined): value is "" {
  return value === "" && type.type === "scalar" && type.scalar === "bytes";
}

/** An omitted value that was read is either nil, or an empty list or map. */
function isEmptyPart(value: JsonValue | undefined): value is never[] | Record<string, never> {
  return typeof value === "object" && value !== null;
}

function isZeroStruct(type: GoType, value: JsonValue): boolean {
  if (value === null) return true;
  return type.type === "struct" && typeof value === "object" && Object.keys(value).length === 0;
}

/** The JSON that Go writes for an unset value. */
function zeroOf(type: GoType): JsonValue {
  switch (type.type) {
    case "struct":
      return new GoReader(undefined).readObject(type, {});
    case "pointer":
    case "list":
    case "map":
      return null;
    case "custom":
      return customZero[type.rule] ?? null;
    case "scalar":
      return scalarZero[type.scalar] ?? null;
  }
}

const customZero: Readonly<Record<string, JsonValue>> = {
  duration: "0s",
  quantity: "0",
  intOrString: 0,
  schemaOrBool: false,
};
const scalarZero: Readonly<Record<string, JsonValue>> = {
  string: "",
  bool: false,
  int: 0,
  int32: 0,
  int64: 0,
  uint8: 0,
  float64: 0,
};

/** Sets a field. `__proto__` needs defineProperty, because an assignment would set the prototype. */
function setField(target: JsonObject, key: string, value: JsonValue): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
  } else target[key] = value;
}

/** Formats a path such as `spec.containers[0].name`. */
function formatPath(parts: readonly PathPart[]): string {
  return parts.reduce<string>((path, part) => {
    if (typeof part === "number") return `${path}[${part}]`;
    const name = typeof part === "string" ? part : part.name;
    return path === "" ? name : `${path}.${name}`;
  }, "");
}

function jsonTypeOf(value: JsonValue): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value === "bigint" || value instanceof NumberLiteral ? "number" : typeof value;
}
