/** Hostile registries that try to get credentials, memory, disk or time: simulated by a fetch in process. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { mediaTypes, OciError, openStore, parseReference, pullImage, RegistrySession, type Store } from "@capstan/oci";

type Play = (url: URL, request: Request) => Response | Promise<Response>;

interface Seen {
  readonly url: string;
  readonly authorization: string | null;
}

const secret = `Basic ${Buffer.from("ann:secret").toString("base64")}`;

/** A session with a simulated registry, and what was sent to each host. */
function against(
  registry: string,
  play: Play,
  token?: string,
): { session: RegistrySession; seen: Seen[]; late: () => void } {
  const seen: Seen[] = [];
  const timers = new Set<() => void>();
  const session = new RegistrySession(registry, {
    async fetch(url, init) {
      assert.equal(init.redirect, "manual", "redirects are followed by hand");
      const request = new Request(url, init);
      seen.push({ url, authorization: request.headers.get("authorization") });
      return play(new URL(url), request);
    },
    credentials: async () =>
      token === undefined ? { type: "password", username: "ann", password: "secret" } : { type: "token", token },
    wait: () => Promise.resolve(),
    after(_, run) {
      timers.add(run);
      return { cancel: () => void timers.delete(run) };
    },
  });
  const late = (): void => {
    for (const run of timers) if (timers.delete(run)) run();
  };
  return { session, seen, late };
}

const get = { method: "GET" } as const;
const challenge = (value: string): Response =>
  new Response(null, { status: 401, headers: { "www-authenticate": value } });
const redirect = (location: string, status = 307): Response => new Response(null, { status, headers: { location } });
const hasCode =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof OciError && error.code === code;

for (const wants of [
  'Bearer realm="https://cdn.test/token"',
  'Basic realm="cdn"',
  'Bearer realm="https://r.test/token"',
])
  test(`a redirect target that wants ${wants} gets nothing`, async () => {
    const { session, seen } = against("r.test", ({ host }) =>
      host === "r.test" ? redirect("https://cdn.test/blob") : challenge(wants),
    );
    await assert.rejects(session.ask("/v2/app/blobs/x", get), hasCode("Unauthorized"));
    assert.deepEqual(
      seen.map(({ url, authorization }) => [url, authorization]),
      [
        ["https://r.test/v2/app/blobs/x", null],
        ["https://cdn.test/blob", null],
      ],
    );
  });

test("credentials are omitted when a redirect leaves the registry, and return with it", async () => {
  const { session, seen } = against("r.test", ({ host, pathname }, { headers }) => {
    if (host === "cdn.test") return pathname === "/back" ? redirect("https://r.test/end") : new Response("blob");
    if (headers.get("authorization") === null) return challenge('Basic realm="r"');
    return pathname === "/start" ? redirect("https://cdn.test/back", 302) : redirect("https://cdn.test/blob");
  });
  assert.equal(await (await session.ask("/start", get)).text(), "blob");
  assert.deepEqual(
    seen.slice(1).map(({ url, authorization }) => [url, authorization]),
    [
      ["https://r.test/start", secret],
      ["https://cdn.test/back", null],
      ["https://r.test/end", secret],
      ["https://cdn.test/blob", null],
    ],
  );
});

test("a token endpoint needs HTTPS, and no redirect gets the password", async () => {
  const ask = async (realm: string, atToken: () => Response, token?: string): Promise<readonly Seen[]> => {
    const play: Play = ({ pathname }, { headers }) => {
      if (pathname === "/token") return atToken();
      if (pathname === "/elsewhere") return new Response('{"token":"t"}');
      return headers.get("authorization") === "Bearer t"
        ? new Response("ok")
        : challenge(`Bearer realm="${realm}",service="s"`);
    };
    const { session, seen } = against("r.test", play, token);
    await session.ask("/v2/", get).catch((error: unknown) => assert.ok(error instanceof OciError, String(error)));
    return seen.slice(1);
  };
  const gives = (): Response => new Response('{"token":"t"}');
  assert.deepEqual(await ask("https://auth.test/token", gives), [
    { url: "https://auth.test/token?service=s", authorization: secret },
    { url: "https://r.test/v2/", authorization: "Bearer t" },
  ]);
  for (const realm of [
    "http://auth.test/token",
    "http://r.test/token",
    "ftp://auth.test/",
    "https://a:b@auth.test/token",
  ])
    assert.deepEqual(await ask(realm, gives), [], realm);
  const leaves = await ask("https://auth.test/token", () => redirect("https://evil.test/elsewhere"));
  assert.deepEqual(
    leaves.slice(0, 2).map(({ authorization }) => authorization),
    [secret, null],
  );
  assert.equal((await ask("https://auth.test/token", () => redirect("http://auth.test/elsewhere"))).length, 1);
  const refresh = await ask("https://auth.test/token", () => redirect("https://evil.test/elsewhere"), "refresh");
  assert.equal(refresh.length, 1, "a refresh token is sent to the realm alone");
  for (const token of ['{"token":"a\\nb"}', '{"token":7}', "null", "{}"])
    assert.equal((await ask("https://auth.test/token", () => new Response(token))).length, 1, token);
});

test("a plain registry may name a plain realm; TLS never leads to plain HTTP", async () => {
  const plain = against("127.0.0.1:5000", ({ pathname }, { headers }) => {
    if (pathname === "/token") return new Response('{"access_token":"t"}');
    return headers.has("authorization") ? new Response("ok") : challenge('Bearer realm="http://127.0.0.1:5001/token"');
  });
  assert.equal((await plain.session.ask("/v2/", get)).status, 200);
  const { session, seen } = against("r.test", () => redirect("http://r.test/blob"));
  await assert.rejects(session.ask("/v2/", get), hasCode("Refused"));
  await assert.rejects(session.ask("http://r.test/upload", { method: "PUT" }), hasCode("Refused"));
  assert.equal(seen.length, 1);
});

test("an upload to another host has no credentials, and a redirect loop ends", async () => {
  const { session, seen } = against("r.test:443", ({ host }, { headers }) => {
    if (host !== "r.test") return challenge('Basic realm="evil"');
    return headers.has("authorization") ? new Response(null, { status: 202 }) : challenge('Basic realm="r"');
  });
  await session.ask("/v2/app/blobs/uploads/", { method: "POST" });
  const put = session.ask("https://evil.test/upload", { method: "PUT", body: () => Buffer.from("x") });
  await assert.rejects(put, hasCode("Unauthorized"));
  assert.deepEqual(
    seen.map(({ authorization }) => authorization),
    [null, secret, null],
  );
  const circle = against("r.test", () => redirect("/again"));
  await assert.rejects(circle.session.ask("/", get), hasCode("Refused"));
  assert.equal(circle.seen.length, 11);
});

/** An endless body, and how many of its megabytes were read. */
function endless(): { body: ReadableStream<Uint8Array>; taken: () => number } {
  let taken = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      taken++;
      controller.enqueue(new Uint8Array(2 ** 20).fill(0x20));
    },
  });
  return { body, taken: () => taken };
}

async function withStore(use: (store: Store, files: () => Promise<string[]>) => Promise<void>): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), "capstan-hostile-"));
  try {
    const store = await openStore(home);
    await use(store, async () =>
      (await readdir(join(home, "blobs"), { recursive: true })).filter((one) => one !== "sha256"),
    );
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

const platform = { os: "linux", architecture: "amd64" };
const digestOf = (bytes: string): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
const reference = parseReference("127.0.0.1:5000/app:v1");

test("endless manifests, tokens and errors are read to a limit and not stored", () =>
  withStore(async (store, files) => {
    const cases: readonly [number, string][] = [
      [200, "TooLarge"],
      [500, "Refused"],
    ];
    for (const [status, code] of cases) {
      const { body, taken } = endless();
      const headers = { "content-type": mediaTypes.manifest };
      const { session } = against("127.0.0.1:5000", () => new Response(body, { status, headers }));
      await assert.rejects(pullImage(reference, { store, session, platform }), hasCode(code));
      assert.ok(taken() < 10, `${taken()} MiB were read`);
    }
    const { body, taken } = endless();
    const { session } = against("127.0.0.1:5000", ({ pathname }) =>
      pathname === "/token" ? new Response(body) : challenge('Bearer realm="http://127.0.0.1:5000/token"'),
    );
    await assert.rejects(pullImage(reference, { store, session, platform }), hasCode("TooLarge"));
    assert.ok(taken() < 10);
    assert.deepEqual(await files(), []);
  }));

test("an invalid manifest is not stored", () =>
  withStore(async (store, files) => {
    const layer = (size: unknown): object => ({ mediaType: mediaTypes.layer, digest: digestOf("x"), size });
    const config = { mediaType: mediaTypes.config, digest: digestOf("{}"), size: 2 };
    const bad: readonly (readonly [string, unknown])[] = [
      [mediaTypes.manifest, "no JSON"],
      ["text/html", {}],
      ...[-1, 0.5, 2 ** 53, 1e300, 17 * 2 ** 30, "1"].map(
        (size) => [mediaTypes.manifest, { config, layers: [layer(size)] }] as const,
      ),
      [mediaTypes.manifest, { config, layers: Array.from({ length: 1001 }, () => layer(1)) }],
      [mediaTypes.index, { manifests: Array.from({ length: 10_001 }, () => layer(1)) }],
      // An image for one program and another one for the next, under one digest.
      [mediaTypes.manifest, { config, layers: [layer(1)], manifests: [layer(1)] }],
      [mediaTypes.index, { config, manifests: [layer(1)] }],
      [mediaTypes.index, { layers: [layer(1)], manifests: [layer(1)] }],
    ];
    for (const [type, value] of bad) {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      const { session } = against("127.0.0.1:5000", () => new Response(text, { headers: { "content-type": type } }));
      await assert.rejects(pullImage(reference, { store, session, platform }), hasCode("BadImage"), text.slice(0, 80));
    }
    assert.deepEqual(await files(), []);
  }));

test("an image whose layers are too large together is not fetched", () =>
  withStore(async (store, files) => {
    const config = { mediaType: mediaTypes.config, digest: digestOf("{}"), size: 2 };
    const layers = Array.from({ length: 5 }, (_, index) => ({
      mediaType: mediaTypes.layer,
      digest: digestOf(String(index)),
      size: 16 * 2 ** 30,
    }));
    const text = JSON.stringify({ config, layers });
    const { session, seen } = against(
      "127.0.0.1:5000",
      () => new Response(text, { headers: { "content-type": mediaTypes.manifest } }),
    );
    await assert.rejects(pullImage(reference, { store, session, platform }), hasCode("TooLarge"));
    assert.equal(seen.length, 1);
    assert.ok((await files()).every((file) => !file.includes(digestOf("0").slice(7))));
  }));

test("a blob that does not match its descriptor leaves no file behind", () =>
  withStore(async (store, files) => {
    const config = { mediaType: mediaTypes.config, digest: digestOf("{}"), size: 2 };
    for (const [size, sent] of [
      [3, "too long"],
      [3, "bad"],
      [4, "abc"],
    ] as const) {
      const layer = { mediaType: mediaTypes.layer, digest: digestOf("abc"), size };
      const manifest = JSON.stringify({ schemaVersion: 2, config, layers: [layer, layer] });
      const { session } = against("127.0.0.1:5000", ({ pathname }, { headers }) => {
        if (pathname.includes("/manifests/"))
          return new Response(manifest, { headers: { "content-type": mediaTypes.manifest } });
        if (pathname.endsWith(config.digest)) return new Response("{}");
        return new Response(headers.has("range") ? "!" : sent, { status: headers.has("range") ? 206 : 200 });
      });
      await assert.rejects(pullImage(reference, { store, session, platform }), hasCode("BadDigest"));
    }
    const left = await files();
    assert.ok(!left.some((name) => name.includes(".partial-") || name.includes(".incoming-")), left.join(" "));
    assert.ok(!(await store.has(digestOf("abc"))));
  }));

test("nested indexes are followed a few levels deep, each once", () =>
  withStore(async (store) => {
    const documents = new Map<string, string>();
    let last = JSON.stringify({ schemaVersion: 2, mediaType: mediaTypes.index, manifests: [] });
    for (let level = 0; level < 10; level++) {
      const one = { mediaType: mediaTypes.index, digest: digestOf(last), size: last.length };
      documents.set(one.digest, last);
      last = JSON.stringify({
        schemaVersion: 2,
        mediaType: mediaTypes.index,
        manifests: Array.from({ length: 50 }, () => one),
      });
    }
    const { session, seen } = against("127.0.0.1:5000", ({ pathname }) => {
      const text = documents.get(pathname.split("/").at(-1) ?? "") ?? last;
      return new Response(text, { headers: { "content-type": mediaTypes.index } });
    });
    await assert.rejects(pullImage(reference, { store, session, platform: "all" }), hasCode("BadImage"));
    assert.ok(seen.length < 10, `${seen.length} requests`);
  }));

test("a registry that never responds, or stalls, times out", async () => {
  const silent = against("r.test", () => new Promise(() => {}));
  const asked = silent.session.ask("/v2/", { ...get, tries: 1 });
  while (silent.seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
  silent.late();
  await assert.rejects(asked, hasCode("Unreachable"));
  const trickle = (): Response =>
    new Response(new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("{")) }));
  const slow = against("r.test", trickle);
  const document = slow.session.documentOf(await slow.session.ask("/", get), "a document");
  const blob = slow.session.chunksOf(await slow.session.ask("/", get));
  assert.equal((await blob.next()).done, false);
  const next = blob.next();
  slow.late();
  await assert.rejects(document, hasCode("Unreachable"));
  await assert.rejects(async () => next, /too slowly/);
});
