/** watch: streams the changes of a resource. */
import { apiErrors, exactFieldValue, StatusError, toFailure, type KubeObject } from "@capstan/model";
import type { Answer, LiveBody } from "../answer.ts";
import { mediaTypes, notAcceptableError } from "../encode/media.ts";
import type { ResourceExchange } from "../exchange.ts";
import { toRefusal } from "../refusal.ts";
import { parseRevision } from "../store/list.ts";
import type { Store } from "../store/store.ts";
import { frameWriter } from "../watch/frames.ts";
import { watchBody, type WatchStart } from "../watch/watcher.ts";
import { parseListOptions, type ListOptions } from "./options.ts";
import { readableStore } from "./readable.ts";
import { selectionOf, storedMatcher } from "./selection.ts";

const defaultTimeout = 30 * 60_000;

/** Serves a watch. An error at its start is sent as an event. */
export function watch(exchange: ResourceExchange): Answer | Promise<Answer> {
  const options = parseListOptions(exchange.query, true);
  if (exchange.media.format === "yaml") throw notAcceptableError(streamTypes);
  const store = readableStore(exchange);
  return store instanceof Promise
    ? store.then((ready) => stream(exchange, options, ready))
    : stream(exchange, options, store);
}

function stream(exchange: ResourceExchange, options: ListOptions, store: Store): Answer {
  const { resource, info, parts, media } = exchange;
  const selectsOther = info.isWatchPath && info.name !== "" && options.fieldSelector.length > 0;
  const name = info.isWatchPath && info.name !== "" ? { name: info.name } : {};
  const selection = selectionOf(resource, { namespace: info.namespace, ...name }, options);
  if (selectsOther && exactFieldValue(options.fieldSelector, "metadata.name") !== info.name) {
    throw apiErrors.badRequest("fieldSelector metadata.name doesn't match requested name");
  }
  const frames = frameWriter(exchange);
  const body = isOver(options)
    ? nothing
    : watchBody({
        store,
        clock: parts.clock,
        resource: resource.storage,
        selection,
        matches: storedMatcher(resource, selection),
        onUnserved: resource.isCustom ? (callback) => whenUnserved(exchange, callback) : undefined,
        start: startOf(options, parts.store.revision),
        bookmarks: options.allowWatchBookmarks,
        timeout: timeoutOf(exchange, options),
        frames,
        refusal: (error) => toRefusal(error, parts, exchange.call),
        bookmark: (revision, isInitialEnd) => bookmarkOf(exchange, revision, isInitialEnd),
      });
  const type = mediaTypes[media.format];
  const isText = media.format === "json";
  const headers = { "content-type": isText ? type : `${type};stream=watch` };
  return { status: 200, headers, body, messages: isText ? "text" : "binary" };
}

/** Whether the timeout of a watch is over before it starts. */
function isOver({ timeoutSeconds = 0 }: ListOptions): boolean {
  return timeoutSeconds < 0;
}

const nothing: LiveBody = (sink) => {
  sink.end();
  return () => {};
};

const streamTypes = [`${mediaTypes.json};stream=watch`, `${mediaTypes.protobuf};stream=watch`];

function startOf({ resourceVersion, sendInitialEvents }: ListOptions, current: number): WatchStart {
  const revision = parseRevision(resourceVersion, (why) => {
    return new StatusError(toFailure({ code: 500, reason: "", message: why }));
  });
  const notBefore = resourceVersion === "" ? current : revision;
  if (sendInitialEvents === true) return { type: "state", notBefore, marksEnd: true };
  if (revision > 0) return { type: "revision", revision };
  if (sendInitialEvents === false) return { type: "revision", revision: current };
  return { type: "state", notBefore, marksEnd: true };
}

/** Default: 30 to 60 minutes at random, so that watches do not end all at once. */
function timeoutOf({ parts }: ResourceExchange, { timeoutSeconds }: ListOptions): number {
  if (timeoutSeconds !== undefined && timeoutSeconds > 0) return timeoutSeconds * 1000;
  return defaultTimeout + parts.randomness.below(defaultTimeout);
}

function bookmarkOf({ resource }: ResourceExchange, revision: number, isInitialEnd: boolean): KubeObject {
  const empty = resource.isCustom
    ? { apiVersion: resource.apiVersion, kind: resource.kind, metadata: {} }
    : resource.codec.decode({}, undefined);
  const annotations = isInitialEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {};
  const metadata = { resourceVersion: String(revision), ...annotations };
  return { ...empty, metadata: resource.isCustom ? { ...annotations, ...metadata } : metadata };
}

/**
 * The watches of all versions of a custom kind end when its definition changes or is removed: the objects may look different now. Clients
 * notice it when they reconnect.
 */
function whenUnserved({ parts: { registry }, resource }: ResourceExchange, callback: () => void): () => void {
  return registry.onChange(() => {
    const now = registry.find(resource.group, resource.version, resource.resource);
    if (now?.servedFrom !== resource.servedFrom) callback();
  });
}
