import assert from "node:assert/strict";
import { test } from "node:test";
import { checkDns1123Subdomain } from "@capstan/model";
import type { KubeObject, StoredObject } from "@capstan/model";
import type { Writer } from "../apply/writer.ts";
import { type Log, silentLog } from "../log.ts";
import { VirtualClock } from "../testing/clock.ts";
import { Event, Recorder } from "./events.ts";

const kind = { group: "example.com", version: "v1", kind: "Widget", plural: "widgets", scope: "Namespaced" } as const;

function objectNamed(name: string): StoredObject {
  const metadata = { namespace: "default", name, uid: `uid-${name}`, creationTimestamp: "", resourceVersion: "1" };
  return { apiVersion: "example.com/v1", kind: "Widget", metadata };
}

function setUp(log: Log = silentLog): {
  clock: VirtualClock;
  recorder: Recorder;
  created: { note: string; of: string; name: string }[];
} {
  const clock = new VirtualClock();
  const created: { note: string; of: string; name: string }[] = [];
  const writer = {
    create: async (of: unknown, event: KubeObject & { note: string; regarding: { name: string } }) => {
      assert.equal(of, Event);
      created.push({ note: event.note, of: event.regarding.name, name: event.metadata.name ?? "" });
    },
    patch: async () => undefined,
    // The recorder uses only these two methods of a writer.
  } as unknown as Writer;
  const recorder = new Recorder({ writer, clock, log, controller: "widget", instance: "one", kind });
  return { clock, recorder, created };
}

test("a note is cut to whole characters within the server's limit of bytes", () => {
  const { recorder, created } = setUp();
  for (const note of [
    "a".repeat(2000),
    "\u00e9".repeat(2000),
    "\u20ac".repeat(2000),
    "\u{1f600}".repeat(2000),
    "short \u20ac",
  ]) {
    recorder.record(objectNamed("a"), { type: "Normal", reason: "Seen", note });
    const [told] = created.splice(0);
    assert.ok(told !== undefined && note.startsWith(told.note) && told.note.isWellFormed());
    const bytes = Buffer.byteLength(told.note);
    assert.ok(bytes <= 1024 && (bytes > 1020 || told.note === note), `${bytes} bytes`);
  }
});

test("an object with ever new events gets 25 and then one every five minutes", async () => {
  const { clock, recorder, created } = setUp();
  const say = (name: string, at: number): void =>
    recorder.record(objectNamed(name), { type: "Warning", reason: "Counted", note: `attempt ${at}` });
  for (let at = 0; at < 100; at++) say("loud", at);
  assert.equal(created.length, 25);
  say("quiet", 0);
  assert.equal(created.at(-1)?.of, "quiet");
  await clock.advance(300_000);
  for (let at = 100; at < 200; at++) say("loud", at);
  assert.equal(created.length, 27);
});

test("dropped events are logged, with a warning for the first", async () => {
  const said: string[] = [];
  const keep =
    (level: string) =>
    (message: string, fields: object = {}): void =>
      void said.push(`${level} ${message} ${JSON.stringify(fields)}`);
  const { clock, recorder } = setUp({ ...silentLog, info: keep("info"), warn: keep("warn") });
  const say = (at: number): void =>
    recorder.record(objectNamed("loud"), { type: "Normal", reason: "Counted", note: `attempt ${at}` });
  for (let at = 0; at < 27; at++) say(at);
  const left = (at: number): string => `{"object":"default/loud","reason":"Counted","note":"attempt ${at}"}`;
  const begins = "warn an event was left out: this object had too many, and gets one in five minutes now";
  assert.deepEqual(said.splice(0), [`${begins} ${left(25)}`, `info an event was left out ${left(26)}`]);
  await clock.advance(300_000);
  for (let at = 27; at < 29; at++) say(at);
  assert.deepEqual(said, [`${begins} ${left(28)}`]);
});

test("events are recorded for objects with long or unsuitable names", () => {
  const { recorder, created } = setUp();
  for (const [name, uid] of [
    ["a", "a."],
    ["a".repeat(253), "5f9b."],
    ["system:controller:a", "5f9b."],
  ] as const) {
    const object = objectNamed(name);
    recorder.record(
      { ...object, metadata: { ...object.metadata, uid: "5f9b" } },
      {
        type: "Normal",
        reason: "Seen",
        note: name,
      },
    );
    const [told] = created.splice(0);
    assert.deepEqual(checkDns1123Subdomain(told?.name ?? ""), []);
    assert.ok(told?.name.startsWith(uid));
  }
});
