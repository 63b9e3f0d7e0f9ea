/** Merges OpenAPI v2 documents like kube-aggregator: existing paths win, conflicting definitions get a number. */
import { isDeepEqual, type Json } from "@capstan/model";

type Fields = { readonly [key: string]: Json | undefined };

/** The parts of a document that merging reads. */
export interface Version2Document extends Fields {
  readonly paths?: Json;
  readonly definitions?: Json;
  readonly parameters?: Json;
}

const definitionPrefix = "#/definitions/";
const parameterPrefix = "#/parameters/";
const kindsKey = "x-kubernetes-group-version-kind";

/** The own document merged with others, in order of priority. */
export function mergeDocuments(own: Version2Document, others: readonly Version2Document[]): Version2Document {
  const merged: Merged = {
    paths: new Map(Object.entries(fieldsOf(own.paths))),
    definitions: new Map(Object.entries(fieldsOf(own.definitions))),
    parameters: new Map(Object.entries(fieldsOf(own.parameters))),
    own,
  };
  for (const other of others) addDocument(merged, other);
  return {
    ...own,
    paths: inOrder(merged.paths),
    definitions: inOrder(merged.definitions),
    ...(merged.parameters.size === 0 ? {} : { parameters: inOrder(merged.parameters) }),
  };
}

/** The document with a subset of its paths, and without definitions that only the other paths used. */
export function keepPaths(document: Version2Document, isKept: (path: string) => boolean): Version2Document {
  const before = usedDefinitions(document);
  const paths = Object.fromEntries(Object.entries(fieldsOf(document.paths)).filter(([path]) => isKept(path)));
  const kept = { ...document, paths: paths as Json };
  const after = usedDefinitions(kept);
  const definitions = Object.entries(fieldsOf(document.definitions)).filter(
    ([name]) => after.has(name) || !before.has(name),
  );
  return { ...kept, definitions: Object.fromEntries(definitions) as Json };
}

type Entries = Map<string, Json | undefined>;

interface Merged {
  readonly paths: Entries;
  readonly definitions: Entries;
  readonly parameters: Entries;
  /** The document that the others are merged into. */
  readonly own: Version2Document;
}

function addDocument(merged: Merged, document: Version2Document): void {
  const paths = Object.keys(fieldsOf(document.paths));
  const isNew = (path: string): boolean => !merged.paths.has(path);
  if (!paths.some(isNew)) return;
  const source = paths.every(isNew) ? document : keepPaths(document, isNew);
  const definitions = fieldsOf(source.definitions);
  const parameters = fieldsOf(source.parameters);
  const isOwn = { definition: namesIn(merged.own.definitions), parameter: namesIn(merged.own.parameters) };
  const renamedDefinitions = renamesOf(definitions, merged.definitions, (name, known, other) =>
    isSame(withoutKinds(known), withoutKinds(other), isOwn.definition.has(name)),
  );
  const renamedParameters = renamesOf(parameters, merged.parameters, (name, known, other) =>
    isSame(known, other, isOwn.parameter.has(name)),
  );
  const references = new Map([
    ...withPrefix(renamedDefinitions, definitionPrefix),
    ...withPrefix(renamedParameters, parameterPrefix),
  ]);
  const rewrite = (value: Json | undefined): Json =>
    references.size === 0 ? (value ?? null) : redirect(value ?? null, references);
  for (const [name, definition] of Object.entries(definitions)) {
    addDefinition(merged.definitions, renamedDefinitions.get(name) ?? name, rewrite(definition));
  }
  for (const [name, parameter] of Object.entries(parameters)) {
    const known = renamedParameters.get(name) ?? name;
    if (!merged.parameters.has(known)) merged.parameters.set(known, rewrite(parameter));
  }
  for (const [path, item] of Object.entries(fieldsOf(source.paths))) merged.paths.set(path, rewrite(item));
}

type IsSame = (name: string, known: Json, other: Json) => boolean;

/** New names for conflicting definitions: the first free one of `name_v2`, `name_v3`, or one with an equal definition. */
function renamesOf(
  source: Fields,
  taken: ReadonlyMap<string, Json | undefined>,
  isSame: IsSame,
): ReadonlyMap<string, string> {
  const renames = new Map<string, string>();
  const given = new Set<string>();
  for (const [name, value = null] of Object.entries(source)) {
    const isKnown = (other: string): boolean => isSame(other, taken.get(other) ?? null, value);
    if (!taken.has(name) || isKnown(name)) continue;
    let number = 2;
    while (taken.has(`${name}_v${number}`) && !isKnown(`${name}_v${number}`)) number++;
    const isFree = (other: string): boolean => !given.has(other) && !Object.hasOwn(source, other);
    if (!taken.has(`${name}_v${number}`)) while (!isFree(`${name}_v${number}`)) number++;
    renames.set(name, `${name}_v${number}`);
    given.add(`${name}_v${number}`);
  }
  return renames;
}

/** Definitions of the same name may differ in their kinds only: the kinds are merged. */
function addDefinition(definitions: Entries, name: string, definition: Json): void {
  const known = definitions.get(name);
  if (known === undefined) definitions.set(name, definition);
  else definitions.set(name, withKinds(known, fieldsOf(definition)[kindsKey]));
}

function withKinds(known: Json, more: Json | undefined): Json {
  if (!Array.isArray(more)) return known;
  const before = fieldsOf(known)[kindsKey];
  const kinds = Array.isArray(before) ? before : [];
  const seen = new Set(kinds.map(kindKey));
  const added = more.filter((kind) => !seen.has(kindKey(kind)));
  if (added.length === 0) return known;
  const all = [...kinds, ...added].toSorted((a, b) => (kindKey(a) < kindKey(b) ? -1 : 1));
  return { ...fieldsOf(known), [kindsKey]: all } as Json;
}

function kindKey(kind: Json): string {
  const { group, version, kind: name } = fieldsOf(kind);
  const [a, b, c] = [group, version, name].map((part) => (typeof part === "string" ? part : ""));
  return `${a}/${b}.${c}`;
}

/** The own descriptions differ from those of Kubernetes, so descriptions are ignored when comparing with an own definition. */
function isSame(known: Json, other: Json, isOwn: boolean): boolean {
  return isOwn ? isSameButTexts(known, other) : isDeepEqual(known, other);
}

function withoutKinds(definition: Json): Json {
  const { [kindsKey]: _kinds, ...rest } = fieldsOf(definition);
  return rest;
}

function isSameButTexts(known: Json, other: Json): boolean {
  if (Array.isArray(known) || Array.isArray(other)) {
    if (!Array.isArray(known) || !Array.isArray(other) || known.length !== other.length) return false;
    return known.every((item, index) => isSameButTexts(item as Json, (other[index] ?? null) as Json));
  }
  if (!isFields(known) || !isFields(other)) return known === other;
  const isText = (key: string): boolean =>
    key === "description" && [known[key], other[key]].every((text) => text === undefined || typeof text === "string");
  return [...new Set([...Object.keys(known), ...Object.keys(other)])].every(
    (key) => isText(key) || isSamePart(known[key], other[key]),
  );
}

function isSamePart(known: Json | undefined, other: Json | undefined): boolean {
  if (known === undefined || other === undefined) return known === other;
  return isSameButTexts(known, other);
}

/** Names of definitions that paths reference, directly, through parameters or through other definitions. */
function usedDefinitions(document: Version2Document): ReadonlySet<string> {
  const used = new Set<string>();
  const seen = new Set<string>();
  const definitions = fieldsOf(document.definitions);
  const parameters = fieldsOf(document.parameters);
  const visit = (reference: string): void => {
    if (seen.has(reference)) return;
    seen.add(reference);
    const name = reference.slice(reference.lastIndexOf("/") + 1);
    if (reference.startsWith(parameterPrefix)) eachReference(parameters[name], visit);
    if (!reference.startsWith(definitionPrefix)) return;
    used.add(name);
    eachReference(definitions[name], visit);
  };
  eachReference(document.paths, visit);
  return used;
}

function eachReference(value: Json | undefined, visit: (reference: string) => void): void {
  if (Array.isArray(value)) for (const item of value) eachReference(item as Json, visit);
  else if (isFields(value)) {
    for (const [key, part] of Object.entries(value)) {
      if (key === "$ref" && typeof part === "string") visit(part);
      else eachReference(part, visit);
    }
  }
}

function redirect(value: Json, references: ReadonlyMap<string, string>): Json {
  if (Array.isArray(value)) return value.map((item) => redirect(item as Json, references));
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part = null]) => [
      key,
      key === "$ref" && typeof part === "string" ? (references.get(part) ?? part) : redirect(part, references),
    ]),
  );
}

function* withPrefix(renames: ReadonlyMap<string, string>, prefix: string): Iterable<[string, string]> {
  for (const [from, to] of renames) yield [prefix + from, prefix + to];
}

function namesIn(value: Json | undefined): ReadonlySet<string> {
  return new Set(Object.keys(fieldsOf(value)));
}

function isFields(value: Json | undefined): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fieldsOf(value: Json | undefined): Fields {
  return isFields(value) ? value : {};
}

function inOrder(entries: Entries): Json {
  return Object.fromEntries([...entries].toSorted(([a], [b]) => (a < b ? -1 : 1))) as Json;
}
