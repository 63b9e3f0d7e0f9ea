/** The server as users embed it: in process, over HTTP, with faults, snapshots and a custom clock. */
import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { decodeProtobuf } from "../src/protobuf/protobuf.ts";
import { startApiServer, type ApiServer, type Clock } from "../src/index.ts";

const maps = "/api/v1/namespaces/default/configmaps";

interface Reply {
  readonly status: number;
  readonly body: { readonly [key: string]: unknown; readonly metadata: { readonly [key: string]: unknown } };
}

async function ask(server: ApiServer, method: string, path: string, body?: unknown): Promise<Reply> {
  const init = { method, headers: { "content-type": "application/json" } };
  const response = await server.fetch(
    new Request(`http://server${path}`, body === undefined ? init : { ...init, body: JSON.stringify(body) }),
  );
  return { status: response.status, body: (await response.json()) as Reply["body"] };
}

function named(name: string): object {
  return { metadata: { name } };
}

test("restoring a snapshot brings back all objects and ends watches", async () => {
  await using server = await startApiServer();
  await ask(server, "POST", maps, named("a"));
  const before = server.snapshot();
  await ask(server, "POST", maps, named("b"));
  const watch = await server.fetch(new Request(`http://server${maps}?watch=true&resourceVersion=${before.revision}`));
  server.restore(before);
  assert.match(await watch.text(), /"type":"ADDED".*"name":"b"/);
  const { body } = await ask(server, "GET", maps);
  assert.deepEqual(
    (body["items"] as { metadata: { name: string } }[]).map((item) => item.metadata.name),
    ["a"],
  );
});

test("requests are recorded", async () => {
  await using server = await startApiServer();
  const log = server.observer.record();
  await ask(server, "POST", maps, named("a"));
  await ask(server, "GET", `${maps}/nope`);
  assert.deepEqual(
    log.map(({ method, url, status }) => [method, url, status]),
    [
      ["POST", maps, 201],
      ["GET", `${maps}/nope`, 404],
    ],
  );
});

test("injected faults fail requests and drop responses", async () => {
  await using server = await startApiServer();
  const heal = server.observer.inject(({ method }) =>
    method === "GET" ? { type: "error", code: 503, reason: "ServiceUnavailable" } : { type: "drop" },
  );
  assert.equal((await ask(server, "GET", maps)).status, 503);
  await assert.rejects(ask(server, "POST", maps, named("a")), { code: "AnswerLost" });
  heal();
  assert.equal((await ask(server, "GET", `${maps}/a`)).status, 200, "what was asked was done");
});

test("a delayed request is executed after the delay of the clock", async () => {
  let now = Date.parse("2026-01-02T03:04:05Z");
  const timers: { readonly at: number; readonly run: () => void }[] = [];
  const clock = {
    now: () => now,
    wall: () => now,
    later(milliseconds: number, run: () => void) {
      timers.push({ at: now + milliseconds, run });
      return { cancel: () => {} };
    },
  };
  await using server = await startApiServer({ clock });
  timers.length = 0;
  const heal = server.observer.inject(({ method }) =>
    method === "POST" ? { type: "delay", milliseconds: 2000 } : undefined,
  );
  const answer = ask(server, "POST", maps, named("a"));
  assert.equal((await ask(server, "GET", `${maps}/a`)).status, 404, "nothing is done before");
  assert.deepEqual(
    timers.map(({ at }) => at - now),
    [2000],
  );
  now += 2000;
  timers[0]?.run();
  assert.equal((await answer).status, 201);
  heal();
  assert.equal((await ask(server, "POST", maps, named("b"))).status, 201);
});

test("stale reads return an old revision, and watches from it catch up", async () => {
  await using server = await startApiServer();
  await ask(server, "POST", maps, named("a"));
  const { revision } = server.store;
  await ask(server, "PUT", `${maps}/a`, { ...named("a"), data: { is: "new" } });
  await ask(server, "POST", maps, named("b"));
  const heal = server.observer.inject(() => ({ type: "stale", revision }));
  assert.equal((await ask(server, "GET", `${maps}/a`)).body["data"], undefined);
  assert.equal((await ask(server, "GET", `${maps}/b`)).status, 404);
  const list = await ask(server, "GET", maps);
  assert.equal(list.body.metadata["resourceVersion"], String(revision));
  assert.equal((list.body["items"] as unknown[]).length, 1);
  const stop = new AbortController();
  const initial = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
  const watch = await server.fetch(new Request(`http://server${maps}?${initial}`, { signal: stop.signal }));
  assert.equal((await ask(server, "PUT", `${maps}/b`, { ...named("b"), data: { is: "new" } })).status, 200);
  const seen: string[] = [];
  for await (const event of eventsOf(watch)) {
    seen.push(`${event.type} ${event.object.metadata.name ?? ""} ${event.object.data?.is ?? ""}`.trim());
    if (seen.length === 5) break;
  }
  stop.abort();
  assert.deepEqual(seen, ["ADDED a", "BOOKMARK", "MODIFIED a new", "ADDED b", "MODIFIED b new"]);
  heal();
  assert.equal((await ask(server, "GET", `${maps}/b`)).status, 200);
});

test("a dropped response closes its connection only", async () => {
  await using server = await startApiServer({ listen: { port: 0, tls: false } });
  const heal = server.observer.inject(({ method }) => (method === "POST" ? { type: "drop" } : undefined));
  const headers = { authorization: `Bearer ${server.token}`, "content-type": "application/json" };
  const url = new URL(maps, server.url);
  await assert.rejects(fetch(url, { method: "POST", headers, body: JSON.stringify(named("a")) }));
  heal();
  assert.equal((await fetch(new URL(`${maps}/a`, url), { headers })).status, 200);
});

interface WatchEvent {
  readonly type: string;
  readonly object: { readonly metadata: { readonly name?: string }; readonly data?: { readonly is?: string } };
}

async function* eventsOf(watch: Response): AsyncGenerator<WatchEvent> {
  let text = "";
  for await (const chunk of watch.body ?? []) {
    text += Buffer.from(chunk as Uint8Array).toString();
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line) as WatchEvent;
  }
}

/** A clock that the test advances. */
class HandClock implements Clock {
  #now = Date.parse("2026-01-02T03:04:05Z");
  #timers = new Set<{ at: number; run: () => void }>();

  now(): number {
    return this.#now;
  }

  wall(): number {
    return this.#now;
  }

  later(milliseconds: number, run: () => void): { cancel(): void } {
    const timer = { at: this.#now + milliseconds, run };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
    for (const timer of [...this.#timers].sort((a, b) => a.at - b.at)) {
      if (timer.at <= this.#now && this.#timers.delete(timer)) timer.run();
    }
  }
}

test("timestamps use the injected clock", async () => {
  const clock = new HandClock();
  await using server = await startApiServer({ clock });
  const { body } = await ask(server, "POST", maps, named("a"));
  assert.equal(body.metadata["creationTimestamp"], "2026-01-02T03:04:05Z");
  const watch = await server.fetch(
    new Request(`http://server${maps}?watch=true&resourceVersion=0&timeoutSeconds=60&allowWatchBookmarks=true`),
  );
  clock.advance(60_000);
  const events = (await watch.text()).trim().split("\n");
  assert.equal(events.length, 2, "the object and the end of the state; then the watch ended");
});

test("a watch gets every change in order, by any client", async () => {
  await using server = await startApiServer();
  const stop = new AbortController();
  const watch = await server.fetch(new Request(`http://server${maps}?watch=true`, { signal: stop.signal }));
  const names = Array.from({ length: 50 }, (_, index) => `m${index}`);
  await Promise.all(names.map((name) => ask(server, "POST", maps, named(name))));
  const seen: string[] = [];
  let text = "";
  for await (const chunk of watch.body ?? []) {
    text += Buffer.from(chunk as Uint8Array).toString();
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      const { object } = JSON.parse(line) as { object: { metadata: { resourceVersion: string } } };
      seen.push(object.metadata.resourceVersion);
    }
    if (seen.length === names.length) break;
  }
  stop.abort();
  assert.deepEqual(
    seen,
    [...seen].sort((a, b) => Number(a) - Number(b)),
  );
});

test("a connection that breaks within its body has no effect", async () => {
  await using server = await startApiServer({ listen: { port: 0, tls: false } });
  const headers = {
    authorization: `Bearer ${server.token}`,
    "content-type": "application/json",
    "content-length": "100",
  };
  const half = request(new URL(maps, server.url), { method: "POST", headers });
  half.on("error", () => {});
  half.write('{"metadata":');
  await new Promise((resolve) => half.once("socket", (socket) => socket.once("connect", resolve)));
  half.destroy();
  assert.equal((await ask(server, "GET", maps)).status, 200);
});

test("long lists are complete although other requests are served meanwhile", async () => {
  await using server = await startApiServer();
  const names = Array.from({ length: 1200 }, (_, index) => `m${index}`).sort();
  for (const name of names) assert.equal((await ask(server, "POST", maps, named(name))).status, 201);
  const read = async (accept: string): Promise<ArrayBuffer> =>
    (await server.fetch(new Request(`http://server${maps}`, { headers: { accept } }))).arrayBuffer();
  const parse = (bytes: ArrayBuffer): { items: Named[]; rows: { object: Named }[] } =>
    JSON.parse(Buffer.from(bytes).toString()) as { items: Named[]; rows: { object: Named }[] };
  const form = (kind: string): string => `application/json;as=${kind};g=meta.k8s.io;v=v1`;
  const message = decodeProtobuf(new Uint8Array(await read("application/vnd.kubernetes.protobuf")));
  assert.deepEqual(parse(await read("application/json")).items.map(nameOf), names);
  assert.deepEqual(parse(await read(form("PartialObjectMetadataList"))).items.map(nameOf), names);
  assert.deepEqual(
    parse(await read(form("Table"))).rows.map(({ object }) => nameOf(object)),
    names,
  );
  assert.deepEqual((message.object["items"] as Named[]).map(nameOf), names);
});

interface Named {
  readonly metadata: { readonly name: string };
}

function nameOf({ metadata }: Named): string {
  return metadata.name;
}

test("a hundred servers start and stop", async () => {
  for (let index = 0; index < 100; index++) {
    await using server = await startApiServer();
    assert.equal((await ask(server, "GET", "/api/v1/namespaces/default")).status, 200);
  }
});
