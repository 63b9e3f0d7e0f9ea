/** Every mistake gets one clear sentence with the cure, a code that is not zero, and leaves nothing. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";

import { kubernetesMissing } from "@capstan/kubernetes";

import { listeningPort } from "../src/forward.ts";
import { makePlace } from "./command.ts";
import { findTraces } from "./traces.ts";

const skip = kubernetesMissing();

test("an unknown version names the known ones", async () => {
  await using place = makePlace();
  const { code, err } = await place.run(["up", "--version", "1.2.3"]);
  assert.equal(code, 2);
  assert.match(
    err,
    /^kubernetes: there is no recipe for Kubernetes "1\.2\.3": use --version with one of 1\.36\.3 .*\n$/,
  );
  assert.deepEqual(findTraces(place.folder).files, []);
});

test("without Go and cached programs, the error says to install Go", { skip }, async (t) => {
  await using place = makePlace();
  const cache = mkdtempSync(join(tmpdir(), "capstan-empty-"));
  t.after(() => rmSync(cache, { recursive: true }));
  const { code, err } = await place.run(["up"], {
    env: { XDG_CACHE_HOME: cache, PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
  });
  assert.equal(code, 1);
  assert.match(err, /kubernetes: Go is needed to build Kubernetes .*: install Go .*\n$/);
  assert.deepEqual(findTraces(place.folder).files, []);
});

test("a port in use is named with the cure", { skip }, async (t) => {
  await using place = makePlace();
  const before = findTraces(place.folder);
  const server = createServer().listen({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  t.after(() => server.close());
  const port = listeningPort(server);
  const { code, err } = await place.run(["up", "--port", String(port)]);
  assert.equal(code, 1);
  assert.match(
    err,
    new RegExp(`^kubernetes: port ${port} of 127\\.0\\.0\\.1 cannot be used .*choose another with --port`),
  );
  assert.deepEqual(findTraces(place.folder), before);
});

test("a user other than root gets an error", { skip }, async () => {
  await using place = makePlace();
  const { code, err } = await place.run(["up"], { uid: 65_534 });
  assert.equal(code, 1);
  assert.match(err, /kubernetes: a real Kubernetes needs namespaces and mounts: run this as root\n$/);
});

test("a flag that kube-apiserver refuses shows the end of its log and leaves nothing", { skip }, async () => {
  await using place = makePlace();
  const before = findTraces(place.folder);
  const { code, err } = await place.run(["up", "--apiserver-flag=--no-such-flag"]);
  assert.equal(code, 1);
  assert.match(
    err,
    /kube-apiserver ended while it should run; the end of its log says:\n[^]*unknown flag: --no-such-flag/,
  );
  assert.deepEqual(findTraces(place.folder), before);
});

test("an error for a stopped cluster names the fix, and stopping it is allowed", async () => {
  await using place = makePlace();
  const missing = await place.run(["kubectl", "get", "nodes"]);
  assert.equal(missing.code, 1);
  assert.equal(
    missing.err,
    'kubernetes: cluster kubernetes is not running (none is running): start it with "up --name kubernetes"\n',
  );
  assert.deepEqual(await place.run(["down"]), {
    code: 0,
    out: "there is no cluster kubernetes; nothing to take down\n",
    err: "",
  });
});

test("a failed build reports why and leaves no program", { skip }, async (t) => {
  await using place = makePlace();
  const folder = mkdtempSync(join(tmpdir(), "capstan-bad-go-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "go"), "#!/bin/sh\necho 'no space left on device' >&2\nexit 1\n");
  chmodSync(join(folder, "go"), 0o755);
  const env = { XDG_CACHE_HOME: folder, PATH: `${folder}:/usr/sbin:/usr/bin:/sbin:/bin` };
  const { code, err } = await place.run(["up"], { env });
  assert.equal(code, 1);
  assert.match(err, /kubernetes: go .* ended with status 1: no space left on device\n$/);
});
