/** The wire format of watch events. */
import { toGoJson, type KubeObject, type Status } from "@capstan/model";
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
  object(type: EventType, object: KubeObject): Frame;
  error(status: Status): Frame;
}

/** The writer for the version and format of a request. */
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

/** Transforms an object before it is sent. A table contains its columns only once. */
function transformer(exchange: ResourceExchange): (object: KubeObject) => KubeObject {
  const { transform } = exchange.media;
  switch (transform?.kind) {
    case undefined:
      return (object) => object;
    case "Table": {
      // Checked before the first event, so that an invalid parameter is rejected and does not fail during a later write.
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
