/** Whether a response is our own write, for random histories of an object on a real store: checked by the versions of the server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import type { ApiServer } from "@capstan/apiserver";
import type { StoredObject } from "@capstan/model";
import fc from "fast-check";
import { VirtualClock } from "../src/testing/index.ts";
import { mayBeOfOthers } from "../src/trigger/self-inflicted.ts";

/** Part of an object. */
interface Part {
  readonly metadata?: object;
  readonly [field: string]: unknown;
}

interface Shape {
  readonly plural: "configmaps" | "services";
  /** The object that we apply, by number. */
  readonly wanted: (number: number) => Part;
  /** The changes of other writers. */
  readonly theirs: (number: number) => Part;
}

const many = (number: number): { [name: string]: string } =>
  Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`k${index}`, String(number)]));

const shapes: readonly Shape[] = [
  {
    plural: "configmaps",
    wanted: (number) => ({ data: { ours: String(number) } }),
    theirs: (number) => ({ data: { [`theirs${number}`]: "x" }, metadata: { annotations: { a: String(number) } } }),
  },
  {
    plural: "configmaps",
    wanted: (number) => ({ data: many(number) }),
    theirs: (number) => ({ data: { k0: "drift", theirs: String(number) } }),
  },
  {
    plural: "configmaps",
    wanted: (number) => ({ data: {}, metadata: { labels: number % 2 === 0 ? {} : { of: "ours" } } }),
    theirs: (number) => ({ data: { theirs: String(number) }, metadata: { labels: { of: "theirs" } } }),
  },
  {
    plural: "services",
    wanted: (number) => ({
      spec: { clusterIP: "None", ports: [{ port: 80, targetPort: 8000 + number }], selector: { a: "b" } },
    }),
    theirs: (number) => ({ spec: { sessionAffinity: number % 2 === 0 ? "None" : "ClientIP" } }),
  },
  {
    plural: "services",
    wanted: (number) => ({
      spec: { clusterIP: "None", ports: [{ name: "web", port: 80, targetPort: 8000 + number }] },
    }),
    theirs: (number) => ({ metadata: { annotations: { a: String(number) }, finalizers: [`example.com/${number}`] } }),
  },
];

/** A write, and the time that has passed before it. */
const write = fc.record({
  by: fc.constantFrom("ours", "theirs"),
  number: fc.integer({ min: 0, max: 2 }),
  after: fc.constantFrom(0, 300, 1000),
});

interface Sent {
  readonly by: string;
  readonly number: number;
}

const isOurs = (manager: string): boolean => manager === "ours";

/** The server and key of an object. */
interface Place {
  readonly server: ApiServer;
  readonly name: string;
}

async function send({ server, name }: Place, { plural, wanted, theirs }: Shape, { by, number }: Sent) {
  const kind = plural === "services" ? "Service" : "ConfigMap";
  const [type, body] = by === "ours" ? ["apply-patch+yaml", wanted(number)] : ["merge-patch+json", theirs(number)];
  const head = by === "ours" ? { apiVersion: "v1", kind, metadata: { name, ...body.metadata } } : {};
  const path = `http://server/api/v1/namespaces/default/${plural}/${name}?fieldManager=${by}${by === "ours" ? "&force=true" : ""}`;
  const headers = { "content-type": `application/${type}` };
  const request = new Request(path, { method: "PATCH", headers, body: JSON.stringify({ ...body, ...head }) });
  const answer = await server.fetch(request);
  assert.ok(answer.ok, await answer.clone().text());
  return (await answer.json()) as StoredObject;
}

const versionOf = (object: StoredObject | undefined): string | undefined => object?.metadata.resourceVersion;

test("foreign changes are never taken for our own, and later reconciles are not wasted", async () => {
  const clock = new VirtualClock();
  await using server = await startApiServer({ clock });
  let runs = 0;
  const check = async (shape: Shape, writes: readonly (Sent & { after: number })[]): Promise<void> => {
    const place = { server, name: `a${++runs}` };
    const history = [await send(place, shape, { by: "ours", number: 0 })];
    const writers = ["ours"];
    for (const one of writes) {
      await clock.advance(one.after);
      const answer = await send(place, shape, one);
      const isChange = versionOf(answer) !== versionOf(history.at(-1));
      if (one.by === "ours") {
        for (const [place, before] of history.entries()) {
          const told = mayBeOfOthers({ before, after: answer }, isOurs);
          const next = history.length - place - (isChange ? 0 : 1);
          // One event leads from the known object to the response, and it is not ours.
          if (!isChange && next === 1 && writers.at(-1) === "theirs")
            assert.ok(told, `${shape.plural}: taken for our own write: ${JSON.stringify([before, answer])}`);
          if (isChange && next === 1 && one.after >= 1000)
            assert.ok(!told, `${shape.plural}: not known as ours: ${JSON.stringify([before, answer])}`);
        }
      }
      if (!isChange) continue;
      history.push(answer);
      writers.push(one.by);
    }
  };
  const writes = fc.array(write, { minLength: 1, maxLength: 8 });
  await fc.assert(fc.asyncProperty(fc.constantFrom(...shapes), writes, check), { numRuns: 200 });
});
