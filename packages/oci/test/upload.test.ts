/** Uploads to a registry that keeps the received part of a chunk: simulated, because Debian's drops it. */
import assert from "node:assert/strict";
import { createHash, randomFillSync } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { buildImage, openStore, parseReference, pushImage, RegistrySession } from "@capstan/oci";

test("only the missing bytes are sent again", async () => {
  const home = await mkdtemp(join(tmpdir(), "capstan-upload-"));
  try {
    const store = await openStore(home);
    const noise = randomFillSync(Buffer.alloc(40 * 2 ** 20));
    const image = await buildImage(
      { platform: { os: "linux", architecture: "amd64" }, layers: [[{ path: "n", body: noise }]] },
      store,
    );
    const registry = forgetfulNetwork();
    const session = new RegistrySession("127.0.0.1:1", {
      fetch: registry.fetch,
      credentials: () => Promise.resolve(undefined),
      wait: () => Promise.resolve(),
    });
    await pushImage(image, parseReference("127.0.0.1:1/app:v1"), { store, session });
    const { manifests, blobs, sent } = registry;
    assert.deepEqual([...manifests], ["v1"]);
    const stored = [...blobs.values()].reduce((sum, bytes) => sum + bytes.length, 0);
    assert.equal(sent(), stored, "no byte was taken twice");
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

/** A registry in process; the connection breaks once in the middle of the second chunk, after half of it was kept. */
function forgetfulNetwork(): {
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
  readonly manifests: Set<string>;
  readonly blobs: Map<string, Buffer>;
  readonly sent: () => number;
} {
  const blobs = new Map<string, Buffer>();
  const manifests = new Set<string>();
  let upload = Buffer.alloc(0);
  let patches = 0;
  let taken = 0;
  const take = (bytes: Buffer): void => {
    taken += bytes.length;
    upload = Buffer.concat([upload, bytes]);
  };
  const there = (status: number): Response =>
    new Response(null, {
      status,
      headers: { location: "/v2/app/blobs/uploads/1", range: `0-${Math.max(0, upload.length - 1)}` },
    });
  const patch = async (init: RequestInit): Promise<Response> => {
    const body = Buffer.from(await new Response(init.body).arrayBuffer());
    const [from = ""] = (new Headers(init.headers).get("content-range") ?? "").split("-");
    assert.equal(Number(from), upload.length, "chunks follow each other");
    if (++patches !== 2) return (take(body), there(202));
    take(body.subarray(0, body.length / 2));
    throw new TypeError("fetch failed");
  };
  const finish = async (url: URL, init: RequestInit): Promise<Response> => {
    take(Buffer.from(await new Response(init.body).arrayBuffer()));
    const digest = url.searchParams.get("digest") ?? "";
    assert.equal(`sha256:${createHash("sha256").update(upload).digest("hex")}`, digest);
    blobs.set(digest, upload);
    return new Response(null, { status: 201 });
  };
  const fetch = async (address: string, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(address);
    const name = /\/manifests\/(.*)$/.exec(url.pathname)?.[1];
    if (name !== undefined) return (manifests.add(name), new Response(null, { status: 201 }));
    switch (init.method) {
      case "HEAD":
        return new Response(null, { status: 404 });
      case "POST":
        upload = Buffer.alloc(0);
        return there(202);
      case "PATCH":
        return patch(init);
      case "PUT":
        return finish(url, init);
      default:
        return there(204);
    }
  };
  return { fetch, manifests, blobs, sent: () => taken };
}
