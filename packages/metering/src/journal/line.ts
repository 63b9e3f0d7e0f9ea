/** Lines of a journal: what a watch of the Kubernetes API saw, one JSON object a line. */

/** An object as the API has it; only what metering reads. */
export interface SeenObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion?: string;
    readonly creationTimestamp?: string;
    readonly labels?: { readonly [name: string]: string };
  };
}

/** A line without its place in the journal. */
export type LineBody =
  | { readonly type: "JOURNAL"; readonly id: string; readonly cluster: string }
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly isList: boolean; readonly object: SeenObject }
  | { readonly type: "SYNCED"; readonly uids: readonly string[] | undefined; readonly date: number | undefined }
  | { readonly type: "BOOKMARK"; readonly date: number | undefined }
  | { readonly type: "LOST" };

/** One line. */
export interface JournalLine {
  readonly n: number;
  readonly at: number;
  /** `apiVersion/kind`; empty for the first line. */
  readonly kind: string;
  readonly body: LineBody;
}

type Fields = { readonly [name: string]: unknown };

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads a line, or says what is wrong with it. */
export function parseJournalLine(
  value: unknown,
  parseTime: (text: string) => number | undefined,
): JournalLine | string {
  if (!isObject(value)) return "a line must be a JSON object";
  const { n, type } = value;
  const at = typeof value["at"] === "string" ? parseTime(value["at"]) : undefined;
  if (typeof n !== "number" || !Number.isSafeInteger(n) || n < 1) return "n must be a whole number from 1";
  if (at === undefined) return "at must be a time of RFC 3339";
  switch (type) {
    case "JOURNAL":
      return parseHead(value, { n, at });
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return parseEvent(value, { n, at, type });
    case "SYNCED":
    case "BOOKMARK":
    case "LOST":
      return parseMark(value, { n, at, type });
    default:
      return `type ${JSON.stringify(type)} is not JOURNAL, ADDED, MODIFIED, DELETED, SYNCED, BOOKMARK or LOST`;
  }
}

interface Place {
  readonly n: number;
  readonly at: number;
}

function parseHead(value: Fields, place: Place): JournalLine | string {
  const { id, cluster = "" } = value;
  if (typeof id !== "string" || id === "") return "the first line must have the id of the journal";
  if (typeof cluster !== "string") return "cluster must be text";
  return { ...place, kind: "", body: { type: "JOURNAL", id, cluster } };
}

function parseEvent(
  value: Fields,
  { n, at, type }: Place & { readonly type: "ADDED" | "MODIFIED" | "DELETED" },
): JournalLine | string {
  const { object } = value;
  const metadata = isObject(object) ? object["metadata"] : undefined;
  if (!isObject(object) || !isObject(metadata)) return `${type} must have an object with metadata`;
  const { apiVersion, kind } = object;
  if (typeof apiVersion !== "string" || typeof kind !== "string") return "the object must have apiVersion and kind";
  if (typeof metadata["uid"] !== "string") return "the object must have metadata.uid";
  // The uid is checked; the other fields are read with care.
  const seen = object as unknown as SeenObject;
  return { n, at, kind: `${apiVersion}/${kind}`, body: { type, isList: value["list"] === true, object: seen } };
}

function parseMark(
  value: Fields,
  { n, at, type }: Place & { readonly type: "SYNCED" | "BOOKMARK" | "LOST" },
): JournalLine | string {
  const { apiVersion, kind, date, uids } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string") return `${type} must have apiVersion and kind`;
  const server = typeof date === "string" ? Date.parse(date) : Number.NaN;
  const frame = { n, at, kind: `${apiVersion}/${kind}` };
  const known = Number.isNaN(server) ? undefined : server;
  if (type === "LOST") return { ...frame, body: { type } };
  if (type === "BOOKMARK") return { ...frame, body: { type, date: known } };
  const listed = Array.isArray(uids) ? uids.filter((uid): uid is string => typeof uid === "string") : undefined;
  return { ...frame, body: { type, uids: listed, date: known } };
}
