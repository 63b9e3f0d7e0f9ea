/** A cluster's life on this machine: several side by side, and nothing left, however it ended. */

import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { setTimeout as delay } from "node:timers/promises";

import { kubernetesMissing } from "@capstan/kubernetes";

import { findComponents } from "../src/processes.ts";
import { makePlace } from "./command.ts";
import type { Place } from "./command.ts";
import { containerCommands, findTraces, networkNamespaces } from "./traces.ts";
import type { Traces } from "./traces.ts";

const skip = kubernetesMissing();

async function waitForComponent(folder: string, component: string): Promise<void> {
  while (!findComponents(folder).some((found) => found.component === component)) await delay(5);
}

/** A pod of the pause image, which every node has: a container in a pod is two processes, mounts and links. */
async function runPod(place: Place, name: string): Promise<void> {
  const kubectl = ["kubectl", "--name", name];
  const made = await place.run([...kubectl, "run", "still", "--image=capstan.test/pause:1"]);
  assert.equal(made.code, 0, made.err);
  const ready = await place.run([...kubectl, "wait", "--for=condition=Ready", "pod/still", "--timeout=300s"]);
  assert.equal(ready.code, 0, ready.err);
  assert.deepEqual(containerCommands(place.folder, name), ["/pause", "/pause"]);
}

test("two clusters run side by side with separate objects", { skip }, async () => {
  await using place = makePlace();
  const started = await Promise.all(["one", "two"].map((name) => place.run(["up", "--name", name])));
  assert.deepEqual(
    started.map(({ code, err }) => (code === 0 ? code : err)),
    [0, 0],
  );
  const made = await place.run(["kubectl", "--name", "one", "create", "namespace", "only-in-one"]);
  assert.equal(made.code, 0, made.err);
  assert.match((await place.run(["kubectl", "--name", "one", "get", "ns"])).out, /only-in-one/);
  assert.doesNotMatch((await place.run(["kubectl", "--name", "two", "get", "ns"])).out, /only-in-one/);
  assert.match((await place.run(["status"])).out, /one: Kubernetes.*\n[^]*two: Kubernetes/);
  const inside = await place.run(["exec", "--name", "two", "--", "sh", "-c", "cat $KUBECONFIG; ip -brief address"]);
  assert.match(inside.out, /10\.123\.0\.11/);
  assert.doesNotMatch(inside.out, /eth0/);
});

test("down leaves no process, mount, namespace, interface, cgroup, setting or file", { skip }, async () => {
  await using place = makePlace();
  const look = (): Traces => findTraces(place.folder, ["short"]);
  const before = look();
  const up = await place.run(["up", "--node", "--name", "short"]);
  assert.equal(up.code, 0, up.err);
  await runPod(place, "short");
  const inside = await place.run(["exec", "--name", "short", "--", "readlink", "/proc/self/ns/net"]);
  assert.ok(networkNamespaces().has(inside.out.trim()));
  const during = look();
  assert.ok(during.processes.length >= 10, "a node has many processes");
  assert.ok(during.cgroups.length > 0);
  assert.deepEqual(during.mounts, before.mounts, "mounts are the cluster's own");
  assert.deepEqual(during.settings, before.settings, "settings of the machine are not touched");
  const down = await place.run(["down", "--name", "short"]);
  assert.deepEqual(down, { code: 0, out: "cluster short is down\n", err: "" });
  assert.deepEqual(look(), before);
  assert.ok(!networkNamespaces().has(inside.out.trim()));
});

for (const moment of ["init", "etcd", "kube-apiserver", "kube-scheduler", "kubelet-node-1"]) {
  test(`up killed when ${moment} was just there, then down, leaves nothing`, { skip }, async () => {
    await using place = makePlace();
    const look = (): Traces => findTraces(place.folder, ["killed"]);
    const before = look();
    const up = place.start(["up", "--node", "--name", "killed"]);
    await waitForComponent(join(place.folder, "killed"), moment);
    up.kill("SIGKILL");
    await up.ended;
    assert.ok(look().processes.length > 0);
    const down = await place.run(["down", "--name", "killed"]);
    assert.equal(down.code, 0, down.err);
    assert.deepEqual(look(), before);
  });
}

test("a cluster with a killed init process and keeper leaves nothing either", { skip }, async () => {
  await using place = makePlace();
  const look = (): Traces => findTraces(place.folder, ["broken"]);
  const before = look();
  assert.equal((await place.run(["up", "--node", "--name", "broken"])).code, 0);
  await runPod(place, "broken");
  const processes = findComponents(join(place.folder, "broken"));
  for (const { pid, component } of processes) {
    if (component === "init" || component === "keeper") process.kill(pid, "SIGKILL");
  }
  const status = await place.run(["status", "--name", "broken"]);
  assert.equal(status.code, 1);
  assert.equal((await place.run(["down", "--name", "broken"])).code, 0);
  assert.deepEqual(look(), before);
});

test("an incomplete cluster does not block a new one", { skip }, async () => {
  await using place = makePlace();
  const first = place.start(["up"]);
  await waitForComponent(join(place.folder, "kubernetes"), "etcd");
  first.kill("SIGKILL");
  await first.ended;
  const second = await place.run(["up"]);
  assert.equal(second.code, 0, second.err);
  const etcds = findComponents(`${place.folder}/kubernetes`).filter(({ component }) => component === "etcd");
  assert.equal(etcds.length, 1);
});

test("interrupted, up clears away what it made", { skip }, async () => {
  await using place = makePlace();
  const before = findTraces(place.folder);
  const up = place.start(["up"]);
  await waitForComponent(join(place.folder, "kubernetes"), "etcd");
  up.kill("SIGINT");
  const { code } = await up.ended;
  assert.equal(code, 130);
  assert.deepEqual(findTraces(place.folder), before);
});
