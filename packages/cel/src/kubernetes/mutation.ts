/** What mutating policies write: `Object{...}` for server-side apply and `JSONPatch{...}`. */

import { overload, type TypeProvider } from "../check/declarations.ts";
import type { Library } from "../library/library.ts";
import { DYN, objectType, opaqueType, STRING, type Type, typeOf } from "../type.ts";
import type { CelError, CelResult, CelValue, Equality } from "../values/value.ts";
import { CelObject, fail, typeOfValue } from "../values/value.ts";

/** An object of which only some fields are written. */
export class CelPartialObject extends CelObject {
  override readonly type: Type;
  readonly fields: ReadonlyMap<string, CelValue>;

  constructor(typeName: string, fields: ReadonlyMap<string, CelValue>) {
    super();
    this.type = objectType(typeName);
    this.fields = fields;
  }

  override get typeValue(): Type {
    return typeOf(this.type);
  }

  override field(name: string): CelResult {
    return this.fields.get(name) ?? null;
  }

  override has(name: string): boolean {
    return this.fields.has(name);
  }

  override equals(other: CelValue, same: Equality): boolean | CelError {
    if (!(other instanceof CelPartialObject) || other.type.name !== this.type.name) return false;
    if (this.fields.size !== other.fields.size) return false;
    return [...this.fields].every(
      ([name, value]) => other.fields.has(name) && same(value, other.fields.get(name) ?? null) === true,
    );
  }

  override get isZero(): boolean {
    return this.fields.size === 0;
  }
}

/** One operation of a JSON patch. */
export class CelJsonPatch extends CelObject {
  override readonly type: Type = JSON_PATCH;
  readonly op: string;
  readonly path: string;
  readonly from: string;
  readonly value: CelValue | undefined;

  constructor(fields: ReadonlyMap<string, CelValue>) {
    super();
    this.op = (fields.get("op") as string | undefined) ?? "";
    this.path = (fields.get("path") as string | undefined) ?? "";
    this.from = (fields.get("from") as string | undefined) ?? "";
    this.value = fields.get("value");
  }

  override get typeValue(): Type {
    return typeOf(this.type);
  }

  override field(name: string): CelResult | undefined {
    switch (name) {
      case "op":
      case "path":
      case "from":
        return this[name];
      case "value":
        return this.value ?? null;
      default:
        return fail(`unsupported indexer: ${name}`);
    }
  }

  override has(name: string): boolean | CelError {
    switch (name) {
      case "op":
      case "path":
      case "from":
        return this[name] !== "";
      case "value":
        return this.value !== undefined;
      default:
        return fail(`unsupported field: ${name}`);
    }
  }

  override equals(other: CelValue, same: Equality): boolean | CelError {
    if (!(other instanceof CelJsonPatch)) return false;
    if (this.op !== other.op || this.path !== other.path || this.from !== other.from) return false;
    if (this.value === undefined || other.value === undefined) return this.value === other.value;
    return same(this.value, other.value);
  }
}

const JSON_PATCH: Type = objectType("JSONPatch");
const STRING_FIELDS: ReadonlySet<string> = new Set(["op", "path", "from"]);

function isObjectName(name: string): boolean {
  return name === "Object" || name.startsWith("Object.");
}

function constructPatch(fields: ReadonlyMap<string, CelValue>): CelResult {
  for (const [name, value] of fields) {
    if (STRING_FIELDS.has(name) && typeof value !== "string") {
      return fail(`unexpected type ${typeOfValue(value).toString()} for JSONPatchType '${name}' field`);
    }
    if (!STRING_FIELDS.has(name) && name !== "value") return fail(`unexpected JSONPatchType field: ${name}`);
  }
  return new CelJsonPatch(fields);
}

/** Nothing fits a field that patches do not have. */
function patchField(field: string): Type {
  if (STRING_FIELDS.has(field)) return STRING;
  return field === "value" ? DYN : opaqueType("");
}

const TYPES: TypeProvider = {
  findType(name) {
    if (name === "JSONPatch") return JSON_PATCH;
    return isObjectName(name) ? objectType(name) : undefined;
  },
  findField(typeName, field) {
    if (typeName === "JSONPatch") return patchField(field);
    return isObjectName(typeName) ? DYN : undefined;
  },
  construct: (typeName, fields) =>
    typeName === "JSONPatch" ? constructPatch(fields) : new CelPartialObject(typeName, fields),
};

/** The types, and jsonpatch.escapeKey for paths. */
export const MUTATION: Library = {
  name: "kubernetes.mutation",
  types: TYPES,
  functions: [
    {
      name: "jsonpatch.escapeKey",
      overloads: [
        overload("string_jsonpatch_escapeKey_string", [STRING], STRING, (key) =>
          (key as string).replaceAll(/[~/]/g, (char) => (char === "/" ? "~1" : "~0")),
        ),
      ],
    },
  ],
};
