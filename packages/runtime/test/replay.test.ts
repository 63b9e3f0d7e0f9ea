/** Recorded watch events can be replayed: the operator does what it did then, in virtual time, and another version shows the difference. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigMap } from "@capstan/kinds/v1";
import { defineResource, s } from "@capstan/schema";
import { controller } from "../src/define.ts";
import { silentLog } from "../src/log.ts";
import { recordingApi } from "../src/program/recording.ts";
import { operator } from "../src/operator.ts";
import { errors, replay, VirtualClock } from "../src/testing/index.ts";
import { ModelApi } from "./model-api.ts";

const Note = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Note",
  spec: s.object({ text: s.string() }),
  status: s.object({ seen: s.string() }),
});

const noteWith = (spell: (text: string) => string) =>
  operator({
    name: "notes",
    controllers: [
      controller(Note, { owns: [ConfigMap] }, async ({ object, apply, status }) => {
        await apply(ConfigMap, object.metadata.name, { data: { text: spell(object.spec.text) } });
        status.seen = object.spec.text;
      }),
    ],
  });

/** Runs an operator for a while, through a broken watch and a new list, and records its events. */
async function recorded(): Promise<{ recording: string; writes: string[] }> {
  const clock = new VirtualClock();
  const api = new ModelApi(() => clock.wall());
  const lines: string[] = [];
  const writes: string[] = [];
  const running = noteWith((text) => text).start({
    api: recordingApi(api, { clock, write: (line) => void lines.push(line) }),
    clock,
    random: () => 0.5,
    log: silentLog,
    onWrite: (_name, { verb, kind, key }) => void writes.push(`${verb} ${kind.kind} ${key}`),
  });
  const set = (name: string, text: string) => {
    const head = { apiVersion: "example.com/v1", kind: "Note", metadata: { namespace: "default", name } };
    return api.apply(Note, Object.assign(head, { spec: { text } }), { manager: "user" });
  };
  await clock.advance(1_000);
  await set("a", "one");
  await clock.advance(60_000);
  api.closeWatches(errors.connectionLost());
  api.compact();
  await set("b", "two");
  await clock.advance(60_000);
  await set("a", "three");
  await clock.advance(60_000);
  await running.stop();
  return { recording: `${lines.join("\n")}\n`, writes };
}

test("a replay makes the same writes for the same reasons, twice", async () => {
  const { recording, writes } = await recorded();
  assert.match(recording, /"end":\{"code":"(?:ConnectionLost|Expired)"/u);
  const again = await replay(
    noteWith((text) => text),
    recording,
  );
  assert.deepEqual(
    again.writes.map(({ verb, kind, key }) => `${verb} ${kind} ${key}`),
    writes,
  );
  const [first, last] = [again.explain("note", "default/a")[0], again.explain("note", "default/a").at(-1)];
  assert.equal(first?.triggers[0]?.relation, "self");
  assert.deepEqual(last?.triggers[0]?.fields, ["spec.text"]);
  assert.deepEqual(
    (
      await replay(
        noteWith((text) => text),
        recording,
      )
    ).writes,
    again.writes,
  );
});

test("another version of the operator shows its different writes", async () => {
  const { recording } = await recorded();
  const { writes } = await replay(
    noteWith((text) => text.toUpperCase()),
    recording,
  );
  const texts = writes.flatMap(({ sent }) => (sent as { data?: { text: string } }).data?.text ?? []);
  assert.ok(
    ["ONE", "TWO", "THREE"].every((text) => texts.includes(text)),
    texts.join(),
  );
});

test("the error for a truncated recording names the line", async () => {
  const { recording } = await recorded();
  await assert.rejects(
    replay(
      noteWith((text) => text),
      recording.slice(0, -20),
    ),
    {
      code: "BadSetting",
      message: /^Cannot read line \d+ of the recording: it is not JSON\.$/u,
    },
  );
});
