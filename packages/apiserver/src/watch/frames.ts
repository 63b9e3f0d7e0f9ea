/** The wire format of watch events. */
import { toGoJson, type KubeObject, type Status } from "@capstan/model";
import { asksForWebSocket } from "../call.ts";
import type { Format } from "../encode/media.ts";
import { toPartialMetadata } from "../encode/partial-metadata.ts";
import { includeOf, tableOf } from "../encode/table.ts";
import type { ResourceExchange } from "../exchange.ts";
import { encodeWatchEvent } from "../protobuf/protobuf.ts";
import type { Entry } from "../store/entry.ts";
import { present } from "../verbs/present.ts";

/** The type of an event, as one watcher sees it. */
export type EventType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";

/** A piece of the stream. */
export type Frame = string | Uint8Array;

/** An event that cannot be encoded: the watch ends without an error event. */
export class UnsendableEventError extends Error {
  override readonly name = "UnsendableEventError";
  readonly code = "UnsendableEvent";
}

/** Encodes the events of one watch. */
export interface FrameWriter {
  /** The format of events that are the same for all watchers of the same objects; absent if they depend on the watcher. */
  readonly sharedFormat?: Format | undefined;
  entry(type: EventType, entry: Entry): Frame | Promise<Frame>;
  /** The ADDED events of several entries in one piece; absent if they must be written one by one. */
  readonly entries?: ((entries: readonly Entry[]) => Frame) | undefined;
  object(type: EventType, object: KubeObject): Frame;
  error(status: Status): Frame;
}

/** The writer for the version and format of a request. */
export function frameWriter(exchange: ResourceExchange): FrameWriter {
  const { resource, media, parts } = exchange;
  const isPlain = media.transform === undefined && resource.conversion === undefined;
  const transform = transformer(exchange);
  let isFirst = true;
  const takeFirst = (): boolean => {
    const was = isFirst;
    isFirst = false;
    return was;
  };
  const frameOf = (type: EventType, value: KubeObject, first: boolean): Frame =>
    toFrame(type, transform(value, first), media.format);
  const object = (type: EventType, value: KubeObject): Frame => frameOf(type, value, takeFirst());
  const formName = formNameOf(exchange);
  return {
    sharedFormat: isPlain ? media.format : undefined,
    // Each event is a message of its own for a WebSocket.
    entries: isPlain && media.format === "json" && !asksForWebSocket(exchange.call) ? joinAdded : undefined,
    entry(type, entry) {
      if (isPlain) return sharedFrame(type, entry, media.format);
      const first = takeFirst();
      const make = (value: KubeObject): Frame => toBytes(frameOf(type, value, first));
      // Only the first event of a table has columns, and the age of an object is another one every second.
      const second = Math.floor(parts.clock.wall() / 1000);
      const name = [formName, type, first, second].join(" ");
      const known = sharedForm(entry, name);
      if (known !== undefined) return known;
      const presented = present(resource, entry.object);
      return presented instanceof Promise
        ? presented.then((value) => keepForm(entry, name, make(value)))
        : keepForm(entry, name, make(presented));
    },
    object,
    error: (status) => toFrame("ERROR", status as unknown as KubeObject, media.format),
  };
}

function toFrame(type: EventType, object: KubeObject, format: Format): Frame {
  if (format === "protobuf") return encodeWatchEvent({ type, object });
  return `{"type":"${type}","object":${toGoJson(object)}}\n`;
}

interface SharedFrame {
  readonly type: EventType;
  readonly entry: Entry;
  readonly frame: Frame;
}

const lastFrames = new Map<Format, SharedFrame>();

/** All watchers of an object get a change in the same event loop iteration and share the bytes of the event. */
export function sharedFrame(type: EventType, entry: Entry, format: Format): Frame {
  const last = lastFrames.get(format);
  if (last?.entry === entry && last.type === type) return last.frame;
  const frame =
    format === "protobuf"
      ? encodeWatchEvent({ type, object: entry.object })
      : Buffer.concat([Buffer.from(`{"type":"${type}","object":`), entry.line.subarray(0, -1), Buffer.from("}\n")]);
  lastFrames.set(format, { type, entry, frame });
  return frame;
}

const addedStart = Buffer.from('{"type":"ADDED","object":');
const eventEnd = Buffer.from("}\n");

/** The events of entries in JSON, copied once. */
function joinAdded(entries: readonly Entry[]): Uint8Array {
  return Buffer.concat(entries.flatMap(({ line }) => [addedStart, line.subarray(0, -1), eventEnd]));
}

/** The frames of an object in other forms, as long as a watch still has to send them: slow watches share the bytes. */
const forms = new WeakMap<Entry, Map<string, WeakRef<Uint8Array>>>();

function sharedForm(entry: Entry, name: string): Uint8Array | undefined {
  return forms.get(entry)?.get(name)?.deref();
}

function keepForm(entry: Entry, name: string, frame: Frame): Frame {
  if (typeof frame === "string") return frame;
  // A few forms at once are enough: older ones are not asked for again.
  let known = forms.get(entry);
  if (known === undefined || known.size >= mostForms) forms.set(entry, (known = new Map()));
  known.set(name, new WeakRef(frame));
  return frame;
}

const mostForms = 16;

function toBytes(frame: Frame): Uint8Array {
  return typeof frame === "string" ? Buffer.from(frame) : frame;
}

/** What the bytes of an object depend on besides the object itself. */
function formNameOf({ resource, media, query }: ResourceExchange): string {
  const { format, transform } = media;
  return JSON.stringify([resource.apiVersion, resource.resource, format, transform ?? "", query.get("includeObject")]);
}

/** Transforms an object before it is sent. A table contains its columns only once. */
function transformer(exchange: ResourceExchange): (object: KubeObject, isFirst: boolean) => KubeObject {
  const { transform } = exchange.media;
  switch (transform?.kind) {
    case undefined:
      return (object) => object;
    case "Table": {
      // Checked before the first event, so that an invalid parameter is rejected and does not fail during a later write.
      includeOf(exchange.query);
      return (object, isFirst) => tableOf(exchange, [object], object.metadata, isFirst) as unknown as KubeObject;
    }
    case "PartialObjectMetadataList":
      return () => {
        throw new UnsendableEventError(`${exchange.resource.kind} is no list`);
      };
    case "PartialObjectMetadata":
      return (object) => toPartialMetadata(exchange.resource, object, transform.version);
  }
}
