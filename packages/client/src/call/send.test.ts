import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kind, StoredObject } from "@capstan/model";
import { manualClock, testHost } from "../../test/host.ts";
import { createClient } from "../client.ts";
import type { Client } from "../client.ts";
import { ForbiddenError, isApiError } from "../error/api-error.ts";
import { ConnectionError } from "../error/connection-error.ts";
import { bodyOfBytes } from "../transport/body.ts";
import type { TransportRequest, TransportResponse } from "../transport/transport.ts";
import type { SentRequest } from "./send.ts";
import type { ApiWarning } from "./warnings.ts";

const Widget: Kind<StoredObject, unknown, "Namespaced"> = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  scope: "Namespaced",
};
const target = { namespace: "default", name: "a" };
const widget = { metadata: target };

const answer = (status: number, body: unknown, headers: Record<string, string> = {}): TransportResponse => ({
  status,
  headers,
  body: bodyOfBytes(typeof body === "string" ? body : JSON.stringify(body)),
});
const refusal = (code: number, reason: string, details: object = { name: "a" }): TransportResponse =>
  answer(code, {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    reason,
    code,
    message: `said ${reason}`,
    details,
  });
const lost = (sent: boolean): ConnectionError =>
  new ConnectionError({ code: "ConnectionLost", server: "https://a", sent, cause: new Error("reset") });

interface World {
  readonly client: Client;
  readonly requests: TransportRequest[];
  readonly warnings: ApiWarning[];
  readonly clock: ReturnType<typeof manualClock>;
}

/** Responds with the script's entries in order and repeats the last one. */
function world(...script: (TransportResponse | Error)[]): World {
  const requests: TransportRequest[] = [];
  const warnings: ApiWarning[] = [];
  const clock = manualClock(undefined, "running");
  const transport = {
    async request(request: TransportRequest): Promise<TransportResponse> {
      requests.push(request);
      const next = script.length > 1 ? script.shift() : script[0];
      if (next instanceof Error || next === undefined) throw next ?? new Error("no answer");
      return next;
    },
  };
  const client = createClient(transport, { host: testHost({ clock }), onWarning: (one) => warnings.push(one) });
  return { client, requests, warnings, clock };
}

const ok = answer(200, { kind: "Widget" });

test("a 429 with Retry-After is retried for every verb", async () => {
  const { client, requests, clock } = world(answer(429, "busy", { "retry-after": "3" }), ok);
  await client.create(Widget, widget);
  assert.equal(requests.length, 2);
  const wait = clock.waits.find((ms) => ms < 30_000) ?? 0;
  assert.ok(wait >= 3000 && wait < 3100, String(wait));
});

test("a 503 without Retry-After is retried for reads and apply, not for create", async () => {
  const reading = world(refusal(503, "ServiceUnavailable"), ok);
  await reading.client.get(Widget, target);
  await reading.client.apply(Widget, widget, { fieldManager: "me" });
  const writing = world(refusal(503, "ServiceUnavailable"), ok);
  await assert.rejects(writing.client.create(Widget, widget), (error) => isApiError(error, "ServiceUnavailable"));
  assert.equal(writing.requests.length, 1);
});

test("a lost connection is retried if the request is unsent or idempotent", async () => {
  await world(lost(false), ok).client.create(Widget, widget);
  await world(lost(true), ok).client.get(Widget, target);
  const { client, requests } = world(lost(true), ok);
  await assert.rejects(client.create(Widget, widget), (error) => {
    assert.ok(isApiError(error, "ConnectionLost"));
    assert.match(error.message, /^Cannot create Widget in namespace default\. The connection/u);
    return true;
  });
  assert.equal(requests.length, 1);
});

test("the last error is thrown after five attempts with growing delays", async () => {
  const { client, requests, clock } = world(lost(false));
  await assert.rejects(client.get(Widget, target), (error) => isApiError(error, "ConnectionLost"));
  assert.equal(requests.length, 5);
  assert.deepEqual(
    clock.waits.filter((ms) => ms < 30_000),
    [75, 150, 300, 600],
  );
});

test("a Retry-After beyond the deadline is not awaited", async () => {
  const { client, requests } = world(answer(429, "busy", { "retry-after": "20" }));
  await assert.rejects(client.get(Widget, { ...target, timeoutMs: 10_000 }), (error) =>
    isApiError(error, "TooManyRequests"),
  );
  assert.equal(requests.length, 1);
});

test("an eviction that a budget forbids is not retried", async () => {
  const { client, requests } = world(refusal(429, "TooManyRequests"));
  await assert.rejects(client.evict(target), (error) => isApiError(error, "TooManyRequests"));
  assert.equal(requests.length, 1);
});

test("a deadline ends a hanging request and names the limit", async () => {
  const clock = manualClock();
  const hanging = {
    request: ({ signal }: TransportRequest) =>
      new Promise<TransportResponse>((_, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason as Error));
      }),
  };
  const client = createClient(hanging, { host: testHost({ clock }) });
  const waiting = client.get(Widget, { ...target, timeoutMs: 5000 });
  const refused = assert.rejects(waiting, (error) => {
    assert.ok(isApiError(error, "DeadlineExceeded"));
    assert.match(error.message, /did not answer in time: the limit of 5000 ms passed/u);
    return true;
  });
  await clock.advance(5001);
  await refused;
  const abort = new AbortController();
  const aborted = client.get(Widget, { ...target, signal: abort.signal });
  const reason = new Error("enough");
  abort.abort(reason);
  await assert.rejects(aborted, (error) => error === reason);
});

test("each warning text is reported once", async () => {
  const warning = `299 - "old \\"one\\"", 299 - "another"`;
  const { client, warnings } = world(answer(200, {}, { warning }));
  await client.get(Widget, target);
  await client.get(Widget, target);
  assert.deepEqual(
    warnings.map(({ text }) => text),
    ['old "one"', "another"],
  );
});

test("a missing permission is reported with the rule that grants it", async () => {
  const { client } = world(refusal(403, "Forbidden"));
  await assert.rejects(client.apply(Widget, widget, { fieldManager: "me", subresource: "status" }), (error) => {
    assert.ok(error instanceof ForbiddenError);
    assert.deepEqual(error.rule, {
      apiGroups: ["example.com"],
      resources: ["widgets/status"],
      verbs: ["create", "patch"],
    });
    assert.equal(
      error.message,
      `Cannot apply Widget default/a (status): said Forbidden. If a permission is missing, this rule grants it:
- apiGroups: ["example.com"]
  resources: ["widgets/status"]
  verbs: ["create", "patch"]`,
    );
    return true;
  });
});

test("errors carry code, status, object and causes", async () => {
  const causes = [{ field: "spec.size", message: "too small" }];
  const { client } = world(refusal(422, "Invalid", { name: "a", causes }));
  await assert.rejects(client.create(Widget, widget), (error) => {
    assert.ok(isApiError(error, "Invalid"));
    assert.equal(error.status, 422);
    assert.equal(error.object?.kind, "Widget");
    assert.deepEqual(error.causes, causes);
    return true;
  });
});

const sentences: readonly [
  name: string,
  answer: TransportResponse,
  code: Parameters<typeof isApiError>[1],
  sentence: RegExp,
][] = [
  ["a missing object", refusal(404, "NotFound"), "NotFound", /^Cannot get Widget default\/a: said NotFound\.$/u],
  [
    "a kind whose CRD is not installed",
    answer(404, "404 page not found\n"),
    "UnknownKind",
    /The server does not serve widgets in example\.com\/v1\. Install the CustomResourceDefinition widgets\.example\.com, or check/u,
  ],
  [
    "expired credentials",
    refusal(401, "Unauthorized", {}),
    "Unauthorized",
    /The credentials are missing, expired or not accepted: log in again/u,
  ],
  [
    "a response that is not JSON",
    answer(200, "<html>"),
    "BadAnswer",
    /the answer is not JSON .* Check that the address is that of a Kubernetes API server\.$/u,
  ],
  [
    "an error that is not a Status",
    answer(500, "<html>oops</html>"),
    "InternalError",
    /the server answered 500 \(<html>oops<\/html>\)\.$/u,
  ],
  ["an unknown reason", refusal(418, "Teapot"), "BadRequest", /said Teapot\.$/u],
];

for (const [name, response, code, sentence] of sentences) {
  test(`one sentence explains ${name}`, async () => {
    await assert.rejects(world(response).client.get(Widget, target), (error) => {
      assert.ok(code !== undefined && isApiError(error, code), String(error));
      assert.match(error.message, sentence);
      return true;
    });
  });
}

test("an invalid list is an error, and every form of an empty list is empty", async () => {
  const list = (body: unknown): Promise<{ readonly items: readonly unknown[] }> =>
    world(answer(200, body)).client.list(Widget, { namespace: "default" }).all();
  for (const body of [[], null, 5, { items: 5 }, { metadata: [] }]) {
    await assert.rejects(list(body), (error) => {
      assert.ok(isApiError(error, "BadAnswer"), String(error));
      assert.match(error.message, /^Cannot list Widget in namespace default: the response is not a list\./u);
      return true;
    });
  }
  for (const body of [{}, { metadata: null, items: null }, { metadata: {}, items: [] }]) {
    assert.deepEqual((await list(body)).items, []);
  }
});

test("one sentence explains a server that is too old", async () => {
  const { client } = world(answer(200, { major: "1", minor: "24+", gitVersion: "v1.24.9-gke.1" }));
  assert.equal((await client.requireVersion("1.24")).minor, 24);
  await assert.rejects(client.requireVersion("1.30"), (error) => {
    assert.ok(isApiError(error, "WrongVersion"));
    assert.match(error.message, /^The API server is Kubernetes v1\.24\.9-gke\.1, but at least 1\.30 is needed\./u);
    return true;
  });
  await assert.rejects(world(answer(200, {})).client.serverVersion(), (error) => isApiError(error, "BadAnswer"));
});

test("one sentence explains a server that is not Kubernetes", async () => {
  await assert.rejects(world(answer(404, "no such page")).client.serverVersion(), (error) => {
    assert.ok(isApiError(error, "BadAnswer"));
    assert.match(
      error.message,
      /answered 404 \(no such page\)\. Check that the address is that of a Kubernetes API server\.$/u,
    );
    return true;
  });
});

test("a full list with an expired token is fetched again unpaged", async () => {
  const page = (token: string, ...items: string[]): TransportResponse =>
    answer(200, { metadata: { resourceVersion: "5", continue: token }, items });
  const { client, requests } = world(page("next", "a"), refusal(410, "Expired", {}), page("", "a", "b"));
  const all = await client.list(Widget, { namespace: "default", limit: 1 }).all();
  assert.equal(all.items.length, 2);
  assert.equal(requests.at(-1)?.path, "/apis/example.com/v1/namespaces/default/widgets");
});

test("a null list is empty, as Go servers write it", async () => {
  const { client } = world(answer(200, { metadata: { resourceVersion: "5" }, items: null }));
  const { items } = await client.list(Widget, { namespace: "default" }).all();
  assert.deepEqual(items, []);
});

test("beforeSending runs before every attempt and its error reaches the caller", async () => {
  const { client, requests } = world(answer(429, "busy", { "retry-after": "3" }), ok);
  const fenced = new Error("not the leader");
  let mayBeSent = 1;
  const beforeSending = (): void => {
    if (requests.length >= mayBeSent) throw fenced;
  };
  await assert.rejects(
    client.apply(Widget, widget, { fieldManager: "me", beforeSending }),
    (error) => error === fenced,
  );
  assert.equal(requests.length, 1);
  mayBeSent = 0;
  await assert.rejects(client.delete(Widget, { ...target, beforeSending }), (error) => error === fenced);
  assert.equal(requests.length, 1);
});

test("onSent reports every attempt with its status, including lost ones", async () => {
  const script = [refusal(429, "TooManyRequests"), lost(true), answer(200, widget), answer(201, widget)];
  const transport = {
    async request(): Promise<TransportResponse> {
      const next = script.shift();
      if (next instanceof Error || next === undefined) throw next ?? new Error("no answer");
      return next;
    },
  };
  const sent: string[] = [];
  const clock = manualClock(undefined, "running");
  const onSent = ({ method, status }: SentRequest): void => void sent.push(`${method} ${status}`);
  const client = createClient(transport, { host: testHost({ clock }), onSent });
  await client.get(Widget, target);
  await client.create(Widget, widget);
  assert.deepEqual(sent, ["GET 429", "GET undefined", "GET 200", "POST 201"]);
});
