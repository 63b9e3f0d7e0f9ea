/** The events of a watch and their parser. */
import type { KubeObject, Status } from "@capstan/model";
import type { ApiError } from "../error/api-error.ts";
import { decode } from "../transport/body.ts";
import { MalformedJsonError, quote, spells, stringAt, visitMembers } from "./json-bytes.ts";
import type { Member } from "./json-bytes.ts";

/** The content of a bookmark: the watch's progress, without object data. */
export interface Bookmark {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: { readonly resourceVersion: string; readonly annotations?: Readonly<Record<string, string>> };
}

/** One event of a watch. */
export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | { readonly type: "BOOKMARK"; readonly object: Bookmark }
  /** The server ends this watch for a reason. */
  | { readonly type: "ERROR"; readonly error: ApiError };

/** One event as received: `bytes` is the JSON of its object, a view that is valid while it is held. */
export interface WatchLine {
  readonly type: WatchEvent["type"];
  readonly bytes: Uint8Array;
}

/** The annotation of the bookmark that ends the initial events. */
export const initialEventsEnd = "k8s.io/initial-events-end";

/** Whether a bookmark ends the initial events. */
export function isInitialEventsEnd({ metadata }: Bookmark): boolean {
  return metadata.annotations?.[initialEventsEnd] === "true";
}

const prefix = Buffer.from('{"type":"');
const middle = Buffer.from(',"object":');
const types: ReadonlySet<string> = new Set<WatchEvent["type"]>(["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]);

/** Finds type and object of a line. Servers write `{"type":"ADDED","object":{...}}`; other orders and spacing are accepted. */
export function parseWatchLine(line: Uint8Array): WatchLine {
  if (spells(line, 0, prefix)) {
    const end = line.indexOf(quote, prefix.length);
    if (end !== -1 && spells(line, end + 1, middle)) {
      const type = toType(stringAt(line, prefix.length - 1, end + 1));
      return { type, bytes: line.subarray(end + 1 + middle.length, line.length - 1) };
    }
  }
  return parseAnyLine(line);
}

function parseAnyLine(line: Uint8Array): WatchLine {
  let type: string | undefined;
  let object: Member | undefined;
  visitMembers(line, 0, (member) => {
    const key = stringAt(line, member.keyFrom, member.keyTo);
    if (key === "type") type = JSON.parse(decode(line.subarray(member.from, member.to))) as string;
    if (key === "object") object = member;
    return false;
  });
  if (object === undefined) throw new MalformedJsonError("the event has no object");
  return { type: toType(type), bytes: line.subarray(object.from, object.to) };
}

function toType(text: string | undefined): WatchEvent["type"] {
  if (text !== undefined && types.has(text)) return text as WatchEvent["type"];
  throw new MalformedJsonError(`"${text}" is no type of event`);
}

/** The event of a line. */
export function toWatchEvent<T extends KubeObject>(
  { type, bytes }: WatchLine,
  toError: (status: Status) => ApiError,
): WatchEvent<T> {
  const object: unknown = JSON.parse(decode(bytes));
  switch (type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return { type, object: object as T };
    case "BOOKMARK":
      return { type, object: object as Bookmark };
    case "ERROR":
      return { type, error: toError(object as Status) };
  }
}
