import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Pod } from "@capstan/kinds/v1";
import { buildTestImages } from "@capstan/kubernetes";
import { openHome } from "./embedded.ts";
import { etcdctl, etcdImage, startEtcd, untilMembers } from "./etcd-set.ts";
import { stages } from "./target.ts";
import { until } from "./until.ts";

const [embedded] = stages;

for (const { name, skip, open } of stages) {
  test(`on ${name}, three etcd members keep their data through the deletion of a pod`, { skip }, async (t) => {
    const target = await open(t, [etcdImage]);
    const { client, namespace } = target;
    await startEtcd(target);
    await until("a value is written", () => etcdctl(target, "etcd-0", ["put", "color", "green"]));
    const { uid } = (await client.get(Pod, { namespace, name: "etcd-1" })).metadata;
    await client.delete(Pod, { namespace, name: "etcd-1" });
    await until("another pod has taken its place", async () => {
      const pod = await client.get(Pod, { namespace, name: "etcd-1" }).catch(() => undefined);
      return pod !== undefined && pod.metadata.uid !== uid;
    });
    await untilMembers(target);
    // Read from its own disk: what it holds without asking the others.
    const read = await until("it answers", () =>
      etcdctl(target, "etcd-1", ["get", "color", "--consistency=s", "--print-value-only"]),
    );
    assert.equal(read, "green");
    const members = await until("all members are listed", () => etcdctl(target, "etcd-1", ["member", "list"]));
    assert.equal(members.split("\n").length, 3);
  });
}

describe("on embedded", { skip: embedded?.skip ?? false, concurrency: false }, () => {
  test("a member that is cut off misses a write, others go on, and it catches up when the line is healed", async () => {
    await using home = await openHome();
    await loadEtcd(home);
    await using cluster = await home.start({ words: ["--pods", "real"] });
    const place = { client: cluster.client, namespace: "default" };
    await startEtcd(place);
    await until("a value is written", () => etcdctl(place, "etcd-0", ["put", "color", "green"]));
    assert.match((await home.capstan(["cluster", "fault", "cut", "etcd-0"])).out, /pod default\/etcd-0 is cut off/);
    await until("the others agree on a new value", () => etcdctl(place, "etcd-1", ["put", "color", "blue"]));
    // What it was asked meanwhile may still arrive when the line is healed, so it is another key.
    assert.equal(await etcdctl(place, "etcd-0", ["put", "shape", "round"]), undefined);
    await until("etcd has seen that a peer is gone", async () => {
      const log = await place.client.logs({ namespace: "default", name: "etcd-0" }).text();
      return /peer-unreachable|lost TCP streaming|prober detected unhealthy|dial tcp .*(timeout|deadline)/.test(log);
    });
    assert.match((await home.capstan(["cluster", "fault", "heal", "etcd-0"])).out, /reached as before/);
    await until("it has caught up", async () => {
      return (await etcdctl(place, "etcd-0", ["get", "color", "--print-value-only"])) === "blue";
    });
    await until("it takes part again", () => etcdctl(place, "etcd-0", ["put", "color", "white"]));
  });

  test("members keep their data when the whole cluster is killed and started again", async () => {
    await using home = await openHome();
    await loadEtcd(home);
    const words = ["--pods", "real", "--data", join(home.folder, "data")];
    const first = await home.start({ words });
    await startEtcd({ client: first.client, namespace: "default" });
    await until("a value is written", () =>
      etcdctl({ client: first.client, namespace: "default" }, "etcd-0", ["put", "color", "green"]),
    );
    await first.kill();
    await using second = await home.start({ words });
    const place = { client: second.client, namespace: "default" };
    await untilMembers(place);
    for (const member of ["etcd-0", "etcd-1", "etcd-2"]) {
      const read = await until(`${member} answers`, () =>
        etcdctl(place, member, ["get", "color", "--print-value-only"]),
      );
      assert.equal(read, "green");
    }
  });

  test("the network of one cluster knows nothing of another's", async () => {
    await using home = await openHome();
    for (const name of ["one", "two"]) {
      const { code, err } = await home.capstan(["cluster", "start", "--name", name, "--pods", "real"]);
      assert.equal(code, 0, err);
    }
    const { out } = await home.capstan(["cluster", "list", "-o", "json"]);
    assert.deepEqual(
      (JSON.parse(out) as { name: string }[]).map((one) => one.name),
      ["one", "two"],
    );
    const script = "getent hosts kubernetes.default.svc.cluster.local && ls /sys/class/net | wc -l";
    const said = await home.capstan(["cluster", "exec", "--name", "one", "--", "sh", "-c", script]);
    assert.match(said.out, /^10\.0\.0\.1 /);
    assert.equal((await home.capstan(["cluster", "stop", "--all"])).code, 0);
    assert.equal((await home.capstan(["cluster", "list", "-o", "json"])).out.trim(), "[]");
  });
});

async function loadEtcd(home: Awaited<ReturnType<typeof openHome>>): Promise<void> {
  for (const { archive } of await buildTestImages({ only: [etcdImage] })) {
    const { code, err } = await home.capstan(["cluster", "load-image", archive]);
    assert.equal(code, 0, err);
  }
}
