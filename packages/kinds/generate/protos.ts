/**
 * The protobuf table: for each message its fields with number, JSON name, type and Go's encoding rules. Numbers and types come from the
 * published .proto files, names and rules from the tags of the Go structs beside them.
 */

/** One folder of a Go module with a generated.proto: the text of that file and of the Go files beside it. */
export interface ProtoPackage {
  readonly proto: string;
  readonly go: readonly string[];
}

/** The flags of a field beyond number, name and type; absent means a plain value that is always written. */
export const fieldFlags = { pointer: 1, omitEmpty: 2, omitZero: 4, repeated: 8, map: 16, inline: 32 } as const;

type Field = [number: number, name: string, type: string, flags: number];

/**
 * The table as JSON: the package of each group and version, and messages by full name with their fields in the order of the Go struct.
 * Packages of versions that are not served are left out.
 */
export function writeProtobufTable(packages: readonly ProtoPackage[], served: ReadonlyMap<string, string>): string {
  const wanted = new Set(served.values());
  const messages = packages
    .filter(({ proto }) => wanted.has(packageOf(proto)) || packageOf(proto).startsWith("k8s.io.apimachinery."))
    .flatMap(({ proto, go }) => parsePackage(proto, parseStructs(go.join("\n"))));
  messages.sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = messages.map(([name, fields]) => `${JSON.stringify(name)}:${JSON.stringify(fields)}`);
  const roots = Object.fromEntries([...served].sort(([a], [b]) => (a < b ? -1 : 1)));
  return `{"packages":${JSON.stringify(roots)},\n"messages":{\n${lines.join(",\n")}\n}}`;
}

function packageOf(proto: string): string {
  return /^package ([\w.]+);/m.exec(proto)?.[1] ?? "";
}

function parsePackage(proto: string, structs: ReadonlyMap<string, readonly GoField[]>): [string, Field[]][] {
  const pkg = packageOf(proto);
  return [...proto.matchAll(/^message (\w+) \{\n([\s\S]*?)^\}/gm)].map(([, name = "", body = ""]) => {
    const fields = parseMessage(pkg, body);
    return [`${pkg}.${name}`, mergeFields(fields, structs.get(name) ?? [])];
  });
}

interface ProtoField {
  readonly number: number;
  readonly name: string;
  readonly type: string;
  readonly shape: "optional" | "repeated" | "map";
}

function parseMessage(pkg: string, body: string): ProtoField[] {
  const qualified = (type: string): string => {
    if (/^(string|bytes|bool|int32|int64|double|float|uint32|uint64)$/.test(type)) return type;
    return type.includes(".") ? type.replace(/^\./, "") : `${pkg}.${type}`;
  };
  const single = body.matchAll(/^ {2}(optional|repeated) ([\w.]+) (\w+) = (\d+);/gm);
  const maps = body.matchAll(/^ {2}map<(\w+), ([\w.]+)> (\w+) = (\d+);/gm);
  return [
    ...[...single].map(([, shape = "", type = "", name = "", number]): ProtoField => ({
      number: Number(number),
      name,
      type: qualified(type),
      shape: shape as "optional" | "repeated",
    })),
    ...[...maps].map(([, key = "", type = "", name = "", number]): ProtoField => {
      if (key !== "string") throw new Error(`a map of ${key} keys is not supported: ${pkg} ${name}`);
      return { number: Number(number), name, type: qualified(type), shape: "map" };
    }),
  ];
}

interface GoField {
  readonly number: number;
  readonly json: readonly string[];
  readonly type: string;
}

/** The tagged fields of all structs, by name of the struct, in their order. */
function parseStructs(source: string): Map<string, GoField[]> {
  const structs = new Map<string, GoField[]>();
  for (const [, name = "", body = ""] of source.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
    structs.set(
      name,
      [...body.matchAll(/^\t([^`/\n]*)`([^`]*)`/gm)].flatMap(([, left = "", tags = ""]) => parseField(left, tags)),
    );
  }
  return structs;
}

function parseField(left: string, tags: string): GoField[] {
  const number = /protobuf:"\w+,(\d+)/.exec(tags)?.[1];
  if (number === undefined) return [];
  const words = left.trim().split(/\s+/);
  const json = /json:"([^"]*)"/.exec(tags)?.[1] ?? "";
  return [{ number: Number(number), json: json.split(","), type: words.slice(words.length > 1 ? 1 : 0).join(" ") }];
}

/** Joins the information of the two files; a field without a tag keeps its name and is written when it is present. */
function mergeFields(fields: readonly ProtoField[], structure: readonly GoField[]): Field[] {
  const order = (field: ProtoField): number => {
    const index = structure.findIndex(({ number }) => number === field.number);
    return index < 0 ? fields.length + field.number : index;
  };
  return fields
    .toSorted((a, b) => order(a) - order(b))
    .map((field): Field => {
      const go = structure.find(({ number }) => number === field.number);
      const name = go?.json[0] || field.name;
      return [field.number, name, field.type, flagsOf(field, go)];
    });
}

function flagsOf(field: ProtoField, go: GoField | undefined): number {
  let flags = 0;
  if (go === undefined || go.type.startsWith("*") || go.type === "[]byte") flags |= fieldFlags.pointer;
  if (go?.json.includes("omitempty")) flags |= fieldFlags.omitEmpty;
  if (go?.json.includes("omitzero")) flags |= fieldFlags.omitZero;
  if (go?.json.includes("inline")) flags |= fieldFlags.inline;
  if (field.shape === "repeated") flags |= fieldFlags.repeated;
  if (field.shape === "map") flags |= fieldFlags.map;
  return flags;
}
