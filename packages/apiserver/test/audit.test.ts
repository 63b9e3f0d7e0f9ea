/** Audit events are compared with those of kube-apiserver for the same scenario. `audit/record.ts` records the real ones. */
import assert from "node:assert/strict";
import { readFile, rm, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { admissionSteps, openAuditLog, startApiServer, type AuditEvent, type UserInfo } from "../src/index.ts";
import { startHookServer } from "../conformance/hooks/server.ts";
import { tell, type Recorded } from "./audit/tell.ts";
import { tokens } from "./audit/story.ts";

const users = new Map<string, UserInfo>([
  [tokens.admin, { name: "admin", uid: "uid-admin", groups: ["system:masters"] }],
  [tokens.bob, { name: "bob", uid: "uid-bob", groups: ["devs"] }],
]);

test("the same requests produce the same audit events as in kube-apiserver", async () => {
  const recorded = JSON.parse(await readFile(join(import.meta.dirname, "audit/recorded.json"), "utf8")) as Recorded[];
  const events: AuditEvent[] = [];
  await using hooks = await startHookServer();
  await using server = await startApiServer({
    admission: admissionSteps,
    tokens: users,
    listen: { port: 0 },
    audit: (event) => events.push(event),
  });
  const told = await tell({ url: server.url ?? "", events: () => events }, hooks);
  assert.equal(told.length, recorded.length);
  for (const [index, { step, events: ours }] of told.entries()) {
    assert.equal(JSON.stringify(ours, undefined, 1), JSON.stringify(recorded[index]?.events, undefined, 1), step);
  }
});

test("an audit log file has one event per line and is appended to", async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-audit-"));
  try {
    const path = join(folder, "audit.log");
    for (const name of ["first", "second"]) {
      using log = openAuditLog(path);
      await using server = await startApiServer({ audit: log.tell });
      await server.fetch(new Request(`http://server/api/v1/namespaces/${name}`));
    }
    const lines = (await readFile(path, "utf8")).trimEnd().split("\n");
    const events = lines.map((line) => JSON.parse(line) as AuditEvent);
    assert.deepEqual(
      events.map(({ verb, objectRef, responseStatus }) => [verb, objectRef?.name, responseStatus.code]),
      [
        ["get", "first", 404],
        ["get", "second", 404],
      ],
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("the request log contains the annotations of each request", async () => {
  await using server = await startApiServer();
  const log = server.observer.record();
  await server.fetch(new Request("http://server/api/v1/namespaces"));
  assert.deepEqual(log[0]?.annotations, {
    "authorization.k8s.io/decision": "allow",
    "authorization.k8s.io/reason": "",
  });
});
