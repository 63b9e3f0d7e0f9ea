/** The record of the kinds that each controller ever wrote, and the format in which it is stored in the Lease. Pure. */
import { kindId } from "../api.ts";
import type { AnyKind } from "../api.ts";

/** Namespaces with written objects, besides those of the reconciled objects. */
export interface Places {
  readonly namespaces: readonly string[];
  /** There were too many namespaces to list them: every namespace may have written objects. */
  readonly isEverywhere?: boolean | undefined;
}

/** A kind that was written, and the namespaces that only the record knows. */
export interface Written extends AnyKind, Places {}

/** The written kinds by the name of the controller, then by the id of the kind. */
export type WrittenRecord = Map<string, Map<string, Written>>;

/** No namespaces besides those of the reconciled objects. */
export const NOWHERE: Places = { namespaces: [] };

/** Whether a namespace is included; cluster-scoped objects always are. */
export function includesPlace({ namespaces, isEverywhere }: Places, namespace: string): boolean {
  return namespace === "" || isEverywhere === true || namespaces.includes(namespace);
}

/** Adds a kind and its namespaces to the entries of a controller. */
export function enterWritten(record: WrittenRecord, controller: string, kind: AnyKind, places: Places): void {
  const { group, version, kind: name, plural, scope } = kind;
  const kinds = record.get(controller) ?? new Map<string, Written>();
  const known = kinds.get(kindId(kind)) ?? NOWHERE;
  const isEverywhere = known.isEverywhere === true || places.isEverywhere === true;
  const namespaces = isEverywhere ? [] : [...new Set([...known.namespaces, ...places.namespaces])].toSorted();
  const written = { group, version, kind: name, plural, scope, namespaces, ...(isEverywhere && { isEverywhere }) };
  record.set(controller, kinds.set(kindId(kind), written));
}

/** Far below the limit for all annotations of an object: the holder of the lease reads it every few seconds. */
const MOST_BYTES = 32_768;

/** Drops the namespace lists of the kinds with most namespaces until the record fits. */
export function boundRecord(record: WrittenRecord): void {
  while (Buffer.byteLength(formatRecord(record)) > MOST_BYTES) {
    const all = [...record].flatMap(([controller, kinds]) =>
      [...kinds.values()].map((written) => ({ controller, written })),
    );
    const [widest] = all.toSorted((one, other) => other.written.namespaces.length - one.written.namespaces.length);
    if (widest === undefined || widest.written.namespaces.length === 0) return;
    enterWritten(record, widest.controller, widest.written, { namespaces: [], isEverywhere: true });
  }
}

/** The record as JSON. */
export function formatRecord(record: WrittenRecord): string {
  return JSON.stringify(Object.fromEntries([...record].map(([name, kinds]) => [name, [...kinds.values()]])));
}

/** Parses a record. Users may have edited it: text that is not JSON, and entries without the names of a kind, are skipped. */
export function parseRecord(text: string | undefined): WrittenRecord {
  const record: WrittenRecord = new Map();
  if (text === undefined) return record;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return record;
  }
  for (const [name, kinds] of Object.entries(typeof parsed === "object" && parsed !== null ? parsed : {})) {
    const known = (Array.isArray(kinds) ? kinds : []).filter(isWritten);
    record.set(name, new Map(known.map((kind) => [kindId(kind), kind])));
  }
  return record;
}

function isWritten(value: unknown): value is Written {
  if (typeof value !== "object" || value === null || !("namespaces" in value) || !Array.isArray(value.namespaces)) {
    return false;
  }
  return ["group", "version", "kind", "plural", "scope"].every(
    (name) => typeof (value as { readonly [field: string]: unknown })[name] === "string",
  );
}
