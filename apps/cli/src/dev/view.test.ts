/** The keys of a dev session, on an API server in this process with built-in kinds. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { startApiServer } from "@capstan/apiserver";
import { createClient, inProcess } from "@capstan/client";
import { Secret } from "@capstan/kinds/v1";
import { type Api, apiOf, pauseAnnotation } from "@capstan/runtime";
import type { Table } from "../output/print.ts";
import { styleOf } from "../output/style.ts";
import { readKeys } from "./keys.ts";
import { resourceOf } from "./messages.ts";
import { KEYS, View } from "./view.ts";

const { group, version, kind, plural, scope } = Secret;
const names = { group, version, kind, plural, scope } as const;

async function until(holds: () => boolean | Promise<boolean>, what: () => string): Promise<void> {
  for (const end = Date.now() + 60_000; !(await holds()); await delay(20))
    assert.ok(Date.now() < end, `waited in vain until ${what()}`);
}

/** An API server with two objects, and a view of them. */
async function open(t: TestContext, { change = (_api: Api): Partial<Api> => ({}), askBefore = "", address = "" } = {}) {
  const { fetch } = await startApiServer();
  const client = createClient(inProcess(fetch));
  for (const name of ["a", "b"]) await client.create(Secret, { metadata: { namespace: "default", name } });
  const lines: string[] = [];
  const again: string[] = [];
  let shown: { table: Table; below: string } | undefined;
  const api = apiOf(client);
  const view = new View({
    api: { ...api, ...change(api) },
    askBefore: askBefore === "" ? undefined : askBefore,
    again: (controllers, key) => void again.push(`${controllers.join(",")} ${key}`),
    paper: () => ({ style: styleOf({ color: false }), columns: 200 }),
    screen: {
      line: (line) => void lines.push(line),
      table: (table, { below }) => void (shown = { table, below }),
      close: () => {},
    },
  });
  t.after(() => view[Symbol.dispose]());
  const resource = resourceOf(names);
  const controllers = [
    { name: "first", resource },
    { name: "second", resource },
  ];
  const show = (): void => view.show({ kinds: [names], controllers, address });
  const paused = async (): Promise<string> => {
    const { items } = await client.list(Secret, { namespace: "default" }).all();
    const marked = items.filter(({ metadata }) => metadata.annotations?.[pauseAnnotation] === "true");
    return marked.map(({ metadata }) => metadata.name).join(" ");
  };
  const seen = (text: string): Promise<void> =>
    until(
      () => lines.includes(text),
      () => `${text} is among\n${lines.join("\n")}`,
    );
  const table = (): readonly string[] => {
    view.draw();
    return shown?.table.rows.map((row) => row.slice(0, 2).join(" ")) ?? [];
  };
  const marks = (): readonly string[] => {
    view.draw();
    return shown?.table.rows.map((row) => row.at(-1) ?? "") ?? [];
  };
  const below = (): string => (view.draw(), shown?.below ?? "");
  return { client, view, lines, again, show, seen, paused, table, marks, below };
}

test("watched objects appear and disappear", async (t) => {
  const { client, show, seen, table } = await open(t);
  show();
  await seen("Secret default/b is there");
  await client.create(Secret, { metadata: { namespace: "default", name: "c" } });
  await seen("Secret default/c is there");
  await client.delete(Secret, { namespace: "default", name: "a" });
  await seen("Secret default/a is gone");
  assert.deepEqual(table(), ["> Secret default/b", "  Secret default/c"]);
});

test("a load failure stays below the table until a program runs", async (t) => {
  const { view, show, below } = await open(t);
  show();
  view.fail("nothing runs");
  assert.equal(below(), `nothing runs\n${KEYS}`);
  show();
  assert.equal(below(), KEYS);
});

test("p pauses the selected object and no other, and resumes it", async (t) => {
  const { view, show, seen, paused, table } = await open(t);
  show();
  await seen("Secret default/b is there");
  await view.press("p");
  assert.equal(await paused(), "a");
  await view.press("down");
  assert.deepEqual(table(), ["  Secret default/a", "> Secret default/b"]);
  await view.press("p");
  assert.equal(await paused(), "a b");
  await seen("Secret default/a paused");
  await view.press("up");
  await view.press("p");
  assert.equal(await paused(), "b");
});

test("on an existing cluster, a key writes only after a yes", async (t) => {
  const { view, lines, show, seen, paused, below } = await open(t, { askBefore: "https://cluster.example.com" });
  show();
  await seen("Secret default/b is there");
  await view.press("p");
  assert.equal(below(), "pause Secret default/a on https://cluster.example.com? y/n");
  await view.press("n");
  assert.equal(await paused(), "");
  assert.equal(lines.at(-1), "left as it is");
  await view.press("p");
  await view.press("y");
  assert.equal(await paused(), "a");
  assert.match(below(), /^up\/down select/);
});

test("a request that the cluster rejects is printed as a line", async (t) => {
  const forbidden = Object.assign(new Error("you may not patch secrets"), { name: "ApiError" });
  const change = () => ({ patch: () => Promise.reject(forbidden) });
  const { view, lines, show, seen } = await open(t, { change });
  show();
  await seen("Secret default/b is there");
  await view.press("p");
  assert.match(lines.at(-1) ?? "", /you may not patch secrets/);
});

test("an outage of the cluster loses no objects and is reported once", async (t) => {
  let isDown = false;
  let lists = 0;
  const change = (api: Api): Partial<Api> => ({
    // Watches end at once, so that every event comes from a list.
    watch: async function* () {},
    list: (...asked) => {
      if (!isDown) return api.list(...asked);
      lists++;
      return Promise.reject(new TypeError("the line is dead"));
    },
  });
  const { lines, show, seen, table } = await open(t, { change });
  show();
  await seen("Secret default/b is there");
  isDown = true;
  await until(
    () => lists >= 2,
    () => "it was asked twice",
  );
  assert.deepEqual(lines, [
    "Secret default/a is there",
    "Secret default/b is there",
    "the table may be out of date: the line is dead",
  ]);
  assert.deepEqual(table(), ["> Secret default/a", "  Secret default/b"]);
});

test("e asks each controller about the selected object, a reconciles it again", async (t) => {
  const asked: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    asked.push(url);
    response.end(JSON.stringify({ reconciles: [] }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => (server.close(), server.closeAllConnections()));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { view, again, show, seen } = await open(t, { address });
  show();
  await seen("Secret default/b is there");
  await view.press("j");
  await view.press("e");
  assert.deepEqual(asked, ["/explain/first/default/b", "/explain/second/default/b"]);
  await view.press("a");
  assert.deepEqual(again, ["first,second default/b"]);
});

test("a failing object is marked until it succeeds, with its last error below", async (t) => {
  let outcome = "failed";
  const server = createServer((_request, response) => void response.end(JSON.stringify({ reconciles: [{ outcome }] })));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => (server.close(), server.closeAllConnections()));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { view, show, seen, marks, below } = await open(t, { address });
  show();
  await seen("Secret default/b is there");
  view.hear({ level: "error", controller: "second", object: "default/b", message: "no power\nat all" });
  await view.recheck();
  assert.deepEqual(marks(), ["", "failing"]);
  assert.doesNotMatch(below(), /no power/, "another object is selected");
  await view.press("j");
  assert.equal(below(), `last error: no power\n${KEYS}`);
  view.hear({ level: "error", controller: "second", object: "default/b", message: `${"far ".repeat(70)}the reason` });
  view.draw();
  assert.match(below(), /the reason\n/, "what does not fit in a line has several");
  outcome = "done";
  await view.recheck();
  assert.deepEqual(marks(), ["", ""]);
  assert.equal(below(), KEYS);
});

test("without an object, keys print a hint", async (t) => {
  const { view, lines } = await open(t);
  for (const key of ["up", "down", "p", "e", "a"]) await view.press(key);
  assert.deepEqual(lines, ["there is no object yet", "there is no object yet", "there is no object yet"]);
});

test("fast keys are read one by one", () => {
  assert.deepEqual(readKeys("\u001B[A\u001B[BP\u001BOB\u001B[3~q"), ["up", "down", "p", "down", "\u001B[3~", "q"]);
});
