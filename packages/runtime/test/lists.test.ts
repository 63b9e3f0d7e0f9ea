/** The first list: streamed by default, page by page if the server cannot stream, and only selected objects. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import { createClient, inProcess } from "@capstan/client";
import { ConfigMap } from "@capstan/kinds/v1";
import type { KubeObject } from "@capstan/model";
import type { AnyKind, Api, ListRequest, Scope, WatchEvent, WatchRequest } from "../src/api.ts";
import { Informer } from "../src/cache/informer.ts";
import { apiOf } from "../src/client-api.ts";
import { systemClock } from "../src/clock.ts";
import { usualTuning } from "../src/watch/states.ts";
import { errors, VirtualClock } from "../src/testing/index.ts";
import { bookmark, failure, ModelApi } from "./model-api.ts";

function mapNamed(name: string, labels: { readonly [name: string]: string } = {}): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "default", name, labels } };
}

interface Asked {
  readonly api: Api;
  readonly lists: ListRequest[];
  readonly watches: WatchRequest[];
}

/** The embedded API server, with or without streaming lists, and its requests. */
async function serve({ streaming }: { readonly streaming: boolean }): Promise<Asked> {
  const api = apiOf(createClient(inProcess((await startApiServer()).fetch)));
  for (const name of ["a", "b", "c", "d", "e"])
    await api.create(ConfigMap, mapNamed(name, { even: String(name === "b" || name === "d") }), { manager: "test" });
  const lists: ListRequest[] = [];
  const watches: WatchRequest[] = [];
  const asked: Api = {
    ...api,
    list: (kind, request) => (lists.push(request), api.list(kind, request)),
    watch: (kind, request) => {
      watches.push(request);
      if (request.initialEvents === true && !streaming)
        throw failure(
          "Invalid",
          "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled",
          422,
        );
      return api.watch(kind, request);
    },
  };
  return { api: asked, lists, watches };
}

async function namesOf(api: Api, scope: Scope = {}): Promise<{ names: string[]; informer: Informer }> {
  const tuning = { ...usualTuning, pageSize: 2 };
  const place = { namespace: "default", ...scope };
  const informer = new Informer({
    api,
    kind: ConfigMap,
    scopes: [place],
    clock: systemClock,
    random: Math.random,
    tuning,
  });
  await informer.synced();
  const names = informer.find({}).map(({ metadata }) => metadata.name);
  return { names: names.toSorted(), informer };
}

/** The first event of a ConfigMap. */
const event = (name: string, version: string): WatchEvent => ({
  type: "ADDED",
  object: {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: "default", name, uid: name, resourceVersion: version, creationTimestamp: "" },
  },
});

/** A server that sends some events and then the end of the list. */
function telling(events: readonly WatchEvent[]): Api {
  const watch = async function* (_kind: AnyKind, { initialEvents, signal }: WatchRequest): AsyncGenerator<WatchEvent> {
    if (initialEvents === true) yield* [...events, bookmark(90, true)];
    if (signal?.aborted === true) return;
    await new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
  };
  return Object.assign(new ModelApi(), { watch });
}

describe("a change during the first list", () => {
  const told = (type: WatchEvent["type"], name: string, version: number, uid = name): WatchEvent => ({
    type,
    object: {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: "default", name, uid, creationTimestamp: "", resourceVersion: String(version) },
    },
  });
  const cases: readonly (readonly [string, readonly WatchEvent[], readonly string[]])[] = [
    ["is deleted", [told("ADDED", "a", 5), told("ADDED", "b", 6), told("DELETED", "a", 8)], ["b@6"]],
    ["is changed", [told("ADDED", "a", 5), told("MODIFIED", "a", 8)], ["a@8"]],
    ["is made anew", [told("ADDED", "a", 5), told("DELETED", "a", 7), told("ADDED", "a", 8, "other")], ["a@8"]],
    ["is changed, then deleted", [told("ADDED", "a", 5), told("MODIFIED", "a", 7), told("DELETED", "a", 8)], []],
    ["is deleted with the version before it", [told("ADDED", "a", 5), told("DELETED", "a", 5)], []],
    ["was deleted before it was made", [told("ADDED", "a", 8, "other"), told("DELETED", "a", 7)], ["a@8"]],
    ["was never listed", [told("DELETED", "a", 7), told("ADDED", "b", 6)], ["b@6"]],
  ];
  for (const [what, events, expected] of cases) {
    test(`is included: an object that ${what}`, async () => {
      const options = { kind: ConfigMap, scopes: [{}], clock: systemClock, random: Math.random };
      await using informer = new Informer({ ...options, api: telling(events) });
      await informer.synced();
      const known = informer.find({}).map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`);
      assert.deepEqual(known, expected);
    });
  }

  test("reaches the listeners, in a first list and in a later one", async () => {
    const model = new ModelApi();
    for (const name of ["a", "b"]) await model.create(ConfigMap, mapNamed(name), { manager: "test" });
    model.changesAmidList = () => 1;
    await model.delete(ConfigMap, { namespace: "default", name: "a" }, {});
    const clock = new VirtualClock();
    await using informer = new Informer({ api: model, kind: ConfigMap, scopes: [{}], clock, random: () => 0.5 });
    const heard: string[] = [];
    informer.subscribe(({ type, key }) => heard.push(`${type} ${key}`));
    await informer.synced();
    assert.deepEqual(heard, ["added default/b", "added default/a", "removed default/a"]);
    model.closeWatches(errors.connectionLost());
    await model.delete(ConfigMap, { namespace: "default", name: "b" }, {});
    model.closeWatches(errors.expired());
    await clock.advance(60_000);
    assert.deepEqual([heard.slice(3), informer.size], [["removed default/b"], 0]);
  });
});

/** The events of listeners when the requests get these responses one after the other. */
async function toldBy(answers: (readonly (WatchEvent | Error)[])[]): Promise<readonly string[]> {
  const clock = new VirtualClock();
  const api = {
    async *watch(_kind: unknown, { signal }: WatchRequest): AsyncGenerator<WatchEvent> {
      for (const answer of answers.shift() ?? []) {
        if (answer instanceof Error) throw answer;
        yield answer;
      }
      await new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve(), { once: true }));
    },
  } as unknown as Api;
  await using informer = new Informer({ api, kind: ConfigMap, scopes: [{}], clock, random: () => 0.5 });
  const told: string[] = [];
  informer.subscribe(({ type, key }) => void told.push(`${type} ${key}`));
  await clock.advance(60_000);
  assert.equal(answers.length, 0);
  return told;
}

describe("the first list", () => {
  test("uses a streaming list and no LIST request", async () => {
    const { api, lists, watches } = await serve({ streaming: true });
    const { names, informer } = await namesOf(api);
    await informer[Symbol.asyncDispose]();
    assert.deepEqual([names, lists.length], [["a", "b", "c", "d", "e"], 0]);
    assert.deepEqual(
      watches.map(({ initialEvents, resourceVersion }) => [initialEvents, resourceVersion]),
      [[true, undefined]],
    );
  });

  test("is paged if the server has no streaming lists, then watched from its version", async () => {
    const { api, lists, watches } = await serve({ streaming: false });
    const { names, informer } = await namesOf(api);
    assert.deepEqual(names, ["a", "b", "c", "d", "e"]);
    assert.deepEqual(
      lists.map(({ limit, continueAt }) => [limit, continueAt !== undefined]),
      [
        [2, false],
        [2, true],
        [2, true],
      ],
    );
    const told = new Promise<string>((resolve) => {
      informer.subscribe(({ type, key, from }) => {
        if (from === "stream") resolve(`${type} ${key}`);
      });
    });
    await api.create(ConfigMap, mapNamed("f"), { manager: "test" });
    assert.equal(await told, "added default/f");
    assert.notEqual(watches.at(-1)?.resourceVersion, undefined);
    await informer[Symbol.asyncDispose]();
  });

  test("has only objects that match the selectors, evaluated by the server", async () => {
    const { api, watches } = await serve({ streaming: true });
    for (const [scope, expected] of [
      [{ labelSelector: "even=true" }, ["b", "d"]],
      [{ fieldSelector: "metadata.name=c" }, ["c"]],
      [{ labelSelector: "even!=true", fieldSelector: "metadata.name!=a" }, ["c", "e"]],
    ] as const) {
      const { names, informer } = await namesOf(api, scope);
      await informer[Symbol.asyncDispose]();
      assert.deepEqual(names, expected);
      const { labelSelector, fieldSelector } = watches.at(-1) ?? {};
      assert.deepEqual(
        { labelSelector, fieldSelector },
        { labelSelector: undefined, fieldSelector: undefined, ...scope },
      );
    }
  });

  test("that broke off is remembered: a complete one that is older is rejected", async () => {
    // A current server that breaks off, a stale one without objects, and the first one again.
    const told = await toldBy([
      [event("a", "102"), errors.connectionLost()],
      [bookmark("101", true)],
      [event("a", "102"), bookmark("103", true)],
    ]);
    assert.deepEqual(told, ["added default/a"], "it never went");
  });

  for (const others of [[], [event("b", "103")]]) {
    test(`that broke off after a deletion stays without it, ${others.length} others there`, async () => {
      const gone: WatchEvent = { ...event("a", "109"), type: "DELETED" };
      const told = await toldBy([
        [...others, event("a", "102"), gone, errors.connectionLost()],
        [...others, event("a", "102"), errors.connectionLost()],
        [...others, event("a", "102"), gone, bookmark("110", true)],
      ]);
      assert.deepEqual(told, [...others.map(() => "added default/b"), "added default/a", "removed default/a"]);
    });
  }

  test("that broke off after a deletion reports a recreated object", async () => {
    const told = await toldBy([
      [event("a", "102"), { ...event("a", "109"), type: "DELETED" }, errors.connectionLost()],
      [event("a", "111"), bookmark("112", true)],
    ]);
    assert.deepEqual(told, ["added default/a", "removed default/a", "added default/a"]);
  });

  for (const [what, answer] of [
    ["is silent", undefined],
    ["tells how far it is", bookmark("6", false)],
  ] as const) {
    test(`is repeated when the server was restored and a watch from the future ${what}`, async () => {
      const clock = new VirtualClock();
      let isRestored = false;
      const api = {
        async *watch(_kind: unknown, { resourceVersion, signal }: WatchRequest): AsyncGenerator<WatchEvent> {
          if (resourceVersion !== undefined) isRestored = true;
          if (resourceVersion !== undefined && answer !== undefined) yield answer;
          if (resourceVersion === undefined && !isRestored) yield* [event("a", "1000"), bookmark("1001", true)];
          if (resourceVersion === undefined && isRestored) yield* [event("b", "5"), bookmark("6", true)];
          if (resourceVersion === undefined && !isRestored) return;
          await new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve(), { once: true }));
        },
        list: async () => ({ items: [], resourceVersion: isRestored ? "6" : "1001" }),
      } as unknown as Api;
      const informer = new Informer({ api, kind: ConfigMap, scopes: [{}], clock, random: () => 0.5 });
      await clock.advance(30 * 60_000);
      assert.equal(informer.get("default/a"), undefined, "it is in no cluster any more");
      assert.ok(informer.get("default/b") !== undefined);
      await informer[Symbol.asyncDispose]();
    });
  }

  for (const [how, ending] of [
    ["are silent", undefined],
    ["break", errors.connectionLost()],
  ] as const) {
    test(`is repeated once an hour for an idle kind if watches without bookmarks ${how}`, async () => {
      const clock = new VirtualClock();
      const { api, asked } = quiet(
        () => ({ objects: [event("a", "1000"), event("b", "900")], version: "2000" }),
        ending,
      );
      await using _ = new Informer({ api, kind: ConfigMap, scopes: [{}], clock, random: () => 0.5 });
      await clock.advance(24 * 60 * 60_000);
      assert.deepEqual([...new Set(asked)], ["all", "2000", "limit 1"]);
      const lists = asked.filter((each) => each === "all").length;
      assert.ok(lists > 12 && lists <= 25, `${lists} lists`);
    });
  }

  for (const [what, objects] of [
    ["with fewer objects", [event("a", "1000")]],
    ["with more objects", [event("a", "1000"), event("b", "900"), event("c", "950")]],
    ["with another version of one", [event("a", "1100"), event("b", "900")]],
  ] as const) {
    test(`is repeated when a server was restored, ${what}, and has caught up since`, async () => {
      const clock = new VirtualClock();
      let now = { objects: [event("a", "1000"), event("b", "900")], version: "2000" };
      const { api, asked } = quiet(() => now);
      await using informer = new Informer({ api, kind: ConfigMap, scopes: [{}], clock, random: () => 0.5 });
      await clock.advance(60_000);
      now = { objects: [...objects], version: "2500" };
      await clock.advance(10 * 60_000);
      assert.equal(asked.filter((each) => each === "all").length, 2);
      assert.deepEqual(
        informer
          .find({})
          .map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`)
          .toSorted(),
        objects.map(({ object }) => `${object.metadata.name}@${object.metadata.resourceVersion}`),
      );
    });
  }
});

/** A server whose watches send nothing after the list, and its requests. */
function quiet(
  state: () => { readonly objects: readonly WatchEvent[]; readonly version: string },
  ending?: Error,
): { readonly api: Api; readonly asked: string[] } {
  const asked: string[] = [];
  const api = {
    async *watch(_kind: unknown, { resourceVersion = "all", signal }: WatchRequest): AsyncGenerator<WatchEvent> {
      asked.push(resourceVersion);
      const { objects, version } = state();
      if (resourceVersion === "all") yield* [...objects, bookmark(version, true)];
      else if (ending !== undefined) throw ending;
      await new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve(), { once: true }));
    },
    list: async (_kind: unknown, { limit = 0 }: ListRequest) => {
      asked.push(`limit ${limit}`);
      const { objects, version } = state();
      const items = objects.slice(0, limit).map(({ object }) => object);
      const remaining = objects.length - items.length;
      return { items, resourceVersion: version, ...(remaining > 0 ? { remaining, continueAt: "more" } : {}) };
    },
  } as unknown as Api;
  return { api, asked };
}
