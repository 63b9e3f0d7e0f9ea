/** Writes the TypeScript types of one module: each definition as it is read, and as it is applied. */
import type { Fields, Value } from "./documents.ts";
import type { Place } from "./naming.ts";

/** The definitions and their modules. */
export interface World {
  readonly definitions: Readonly<Record<string, Fields>>;
  readonly places: ReadonlyMap<string, Place>;
  /** The definitions that are kinds: their apiVersion and kind, and whether their metadata is that of a stored object. */
  readonly kinds: ReadonlyMap<string, ShapeKind>;
}

/** The constant fields of a kind's objects. */
export interface ShapeKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly isStored: boolean;
}

type Form = "read" | "apply";

/** The names of some definitions in `@capstan/model` or in TypeScript itself. */
const wellKnown: Readonly<Record<string, Readonly<Record<Form, string>>>> = {
  "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": { read: "ObjectMeta", apply: "ObjectMeta" },
  "io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference": { read: "OwnerReference", apply: "OwnerReference" },
  "io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry": {
    read: "ManagedFieldsEntry",
    apply: "ManagedFieldsEntry",
  },
  "io.k8s.apimachinery.pkg.apis.meta.v1.Time": { read: "string", apply: "string" },
  "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": { read: "string", apply: "string" },
  "io.k8s.apimachinery.pkg.apis.meta.v1.Duration": { read: "string", apply: "string" },
  "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": { read: "Json", apply: "Json" },
  "io.k8s.apimachinery.pkg.api.resource.Quantity": { read: "string", apply: "string | number" },
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": { read: "IntOrString", apply: "IntOrString" },
  "io.k8s.apimachinery.pkg.runtime.RawExtension": { read: "JsonObject", apply: "JsonObject" },
};
/** Definitions without a type in the server's documents, although they have one. */
const unions: Readonly<Record<string, (form: "" | "Apply") => string>> = {
  JSONSchemaPropsOrArray: (form) => `JSONSchemaProps${form} | readonly JSONSchemaProps${form}[]`,
  JSONSchemaPropsOrBool: (form) => `JSONSchemaProps${form} | boolean`,
  JSONSchemaPropsOrStringArray: (form) => `JSONSchemaProps${form} | readonly string[]`,
};
const modelNames = [
  "IntOrString",
  "Json",
  "KubeList",
  "ManagedFieldsEntry",
  "ObjectMeta",
  "OwnerReference",
  "StoredMeta",
];
const ownNames = ["JsonObject", "Keyed"];

/** The text of the module with the types of all its definitions. */
export function writeShapes(module: string, world: World): string {
  const writer = new ShapeWriter(module, world);
  const mine = [...world.places].filter(([, place]) => place.module === module).map(([name]) => name);
  const body = mine.flatMap((name) => writer.declarations(name)).join("\n");
  return `${writer.imports(body)}\n${body}`;
}

class ShapeWriter {
  private readonly module: string;
  private readonly world: World;
  private readonly used = new Map<string, Set<string>>();

  constructor(module: string, world: World) {
    this.module = module;
    this.world = world;
  }

  declarations(name: string): string[] {
    const definition = this.world.definitions[name] ?? {};
    const short = this.world.places.get(name)?.name ?? name;
    if (wellKnown[name] !== undefined) return [];
    if (isList(definition)) return [this.listDeclaration(short, definition)];
    const union = unions[short];
    if (union !== undefined)
      return [`export type ${short} = ${union("")};\nexport type ${short}Apply = ${union("Apply")};\n`];
    if (definition["properties"] === undefined)
      return [`export type ${short} = ${opaqueType(definition)};\nexport type ${short}Apply = ${short};\n`];
    return [this.declaration(name, short, "read"), this.declaration(name, `${short}Apply`, "apply")];
  }

  /** The imports that the body needs. */
  imports(body: string): string {
    const mentions = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(body);
    const up = "../".repeat(this.module.split("/").length);
    const lines = [
      importLine(modelNames.filter(mentions), "@capstan/model"),
      importLine(ownNames.filter(mentions), `${up}../shape.ts`),
      ...[...this.used]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([module, names]) => importLine([...names].sort(), relative(this.module, module))),
    ];
    return lines.filter((line) => line !== "").join("");
  }

  private listDeclaration(short: string, definition: Fields): string {
    const { items } = definition["properties"] as { items: Fields };
    return `export type ${short} = KubeList<${this.typeOf(items["items"] as Fields, "read")}>;\n`;
  }

  private declaration(name: string, short: string, form: Form): string {
    const definition = this.world.definitions[name] ?? {};
    const required = form === "read" ? ((definition["required"] ?? []) as string[]) : [];
    const kind = this.world.kinds.get(name);
    const lines = Object.entries(definition["properties"] as Record<string, Fields>).map(([key, property]) => {
      const fixed = kind === undefined ? undefined : fixedField(key, kind, form);
      const optional = (fixed?.required ?? required.includes(key)) ? "" : "?";
      return `  readonly ${propertyName(key)}${optional}: ${fixed?.type ?? this.typeOf(property, form)};`;
    });
    return `export interface ${short} {\n${lines.join("\n")}\n}\n`;
  }

  private typeOf(schema: Fields, form: Form): string {
    const reference = schema["$ref"];
    if (typeof reference === "string") return this.reference(reference, form);
    if (Array.isArray(schema["enum"])) return schema["enum"].map((value) => JSON.stringify(value)).join(" | ");
    switch (schema["type"]) {
      case "string":
        return "string";
      case "integer":
      case "number":
        return "number";
      case "boolean":
        return "boolean";
      case "array":
        return this.arrayType(schema, form);
      case "object":
        return this.mapType(schema, form);
      default:
        return "Json";
    }
  }

  private arrayType(schema: Fields, form: Form): string {
    const items = schema["items"] as Fields;
    const item = this.typeOf(items, form);
    const keys = form === "apply" ? this.requiredKeys(schema, items) : [];
    if (keys.length > 0) return `readonly Keyed<${item}, ${keys.map((key) => JSON.stringify(key)).join(" | ")}>[]`;
    return item.includes(" ") && !item.startsWith("{") ? `readonly (${item})[]` : `readonly ${item}[]`;
  }

  /** Keys that identify an item; a key with a default may be omitted. */
  private requiredKeys(schema: Fields, items: Fields): string[] {
    const keys = (schema["x-kubernetes-list-map-keys"] ?? []) as string[];
    const properties = (this.world.definitions[items["$ref"] as string]?.["properties"] ?? {}) as Record<
      string,
      Fields
    >;
    return keys.filter((key) => isZero(properties[key]?.["default"]));
  }

  private mapType(schema: Fields, form: Form): string {
    const values = schema["additionalProperties"];
    if (typeof values !== "object" || values === null) return "JsonObject";
    return `{ readonly [key: string]: ${this.typeOf(values as Fields, form)} }`;
  }

  private reference(name: string, form: Form): string {
    const known = wellKnown[name];
    if (known !== undefined) return known[form];
    const place = this.world.places.get(name);
    if (place === undefined) throw new Error(`no module for ${name}`);
    const short = form === "apply" ? `${place.name}Apply` : place.name;
    if (place.module === this.module) return short;
    const names = this.used.get(place.module) ?? new Set();
    this.used.set(place.module, names.add(short));
    return short;
  }
}

interface FixedField {
  readonly type: string;
  readonly required: boolean;
}

/** The fields that every kind has: apiVersion, kind and metadata. */
function fixedField(key: string, { apiVersion, kind, isStored }: ShapeKind, form: Form): FixedField | undefined {
  const required = form === "read";
  if (key === "apiVersion") return { type: JSON.stringify(apiVersion), required };
  if (key === "kind") return { type: JSON.stringify(kind), required };
  if (key === "metadata") return { type: required && isStored ? "StoredMeta" : "ObjectMeta", required };
  return undefined;
}

function isList(definition: Fields): boolean {
  const properties = (definition["properties"] ?? {}) as Record<string, Fields>;
  const metadata = properties["metadata"]?.["$ref"];
  return properties["items"] !== undefined && metadata === "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";
}

function isZero(value: Value | undefined): boolean {
  return value === undefined || value === "" || value === 0;
}

/** A definition for which the server publishes at most a type. */
function opaqueType(definition: Fields): string {
  if (definition["type"] === "string") return "string";
  return definition["type"] === "object" ? "JsonObject" : "Json";
}

function propertyName(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}

function importLine(names: readonly string[], from: string): string {
  return names.length === 0 ? "" : `import type { ${names.join(", ")} } from ${JSON.stringify(from)};\n`;
}

function relative(from: string, to: string): string {
  return `${from.includes("/") ? "../" : "./"}${to}.ts`;
}
