/** Tests of journals: effective times, gaps, and tenants of namespaces. */
import assert from "node:assert/strict";
import test from "node:test";
import { parseBook } from "../book/parse-book.ts";
import { parseInstant } from "../time/instant.ts";
import { parseJournalLine } from "./line.ts";
import { objectGaps, objectPieces, tenancyOf } from "./pieces.ts";
import { Replay } from "./replay.ts";

const book = parseBook(`
meters:
- { name: members, type: level, unit: member, objects: { apiVersion: example.com/v1, kind: Etcd, value: object.spec.size,
    when: "!has(object.spec.paused) || !object.spec.paused" } }
`);
const kind = { apiVersion: "example.com/v1", kind: "Etcd" };
const day = (clock: string): string => `2026-03-01T${clock}Z`;

function etcd(uid: string, size: unknown, more: { rv?: string; created?: string } = {}): object {
  const { rv, created = day("00:00:00") } = more;
  const metadata = {
    name: uid,
    namespace: "a",
    uid,
    creationTimestamp: created,
    ...(rv !== undefined && { resourceVersion: rv }),
  };
  return { ...kind, metadata, spec: { size } };
}

function replay(lines: readonly object[]) {
  const machine = new Replay();
  for (const [at, line] of [{ type: "JOURNAL", id: "j", at: day("00:00:00") }, ...lines].entries()) {
    const parsed = parseJournalLine({ n: at + 1, ...line }, parseInstant);
    assert.ok(typeof parsed !== "string");
    machine.take(parsed);
  }
  return machine.histories();
}

function shown(lines: readonly object[], warn?: (message: string) => void): string[] {
  const meter = book.meters.get("members");
  assert.ok(meter !== undefined);
  const context = { hash: (value: string) => value, ...(warn !== undefined && { warn }) };
  return [...objectPieces(meter, replay(lines), context)]
    .filter(({ start, end, amount }) => end > start && amount > 0n)
    .map(
      ({ id, start, end, amount }) =>
        `${id} ${[start, end].map((at) => new Date(at).toISOString().slice(11, 23)).join("-")} ${amount / 1_000_000n}`,
    );
}

test("levels change at the effective time and end with the watermark", () => {
  const pieces = shown([
    { type: "ADDED", list: true, at: day("01:00:00"), object: etcd("x", 3, { rv: "1" }) },
    { type: "SYNCED", at: day("01:00:01"), ...kind, uids: ["x"] },
    { type: "MODIFIED", at: day("02:17:03.250"), object: etcd("x", "5", { rv: "2" }) },
    { type: "MODIFIED", at: day("02:30:00"), object: etcd("x", 9, { rv: "2" }) },
    { type: "ADDED", at: day("03:00:00.500"), object: etcd("y", 1, { created: day("03:00:00") }) },
    { type: "DELETED", at: day("04:00:00"), object: etcd("z", 2, { created: day("00:30:00") }) },
    { type: "BOOKMARK", at: day("05:00:00"), ...kind },
  ]);
  assert.deepEqual(pieces, [
    "x 01:00:01.000-02:17:03.250 3",
    "x 02:17:03.250-05:00:00.000 5",
    "y 03:00:00.000-05:00:00.000 1",
    "z 01:00:01.000-04:00:00.000 2",
  ]);
});

test("a gap counts the smaller level, ends what is missing, and is listed", () => {
  const lines = [
    { type: "ADDED", list: true, at: day("00:00:00"), object: etcd("same", 2) },
    { type: "ADDED", list: true, at: day("00:00:00"), object: etcd("grown", 2) },
    { type: "ADDED", list: true, at: day("00:00:00"), object: etcd("gone", 2) },
    { type: "SYNCED", at: day("01:00:00"), ...kind, uids: ["same", "grown", "gone"] },
    { type: "LOST", at: day("02:00:00"), ...kind },
    { type: "ADDED", list: true, at: day("03:00:00"), object: etcd("same", 2) },
    { type: "ADDED", list: true, at: day("03:00:00"), object: etcd("grown", 5) },
    { type: "ADDED", list: true, at: day("03:00:00"), object: etcd("new", 1, { created: day("02:30:00") }) },
    { type: "SYNCED", at: day("03:00:01"), ...kind, uids: ["same", "grown", "new"] },
    { type: "BOOKMARK", at: day("04:00:00"), ...kind },
  ];
  assert.deepEqual(shown(lines).sort(), [
    "gone 01:00:00.000-02:00:00.000 2",
    "grown 01:00:00.000-02:00:00.000 2",
    "grown 02:00:00.000-03:00:01.000 2",
    "grown 03:00:01.000-04:00:00.000 5",
    "new 02:30:00.000-04:00:00.000 1",
    "same 01:00:00.000-04:00:00.000 2",
  ]);
  const meter = book.meters.get("members");
  assert.ok(meter !== undefined);
  const window = { from: Date.parse(day("00:00:00")), to: Date.parse(day("06:00:00")) };
  const gaps = objectGaps(meter, replay(lines), window).map(({ start, end }) =>
    [start, end].map((at) => new Date(at).getUTCHours()),
  );
  assert.deepEqual(gaps, [
    [0, 1],
    [2, 3],
    [4, 6],
  ]);
});

test("a clock that is off is corrected by the server's date, never backwards", () => {
  const pieces = shown([
    { type: "SYNCED", at: day("01:00:00"), ...kind, uids: [] },
    { type: "ADDED", at: day("01:10:00"), object: etcd("x", 1, { created: day("01:10:00") }) },
    { type: "BOOKMARK", at: day("01:20:00"), ...kind, date: "Sun, 01 Mar 2026 01:19:00 GMT" },
    { type: "DELETED", at: day("01:30:00"), object: etcd("x", 1) },
  ]);
  assert.deepEqual(pieces, ["x 01:10:00.000-01:29:00.000 1"]);
});

test("a level that cannot be read is 0 and warns once per object", () => {
  const warnings: string[] = [];
  const pieces = shown(
    [
      { type: "SYNCED", at: day("01:00:00"), ...kind, uids: [] },
      { type: "ADDED", at: day("01:00:00"), object: etcd("x", {}) },
      { type: "MODIFIED", at: day("01:10:00"), object: etcd("x", undefined) },
      { type: "BOOKMARK", at: day("02:00:00"), ...kind },
    ],
    (message) => warnings.push(message),
  );
  assert.deepEqual(pieces, []);
  assert.equal(warnings.length, 1);
});

test("the tenant of a namespace follows its label, then its name", () => {
  const namespace = (label: string): object => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "a", uid: "n", labels: { "capstan.dev/tenant": label } },
  });
  const histories = replay([
    { type: "ADDED", list: true, at: day("01:00:00"), object: namespace("acme") },
    { type: "SYNCED", at: day("01:00:00"), apiVersion: "v1", kind: "Namespace", uids: ["n"] },
    { type: "MODIFIED", at: day("02:00:00"), object: namespace("globex") },
    { type: "DELETED", at: day("03:00:00"), object: namespace("globex") },
  ]);
  const tenancy = tenancyOf(book, histories);
  const piece = { cluster: "", namespace: "a" };
  const tenants = ["00:30", "01:30", "02:30", "03:30"].map((clock) =>
    tenancy.tenantAt(piece, Date.parse(day(`${clock}:00`))),
  );
  assert.deepEqual(tenants, ["a", "acme", "globex", "a"]);
});
