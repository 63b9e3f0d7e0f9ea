/** A watch that is cut at every byte of its stream: the next connection delivers the remaining events, and none twice. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bodyOfChunks, createClient, noRetry, processHost } from "@capstan/client";
import type { Transport, TransportRequest } from "@capstan/client";
import { apiOf } from "../src/client-api.ts";
import { Informer } from "../src/cache/informer.ts";
import type { Change } from "../src/cache/change.ts";
import { VirtualClock } from "../src/testing/index.ts";
import { ConfigMap } from "./faults/world.ts";

function line(type: string, name: string, version: number, annotations?: object): string {
  const metadata = { name, namespace: "default", uid: `uid-${name}`, resourceVersion: String(version), annotations };
  return `${JSON.stringify({ type, object: { apiVersion: "v1", kind: "ConfigMap", metadata, data: { text: "é" } } })}\n`;
}

/** The whole history: three objects exist, then one changes, one is created, one is deleted. */
const list = [line("ADDED", "a", 1), line("ADDED", "b", 2), line("ADDED", "c", 3)];
const end = line("BOOKMARK", "", 3, { "k8s.io/initial-events-end": "true" });
const events = [
  line("MODIFIED", "a", 4),
  line("ADDED", "d", 5),
  line("DELETED", "b", 6),
  line("BOOKMARK", "", 9),
  line("MODIFIED", "c", 10),
];
const versions = [4, 5, 6, 9, 10];

/** Serves watches with the events after their version; the first one is cut after so many bytes. */
function server(cut: number): Transport & { readonly paths: string[] } {
  const paths: string[] = [];
  return {
    paths,
    request: async ({ path, signal }: TransportRequest) => {
      const query = new URL(path, "http://x").searchParams;
      const from = query.get("resourceVersion");
      const texts =
        from === null ? [...list, end, ...events] : events.filter((_event, at) => (versions[at] ?? 0) > Number(from));
      const bytes = Buffer.from(texts.join(""));
      const isFirst = paths.push(path) === 1;
      const chunks = async function* (): AsyncGenerator<Uint8Array> {
        yield isFirst ? bytes.subarray(0, cut) : bytes;
        if (isFirst) throw new Error("cut");
        await new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
      };
      return {
        status: 200,
        headers: { "content-type": "application/json" },
        body: bodyOfChunks(chunks(), () => undefined),
      };
    },
  };
}

const length = Buffer.byteLength([...list, end, ...events].join(""));

test(`a stream of ${length} bytes, cut at each of them`, async () => {
  for (let cut = 0; cut <= length; cut++) {
    const clock = new VirtualClock();
    const transport = server(cut);
    const host = { ...processHost(), clock, random: () => 0.5 };
    const api = apiOf(createClient(transport, { host, retry: noRetry }));
    const informer = new Informer({ api, kind: ConfigMap, scopes: [{}], clock, random: () => 0.5 });
    const seen: string[] = [];
    informer.subscribe(({ type, key, object }: Change) =>
      seen.push(`${type} ${key} ${object.metadata.resourceVersion}`),
    );
    await clock.advance(5000);
    const state = informer.find({}).map(({ metadata }) => `${metadata.name}${metadata.resourceVersion}`);
    assert.deepEqual(
      state.sort((a, b) => (a < b ? -1 : 1)),
      ["a4", "c10", "d5"],
      `cut at ${cut}`,
    );
    assert.equal(new Set(seen).size, seen.length, `something came twice, cut at ${cut}`);
    assert.ok(transport.paths.length <= 3, `cut at ${cut}: ${transport.paths.length} requests`);
    const lists = transport.paths.filter((path) => path.includes("sendInitialEvents=true"));
    const listBytes = Buffer.byteLength([...list, end].join(""));
    assert.equal(
      lists.length,
      cut >= listBytes ? 1 : 2,
      `cut at ${cut}: a list that was complete is not asked for again`,
    );
    await informer[Symbol.asyncDispose]();
  }
});
