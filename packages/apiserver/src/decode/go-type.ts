/** The Go types of the built-in kinds: the order of fields, omitted zeros, and the Go names of fields. */
import { text } from "../generated/go-types.ts";
import { goFieldName } from "./embedded.ts";

/** A type with a custom JSON form. */
export type CustomRule =
  | "time"
  | "microTime"
  | "duration"
  | "quantity"
  | "intOrString"
  | "raw"
  | "fields"
  | "json"
  | "schemaOrBool"
  | "schemaOrArray"
  | "schemaOrStrings";

/** The scalar types in use. */
export type ScalarName = "string" | "bool" | "bytes" | "int" | "int32" | "int64" | "uint8" | "float64" | "any";

/** A type; `go` is its name in Go's messages. */
export type GoType =
  | { readonly type: "scalar"; readonly go: string; readonly scalar: ScalarName }
  | { readonly type: "custom"; readonly go: string; readonly rule: CustomRule }
  | { readonly type: "pointer"; readonly go: string; readonly to: GoType }
  | { readonly type: "list"; readonly go: string; readonly of: GoType }
  | { readonly type: "map"; readonly go: string; readonly of: GoType }
  | GoStruct;

/** A struct. Its fields are built at the first use, because types refer to each other. */
export interface GoStruct {
  readonly type: "struct";
  readonly go: string;
  /** The name without the package. */
  readonly name: string;
  readonly fields: readonly GoField[];
  readonly byName: ReadonlyMap<string, GoField>;
}

/** A field of a struct. */
export interface GoField {
  readonly name: string;
  /** Its name in Go's errors. */
  readonly goName: string;
  readonly type: GoType;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
  /** Whether an empty list or map, although shown, is read from the store as nil: protobuf does not distinguish them. */
  readonly nilWhenStored: boolean;
}

interface Table {
  readonly types: { readonly [name: string]: readonly (readonly [name: string, type: string, flags: number])[] };
  readonly kinds: { readonly [groupVersion: string]: { readonly [kind: string]: string } };
}

let parsed: Table | undefined;
const structs = new Map<string, GoStruct>();

function table(): Table {
  return (parsed ??= JSON.parse(text) as Table);
}

/** The struct of a kind; `undefined` if Go does not have this kind at this version. */
export function goTypeOf(apiVersion: string, kind: string): GoStruct | undefined {
  const { kinds } = table();
  const ofVersion = Object.hasOwn(kinds, apiVersion) ? kinds[apiVersion] : undefined;
  if (ofVersion === undefined || !Object.hasOwn(ofVersion, kind)) return undefined;
  const name = ofVersion[kind];
  return name === undefined ? undefined : structOf(name);
}

/** The struct of a name such as `meta/v1.DeleteOptions`. */
export function structOf(name: string): GoStruct {
  let struct = structs.get(name);
  if (struct === undefined) structs.set(name, (struct = new LazyStruct(name)));
  return struct;
}

type Row = Table["types"][string][number];

const declared = new Map<string, readonly Row[]>();

/** Declares a struct of a kind that is not built in, in the notation of the generator. */
export function declareStruct(name: string, fields: readonly Row[]): GoStruct {
  declared.set(name, fields);
  return structOf(name);
}

/** Groups that kube-apiserver stores as JSON, which distinguishes an empty list from nil. All others are stored as protobuf. */
const storedAsJson = /^(?:apiextensions|apiregistration)\//;

class LazyStruct implements GoStruct {
  readonly type = "struct";
  readonly go: string;
  readonly name: string;
  readonly #id: string;
  #fields: readonly GoField[] | undefined;
  #byName: ReadonlyMap<string, GoField> | undefined;

  constructor(id: string) {
    this.#id = id;
    this.go = id.slice(id.indexOf("/") + 1);
    this.name = id.slice(id.indexOf(".") + 1);
  }

  get fields(): readonly GoField[] {
    return (this.#fields ??= (
      declared.get(this.#id) ??
      (Object.hasOwn(table().types, this.#id) ? table().types[this.#id] : undefined) ??
      []
    ).map((row) => this.#field(row)));
  }

  #field([name, notation, flags]: Row): GoField {
    const type = parseType(notation);
    const omitEmpty = (flags & 1) !== 0;
    const isContainer = type.type === "list" || type.type === "map";
    return {
      name,
      goName: goFieldName(this.#id, name),
      type,
      omitEmpty,
      omitZero: (flags & 2) !== 0,
      nilWhenStored: isContainer && !omitEmpty && !storedAsJson.test(this.#id),
    };
  }

  get byName(): ReadonlyMap<string, GoField> {
    return (this.#byName ??= new Map(this.fields.map((field) => [field.name, field])));
  }
}

const customGoNames: Readonly<Record<CustomRule, string>> = {
  time: "v1.Time",
  microTime: "v1.MicroTime",
  duration: "v1.Duration",
  quantity: "resource.Quantity",
  intOrString: "intstr.IntOrString",
  raw: "runtime.RawExtension",
  fields: "v1.FieldsV1",
  json: "v1.JSON",
  schemaOrBool: "v1.JSONSchemaPropsOrBool",
  schemaOrArray: "v1.JSONSchemaPropsOrArray",
  schemaOrStrings: "v1.JSONSchemaPropsOrStringArray",
};

const types = new Map<string, GoType>();

/** Reads the notation of the generator: `*`, `[name]`, `{name}`, `@struct`, or a scalar with an optional `=name`. */
function parseType(notation: string): GoType {
  let type = types.get(notation);
  if (type === undefined) types.set(notation, (type = readType(notation)));
  return type;
}

function readType(notation: string): GoType {
  switch (notation.charAt(0)) {
    case "@":
      return structOf(notation.slice(1));
    case "*": {
      const to = parseType(notation.slice(1));
      return { type: "pointer", go: to.go, to };
    }
    case "[": {
      const [name, of] = readContainer(notation, "]");
      return { type: "list", go: name || `[]${of.go}`, of };
    }
    case "{": {
      const [name, of] = readContainer(notation, "}");
      return { type: "map", go: name || `map[string]${of.go}`, of };
    }
    default:
      return readScalar(notation);
  }
}

/** Names of map types may contain brackets: `{map[v1.A]v1.B}`. */
function readContainer(notation: string, close: string): [string, GoType] {
  const end = notation.indexOf(close);
  return [notation.slice(1, end), parseType(notation.slice(end + 1))];
}

function readScalar(notation: string): GoType {
  if (Object.hasOwn(customGoNames, notation)) {
    const rule = notation as CustomRule;
    return { type: "custom", go: customGoNames[rule], rule };
  }
  const [scalar = "", name] = notation.split("=");
  return { type: "scalar", go: name ?? (scalar === "bytes" ? "[]uint8" : scalar), scalar: scalar as ScalarName };
}
