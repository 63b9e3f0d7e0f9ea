/** Converts the nodes of a YAML document to the JSON value that Go's library produces: aliases, merge keys, and duplicate keys. */
import { quote } from "@capstan/model";
import type * as Yaml from "yaml";
import type { JsonValue } from "../builtin/draft.ts";
import { yamlLibrary } from "./yaml-compose.ts";
import { readScalar } from "./yaml-nodes.ts";

export interface DuplicateKey {
  readonly offset: number;
  /** The key in Go's syntax. */
  readonly key: string;
}

export interface YamlValue {
  readonly value: JsonValue;
  readonly duplicates: readonly DuplicateKey[];
}

/** Converts the nodes; `refuse` creates the error. */
export function toYamlValue(root: Yaml.Node | null, refuse: (why: string) => Error): YamlValue {
  const duplicates: DuplicateKey[] = [];
  const decoder = new Decoder(aliasTargets(root, refuse), duplicates, refuse);
  return { value: decoder.decode(root), duplicates };
}

/** The node of each alias: the last one before it with this anchor. */
function aliasTargets(root: Yaml.Node | null, refuse: (why: string) => Error): Map<Yaml.Alias, Yaml.Node> {
  const { isAlias, isMap, isSeq, isScalar } = yamlLibrary();
  const anchors = new Map<string, Yaml.Node>();
  const targets = new Map<Yaml.Alias, Yaml.Node>();
  const visit = (node: unknown): void => {
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (target === undefined) throw refuse(`yaml: unknown anchor '${node.source}' referenced`);
      targets.set(node, target);
      return;
    }
    if ((isScalar(node) || isMap(node) || isSeq(node)) && node.anchor !== undefined) anchors.set(node.anchor, node);
    if (isSeq(node)) for (const item of node.items) visit(item);
    if (!isMap(node)) return;
    for (const { key, value } of node.items) {
      visit(key);
      visit(value);
    }
  };
  visit(root);
  return targets;
}

/** The limits of Go's library: up to 99 % of a small document, and 10 % of a large one, may come from aliases. */
const [smallCount, largeCount] = [400_000, 4_000_000];

function allowedShare(count: number): number {
  const place = Math.min(Math.max(count - smallCount, 0) / (largeCount - smallCount), 1);
  return 0.99 - 0.89 * place;
}

/** The limit of text from aliases. Go has no such limit, but an object of this size cannot be stored. */
const maxAliasedText = 16 * 2 ** 20;

type Key = string | number | bigint | boolean;
type Fields = Map<Key, JsonValue>;

class Decoder {
  readonly #targets: ReadonlyMap<Yaml.Alias, Yaml.Node>;
  readonly #duplicates: DuplicateKey[];
  readonly #refuse: (why: string) => Error;
  readonly #library = yamlLibrary();
  /** The aliases that are being resolved, to detect cycles. */
  readonly #followed = new Set<Yaml.Alias>();
  #count = 0;
  #aliasedCount = 0;
  #aliasedText = 0;

  constructor(targets: ReadonlyMap<Yaml.Alias, Yaml.Node>, duplicates: DuplicateKey[], refuse: (why: string) => Error) {
    this.#targets = targets;
    this.#duplicates = duplicates;
    this.#refuse = refuse;
  }

  decode(node: unknown): JsonValue {
    const { isAlias, isMap, isScalar, isSeq } = this.#library;
    this.#charge(node);
    if (isScalar(node)) return readScalar(node, this.#refuse);
    if (isAlias(node)) return this.#follow(node, (target) => this.decode(target));
    if (isSeq(node)) return node.items.map((item) => this.decode(item));
    if (isMap(node)) return toSorted(this.#addPairs(node, new Map()));
    return null;
  }

  /** Counts a step, as Go does, and fails if aliases make a document much larger than its text. */
  #charge(node: unknown): void {
    this.#count++;
    if (this.#followed.size === 0) return;
    this.#aliasedCount++;
    if (this.#library.isScalar(node)) this.#aliasedText += node.source?.length ?? 0;
    const isMany =
      this.#aliasedCount > 100 && this.#count > 1000 && this.#aliasedCount / this.#count > allowedShare(this.#count);
    if (isMany || this.#aliasedText > maxAliasedText) throw this.#refuse("yaml: document contains excessive aliasing");
  }

  #follow<T>(alias: Yaml.Alias, read: (target: Yaml.Node | undefined) => T): T {
    if (this.#followed.has(alias)) throw this.#refuse(`yaml: anchor '${alias.source}' value contains itself`);
    this.#followed.add(alias);
    const value = read(this.#targets.get(alias));
    this.#followed.delete(alias);
    return value;
  }

  /** Adds the pairs of a map: later values replace earlier ones, also those from a merge key. */
  #addPairs({ items }: Yaml.YAMLMap, fields: Fields): Fields {
    for (const { key, value } of items) {
      if (this.#isMergeKey(key)) {
        this.#merge(value, fields);
        continue;
      }
      const name = this.#keyOf(key, value);
      const part = this.decode(value);
      if (fields.has(name))
        this.#duplicates.push({ offset: offsetOf(value) ?? offsetOf(key) ?? 0, key: goSyntax(name) });
      fields.set(name, part);
    }
    return fields;
  }

  #isMergeKey(key: unknown): boolean {
    if (!this.#library.isScalar(key) || key.source !== "<<") return false;
    return key.tag === undefined ? key.type === "PLAIN" : key.tag === "tag:yaml.org,2002:merge";
  }

  #merge(source: unknown, fields: Fields): void {
    const { isSeq } = this.#library;
    if (!isSeq(source)) return this.#mergeMap(source, fields);
    // The first map takes precedence, so it is merged last.
    for (const item of source.items.toReversed()) this.#mergeMap(item, fields);
  }

  #mergeMap(source: unknown, fields: Fields): void {
    const { isAlias, isMap } = this.#library;
    this.#charge(source);
    if (isMap(source)) this.#addPairs(source, fields);
    else if (isAlias(source) && isMap(this.#targets.get(source))) {
      this.#follow(source, (target) => this.#mergeMap(target, fields));
    } else throw this.#refuse("yaml: map merge requires map or sequence of maps as the value");
  }

  #keyOf(key: unknown, value: unknown): Key {
    const name = this.decode(key);
    if (typeof name === "object" && name !== null) throw this.#refuse(`yaml: invalid map key: ${goSyntax(name)}`);
    if (name !== null) return name;
    const isWritten = this.#library.isScalar(key) && (key.source ?? "") !== "";
    throw this.#refuse(
      isWritten || this.#library.isAlias(key)
        ? `unsupported map key of type: %!s(<nil>), key: <nil>, value: ${goSyntax(this.decode(value))}`
        : "yaml: did not find expected key",
    );
  }
}

function offsetOf(node: unknown): number | undefined {
  return yamlLibrary().isNode(node) ? node.range?.[0] : undefined;
}

/** Go converts YAML to JSON before it decodes it, which sorts the fields. */
function toSorted(fields: Fields): JsonValue {
  const entries = [...fields].map(([key, part]) => [String(key), part] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

/** A value in Go's syntax. */
function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, part]) => `${quote(key)}:${goSyntax(part)}`);
  return `map[interface {}]interface {}{${entries.join(", ")}}`;
}
