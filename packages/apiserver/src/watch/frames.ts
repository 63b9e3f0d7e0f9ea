/** Watch events as they go over the wire. */
import { toGoJson, type KubeObject, type Status } from "@capstan/model";
import type { Format } from "../encode/media.ts";
import { toPartialMetadata } from "../encode/partial-metadata.ts";
import { includeOf, tableOf } from "../encode/table.ts";
import type { ResourceExchange } from "../exchange.ts";
import { encodeWatchEvent } from "../protobuf/protobuf.ts";
import type { Entry } from "../store/entry.ts";
import { present } from "../verbs/present.ts";

/** What happened, from the point of view of one watcher. */
export type EventType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";

/** A piece of the stream. */
export type Frame = string | Uint8Array;

/** An event that has no such form: the watch ends with it, and the client is not told why. */
export class UnsendableEventError extends Error {
  override readonly name = "UnsendableEventError";
  readonly code = "UnsendableEvent";
}

/** Writes the events of one watch. */
export interface FrameWriter {
  /** The form of events that all watchers of the same objects see alike; absent where they depend on the watcher. */
  readonly sharedFormat?: Format | undefined;
  entry(type: EventType, entry: Entry): Frame | Promise<Frame>;
  object(type: EventType, object: KubeObject): Frame;
  error(status: Status): Frame;
}

/** The writer for the version and form that a client asked for. */
export function frameWriter(exchange: ResourceExchange): FrameWriter {
  const { resource, media } = exchange;
  const isPlain = media.transform === undefined && resource.conversion === undefined;
  const transform = transformer(exchange);
  const object = (type: EventType, value: KubeObject): Frame => toFrame(type, transform(value), media.format);
  return {
    sharedFormat: isPlain ? media.format : undefined,
    entry(type, entry) {
      if (isPlain) return sharedFrame(type, entry, media.format);
      const presented = present(resource, entry.object);
      return presented instanceof Promise ? presented.then((value) => object(type, value)) : object(type, presented);
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

/** All watchers of an object are told of a change in the same turn: they share the bytes of the event, which nobody needs afterwards. */
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

/** What becomes of an object before it is sent. A table says its columns only once. */
function transformer(exchange: ResourceExchange): (object: KubeObject) => KubeObject {
  const { transform } = exchange.media;
  switch (transform?.kind) {
    case undefined:
      return (object) => object;
    case "Table": {
      // Before the first event, so that a bad wish is refused rather than found out in the middle of somebody's write.
      includeOf(exchange.query);
      let isFirst = true;
      return (object) => {
        const table = tableOf(exchange, [object], object.metadata, isFirst);
        isFirst = false;
        return table as unknown as KubeObject;
      };
    }
    case "PartialObjectMetadataList":
      return () => {
        throw new UnsendableEventError(`${exchange.resource.kind} is no list`);
      };
    case "PartialObjectMetadata":
      return (object) => toPartialMetadata(exchange.resource, object, transform.version);
  }
}
